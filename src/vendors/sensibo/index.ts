import { type Adapter, type Handler, kind } from '../../adapter/adapter.ts';
import { outOfRange } from '../../adapter/commands.ts';
import { apiKey, lenient, limit, sweepBy, word } from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import * as listing from './client.ts';
import { accountOf, api, findPods, pathOf, READ, readPod, readPods } from './client.ts';
import * as translate from './translate.ts';
import { isOnline, nearest, settingOf, targetsIn } from './translate.ts';

const turnOn: Handler<'turn_on'> = (session, device) => change(session, device, 'on', true);
const turnOff: Handler<'turn_off'> = (session, device) => change(session, device, 'on', false);

/** Sets the target of the mode that the air conditioner is in, in its unit; one that is off stays off. */
const setTemperature: Handler<'set_temperature'> = async (session, device, { target_milli_c }) => {
  const pod = await readPod(session, device, `${READ},remoteCapabilities`);
  if (!isOnline(pod)) throw new AppError('device.offline', `${device.id} is not connected to Sensibo`);
  const { mode, unit } = settingOf(pod);
  const targets = targetsIn(pod.remoteCapabilities, mode, unit);
  if (targets.length === 0)
    throw new AppError(
      'vendor.refused',
      `the air conditioner of ${device.id} has no target temperature in mode "${mode}"; choose another mode in the Sensibo app`,
    );
  const target = nearest(targets, target_milli_c, unit);
  if (target === null)
    throw outOfRange(
      `in mode "${mode}" ${device.id} takes ${Math.min(...targets)} to ${Math.max(...targets)} °${unit}, which target_milli_c ${target_milli_c} is not`,
    );
  await change(session, device, 'targetTemperature', target);
};

/** What became of a change; "Success" once it was sent to the air conditioner. */
const Changed = lenient({}, 'status', 'failureReason');

/**
 * Changes one property; mode, fan and all others stay as Sensibo has them. It names the value that is wanted, so that sending it twice
 * does no harm.
 */
async function change(
  session: Session,
  device: DeviceRef,
  property: 'on' | 'targetTemperature',
  newValue: boolean | number,
): Promise<void> {
  const path = `${pathOf(device)}/acStates/${property}`;
  const request = { method: 'PATCH', path, json: { newValue }, repeatable: true } as const;
  const { status, failureReason } = await api.command(session, device, request, Changed);
  if (status === undefined || status === 'Success') return;
  const reason = word(failureReason) ?? word(status) ?? 'no reason';
  throw new AppError('vendor.refused', `Sensibo did not change ${device.id}: ${reason}`);
}

const linking = apiKey({
  vendor: 'Sensibo',
  query: (key) => ({ apiKey: key }),
  check: { path: '/api/v1/users/me' },
  hint: {
    en: 'You make it at home.sensibo.com/me/api, signed in to your Sensibo account.',
    sv: 'Du skapar den på home.sensibo.com/me/api, inloggad på ditt konto hos Sensibo.',
  },
});

/** Air conditioners and air-to-air heat pumps behind a controller of Sensibo (Sky, Air), one device for each controller. */
export const sensibo = {
  slug: 'sensibo',
  name: 'Sensibo',
  ...linking,
  hosts: { api: 'https://home.sensibo.com' },
  budgets: [
    limit('calls', {
      calls: 10,
      seconds: 10,
      source: 'Sensibo in 2024: 5 calls in 5 s, 10 in 10 s for clients that accept gzip, as elnav does',
    }),
  ],
  // A controller measures every 90 s; one call reads all of an account.
  pace: { active: 60, idle: 120, asleep: 600 },
  pushes: false,
  pollSeconds: 30,
  simulator: () => import('./simulator.ts'),
  async link(session) {
    return { vendorAccount: await accountOf(session), devices: await findPods(session) };
  },
  list: findPods,
  sweep: sweepBy({
    by: () => 'all',
    call: readPods,
    pick: (pods, { id }) => pods.find((pod) => pod.id === id),
  }),
  nextSteps: listing.nextSteps,
  kinds: {
    heat_pump: kind<translate.Pod>({
      read: (session, device) => readPod(session, device),
      status: translate.statusOf,
      observedAt: translate.observedAt,
      unrecognized: translate.unrecognizedIn,
      reads: { read_temperature: translate.temperatureOf },
      controls: {
        on_off: { turn_on: turnOn, turn_off: turnOff },
        set_temperature: { set_temperature: setTemperature },
      },
      ranges: listing.rangesOf,
      withholds: listing.withheldFrom,
      whyWithheld: listing.whyWithheld,
    }),
  },
} satisfies Adapter;

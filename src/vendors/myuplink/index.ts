import Type, { type Static } from 'typebox';
import { type Adapter, type Handler, kind } from '../../adapter/adapter.ts';
import { outOfRange } from '../../adapter/commands.ts';
import { HttpFailure } from '../../adapter/http.ts';
import { type Intervention, NeedsUser } from '../../adapter/interventions.ts';
import * as kit from '../../adapter/kit/index.ts';
import { fits, limit, oauth2 } from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { DAY_MS } from '../../core/durations.ts';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { connectionOf, link, list, pathOf, readDevice, readPoints } from './client.ts';
import * as translate from './translate.ts';

/** A change that is not permitted is not a lost sign-in: reading goes on. */
const changes = kit.vendorCalls('myUplink', {
  failure(cause, what) {
    if (!(cause instanceof HttpFailure) || (cause.status !== 402 && cause.status !== 403)) return undefined;
    const sentence = `myUplink does not let this account change ${what} (${cause.status}): changing settings needs the subscription "Premium Manage" in the myUplink app`;
    return new NeedsUser('buy_subscription', new AppError('vendor.refused', sentence, { cause }));
  },
});
/** The response to changed points: `{"status": 200, "payload": {"47398": "modified"}}`. */
const Changed = Type.Union([kit.lenient({}, 'status', 'payload'), Type.Null()]);

/** By the target where the model has one, else by moving the heating curve. */
const setTemperature: Handler<'set_temperature'> = async (session, device, { target_milli_c }) => {
  const { target } = kit.detailsOf(translate.Details, device);
  if (target === null) throw kit.refused(`${device.id} has nothing that sets a temperature`);
  if (target.by === 'curve') return moveCurve(session, device, { ...target, target_milli_c });
  const { by, id, step } = target;
  const celsius = Math.round(Math.round(target_milli_c / 1_000 / step) * step * 1_000) / 1_000;
  if (by === 'point') await setPoint(session, device, id, celsius);
  else await change(session, device, `/zones/${encodeURIComponent(id)}`, { setpointHeat: celsius });
};

/** Where the curve was when it was first moved, so that the same target is the same offset however often it is sent. */
const Reference = Type.Object({
  room_milli_c: Type.Number(),
  offset: Type.Number(),
  /** The offset that was set last. Where the device has a different one, its user has set it: a new reference begins. */
  set: Type.Number(),
  at: Type.Number(),
});
const REFERENCE_MS = 7 * DAY_MS;
/** The manual of NIBE: one step is about one degree in the room. */
const MILLI_C_PER_STEP = 1_000;

async function moveCurve(
  session: Session,
  device: DeviceRef,
  { id, min, max, target_milli_c }: translate.Target & { readonly target_milli_c: number },
): Promise<void> {
  const reading = { connection: translate.CONNECTED, points: await readPoints(session, device, 'read') };
  const [room_milli_c, offset] = [translate.temperatureOf(reading), translate.offsetOf(reading)];
  if (room_milli_c === null || offset === null)
    throw kit.refused(`${device.id} does not report its room temperature and heating offset now`);
  const [name, at] = [`heating-offset-${device.id}`, session.clock.now()];
  const stored = await session.documents.get(name);
  const isOurs = kit.fits(Reference, stored) && stored.set === offset && at - stored.at < REFERENCE_MS;
  const from: Omit<Static<typeof Reference>, 'set'> = isOurs ? stored : { room_milli_c, offset, at };
  const set = from.offset + Math.round((target_milli_c - from.room_milli_c) / MILLI_C_PER_STEP);
  if (set < min || set > max)
    throw outOfRange(
      `target_milli_c ${target_milli_c} would need a heating offset of ${set}; ${device.id} takes ${min} to ${max}`,
    );
  // Before it is sent: one that was stored and not set differs from the next reading.
  await session.documents.put(name, { ...from, set });
  await setPoint(session, device, id, set);
}

const turnOn: Handler<'turn_on'> = (session, device) => boost(session, device, true);
const turnOff: Handler<'turn_off'> = (session, device) => boost(session, device, false);

async function boost(session: Session, device: DeviceRef, isOn: boolean): Promise<void> {
  const { boost } = kit.detailsOf(translate.Details, device);
  if (boost === null) throw kit.refused(`${device.id} has no hot-water boost`);
  await setPoint(session, device, boost.id, isOn ? boost.on : '0');
}

/** Values are texts with their scale applied, as a reading has them. */
async function setPoint(session: Session, device: DeviceRef, id: string, value: number | string) {
  const said = await change(session, device, '/points', { [id]: String(value) });
  const outcome = kit.objectIn(said?.payload)[id];
  if (outcome !== undefined && outcome !== 'modified')
    throw kit.refused(`myUplink did not change point ${id} of ${device.id}`);
}

/** A change names the value that is wanted, so sending it twice does no harm. One to a device that is not connected would be lost. */
async function change(session: Session, device: DeviceRef, what: string, json: JsonObject) {
  if ((await connectionOf(session, device)) !== translate.CONNECTED)
    throw new AppError('device.offline', `${device.id} is not connected to myUplink`);
  const request = { method: 'PATCH', path: `${pathOf(device)}${what}`, json, repeatable: true } as const;
  const said = await changes.command(session, device, request, Changed);
  if (typeof said?.status === 'number' && said.status >= 300)
    throw kit.refused(`myUplink did not change ${device.id}: it answered with status ${said.status}`);
  return said;
}

/** myUplink says only of a change that it is not permitted, and nothing of it in a reading. */
const BUY_SUBSCRIPTION: Intervention<unknown> = {
  blocks: ['set_temperature', 'turn_on', 'turn_off'],
  url: 'https://myuplink.com/',
  words: {
    en: {
      title: 'Get Premium Manage',
      text: 'To change settings from other apps, myUplink wants the subscription Premium Manage. You buy it in the myUplink app.',
    },
    sv: {
      title: 'Skaffa Premium Manage',
      text: 'För att ändra inställningar från andra appar kräver myUplink abonnemanget Premium Manage. Det köps i myUplink-appen.',
    },
  },
};

/** Heat pumps of NIBE and CTC, and water heaters of Høiax, through myUplink. */
export const myuplink = {
  slug: 'myuplink',
  name: 'myUplink',
  brands: { names: ['NIBE', 'CTC', 'Høiax'] },
  ...oauth2({
    authorizeUrl: 'https://api.myuplink.com/oauth/authorize',
    tokenUrl: 'https://api.myuplink.com/oauth/token',
    scopes: ['READSYSTEM', 'WRITESYSTEM', 'offline_access'],
    pkce: false,
    // The words of enumerations come in the language that is asked for; a state must not change with it.
    headers: ({ access }) => ({ authorization: `Bearer ${access}`, 'accept-language': 'en-GB' }),
  }),
  hosts: { api: 'https://api.myuplink.com' },
  budgets: [
    limit('app_minute', {
      of: 'app',
      calls: 25,
      seconds: 60,
      reserve: 0.4,
      share: 2,
      setting: {
        name: 'ELNAV_MYUPLINK_CALLS_PER_MINUTE',
        times: 1,
        description:
          'Calls in any minute that myUplink lets your client id make, for all users together; 25 unless myUplink has given you more',
      },
      source:
        'the vendor in 2026: "25 requests per minute" for clients of the public API, and the header RateLimit-Limit',
    }),
  ],
  // Points are some minutes old, and all users share the limit.
  pace: { active: 300, idle: 900, asleep: 3_600 },
  pushes: false,
  pollSeconds: 180,
  simulator: () => import('./simulator.ts'),
  link,
  list,
  kinds: {
    heat_pump: kind<translate.Reading>({
      read: readDevice,
      readCosts: { app_minute: 2 },
      status: translate.statusOf,
      unrecognized: translate.unrecognizedIn,
      observedAt: translate.observedAt,
      reads: {
        read_temperature: translate.temperatureOf,
        read_power: translate.powerOf,
        read_energy: translate.energyOf,
      },
      controls: {
        set_temperature: { set_temperature: setTemperature },
        on_off: { turn_on: turnOn, turn_off: turnOff },
      },
      ranges: ({ details }) => {
        const target = fits(translate.Details, details) ? details.target : null;
        const { min, max } = target === null || target.by === 'curve' ? { min: 5, max: 30 } : target;
        return { min_milli_c: min * 1_000, max_milli_c: max * 1_000 };
      },
      withholds: translate.withheldFrom,
      whyWithheld: translate.whyWithheld,
      interventions: { buy_subscription: BUY_SUBSCRIPTION },
    }),
  },
} satisfies Adapter;

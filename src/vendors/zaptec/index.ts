import { type Adapter, type Handlers, kind } from '../../adapter/adapter.ts';
import {
  accountOf,
  detailsOf,
  keepLimit,
  keptLimit,
  LEAST_A,
  limit,
  password,
  refused,
} from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import {
  api,
  chargerPath,
  failure,
  findChargers,
  installationPath,
  isWrongPassword,
  observe,
  readCharger,
  signIn,
} from './client.ts';
import * as charger from './translate.ts';

/** "Commands" of `GET /api/constants`. */
const STOP = 'SendCommand/506';
const RESUME = 'SendCommand/507';

/** Zaptec refuses to stop or resume a charger that it has nothing to do for, so the charger is read first. */
const chargeControl: Handlers<'charge_control'> = {
  async start_charge(session, device) {
    const { seen, connected, charging, operation_state: state } = await observeOnline(session, device);
    if (charging === true) return;
    if (connected === false) throw refused(`no car is connected to charger ${device.id}`);
    const limit = charger.maxCurrentOf(seen);
    const isLimited = limit !== null && limit < LEAST_A;
    if (isLimited) {
      const { max_a } = detailsOf(charger.Details, device);
      await post(session, device, 'update', {
        maxChargeCurrent: (await keptLimit(session, device)) ?? max_a,
      });
    }
    if (state === 'paused') await post(session, device, RESUME);
    else if (!isLimited && state === 'connected_requesting' && charger.needsAuthorization(seen))
      throw refused(`charger ${device.id} waits until its user authorizes it, with the Zaptec app or a tag`);
  },

  async stop_charge(session, device) {
    const { connected, operation_state: state } = await observeOnline(session, device);
    if (connected !== false && state !== 'paused') await post(session, device, STOP);
  },
};

const setCurrent: Handlers<'set_current'> = {
  async set_current(session, device, { current_a: maxChargeCurrent }) {
    const { seen } = await observeOnline(session, device);
    if (maxChargeCurrent === 0) await keepLimit(session, device, charger.maxCurrentOf(seen));
    await post(session, device, 'update', { maxChargeCurrent });
  },
};

/** Limits the installation, which Zaptec shares out to its chargers itself. */
const loadBalancing: Handlers<'load_balancing'> = {
  async set_limit(session, device, { max_a: availableCurrent }) {
    if (availableCurrent === undefined)
      throw new AppError('command.axis_unsupported', 'the device limits by current only; set max_a');
    if (charger.isStandalone(await observe(session, device.id)))
      throw refused(`charger ${device.id} is in stand-alone mode, and so does not follow its installation`);
    const path = `${installationPath(detailsOf(charger.Details, device))}/update`;
    await api.command(session, device, { path, json: { availableCurrent }, repeatable: true });
  },
};

/** What an online charger reports. One that is offline would obey later, or not at all. */
async function observeOnline(session: Session, device: DeviceRef) {
  const seen = await observe(session, device.id);
  const status = charger.statusOf(seen);
  if (status.online) return { seen, ...status };
  throw new AppError('device.offline', `charger ${device.id} is not connected to Zaptec`);
}

/** A setting names the value that is wanted; a command is sent once, as the second would be refused because of the first. */
function post(session: Session, { id }: DeviceRef, what: string, json?: JsonObject) {
  const path = `${chargerPath(id)}/${what}`;
  return api.command(session, { id }, json === undefined ? { path } : { path, json, repeatable: true });
}

/** Zaptec chargers (Go, Go 2, Pro) through Zaptec's cloud. Polled. */
export const zaptec = {
  slug: 'zaptec',
  name: 'Zaptec',
  ...password({ vendor: 'Zaptec', user: 'email', isRefused: isWrongPassword, failure, signIn }),
  hosts: { api: 'https://api.zaptec.com' },
  budgets: [
    limit('calls', {
      calls: 10,
      seconds: 1,
      for: ['login', 'list', 'read', 'command'],
      reserve: 0.4,
      source: 'docs.zaptec.com, API Fair Use policy: 10 requests per second per account',
    }),
  ],
  pace: { active: 60, idle: 300, asleep: 900 },
  simulator: () => import('./simulator.ts'),
  pushes: false,
  pollSeconds: 15,
  link: async (session) => ({
    vendorAccount: accountOf(session.credentials),
    devices: await findChargers(session),
  }),
  list: findChargers,
  kinds: {
    charger: kind<charger.ChargerRaw>({
      read: readCharger,
      status: charger.statusOf,
      unrecognized: charger.unrecognizedIn,
      observedAt: charger.reportedAt,
      reads: { read_power: charger.powerOf, read_energy: charger.energyOf },
      energyOfSession: true,
      controls: { charge_control: chargeControl, set_current: setCurrent, load_balancing: loadBalancing },
      // The charger and its installation.
      readCosts: { calls: 2 },
      withholds: charger.withheldFrom,
      whyWithheld: charger.whyWithheld,
      limits: charger.limitsOf,
      availableCapacity: charger.capacityOf,
    }),
  },
} satisfies Adapter;

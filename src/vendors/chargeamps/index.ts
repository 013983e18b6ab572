import { type Adapter, type Handlers, kind } from '../../adapter/adapter.ts';
import {
  accountOf,
  keepLimit,
  keptLimit,
  LEAST_A,
  limit,
  password,
  refused,
  secret,
} from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { api, findConnectors, readConnector, refresh, settingsPath, signIn } from './client.ts';
import * as connector from './translate.ts';
import { type ConnectorRaw, limitsOf, statusOf } from './translate.ts';

/** Mode "Off" does not end a charge with the newer firmware, and starting remotely needs a tag: 0 A is the pause that all take. */
const chargeControl: Handlers<'charge_control'> = {
  async start_charge(session, device) {
    const raw = await readOnline(session, device);
    const { connected, charging } = statusOf(raw);
    if (charging === true) return;
    if (connected === false) throw refused(`no car is connected to charger ${device.id}`);
    const { mode, maxCurrent, rfidLock } = raw.settings;
    const isPaused = typeof maxCurrent === 'number' && maxCurrent < LEAST_A;
    if (!isPaused && mode === 'Schedule')
      throw refused(`charger ${device.id} follows its schedule; change that in the Charge Amps app`);
    if (!isPaused && mode !== 'Off' && rfidLock === true)
      throw refused(`charger ${device.id} waits for a tag; hold one to it`);
    const limit = (await keptLimit(session, device)) ?? limitsOf(raw).max_a;
    const change = { ...(isPaused ? { maxCurrent: limit } : {}), ...(mode === 'Off' ? { mode: 'On' } : {}) };
    if (Object.keys(change).length > 0) await set(session, device, raw, change);
  },

  async stop_charge(session, device) {
    const raw = await readOnline(session, device);
    if (raw.settings.maxCurrent !== 0 && statusOf(raw).connected !== false) await pause(session, device, raw);
  },
};

const setCurrent: Handlers<'set_current'> = {
  async set_current(session, device, { current_a: maxCurrent }) {
    const raw = await readOnline(session, device);
    if (maxCurrent === 0) await pause(session, device, raw);
    else await set(session, device, raw, { maxCurrent });
  },
};

/** A connector that is reached: one that is offline would obey later, or not at all. */
async function readOnline(session: Session, device: DeviceRef): Promise<ConnectorRaw> {
  const raw = await readConnector(session, device);
  if (statusOf(raw).online) return raw;
  throw new AppError('device.offline', `charger ${device.id} is not connected to Charge Amps`);
}

async function pause(session: Session, device: DeviceRef, raw: ConnectorRaw): Promise<void> {
  const { maxCurrent } = raw.settings;
  await keepLimit(session, device, typeof maxCurrent === 'number' ? maxCurrent : null);
  await set(session, device, raw, { maxCurrent: 0 });
}

/** Settings are sent whole, as they were read but for the change; sending them twice does no harm. */
const set = (session: Session, device: DeviceRef, { details, settings }: ConnectorRaw, change: JsonObject) =>
  api.command(session, device, {
    method: 'PUT',
    path: settingsPath(details),
    json: { ...(settings as JsonObject), ...change },
    repeatable: true,
  });

const api_key = secret({
  en: {
    label: 'API key for Charge Amps',
    hint: 'Charge Amps gives it to owners who ask their support for it; the app does not show it.',
  },
  sv: {
    label: 'API-nyckel till Charge Amps',
    hint: 'Du får den av Charge Amps kundtjänst om du ber om den. Den syns inte i appen.',
  },
});

/** Charge Amps chargers (Halo, Aura, Dawn) through Charge Amps' cloud, one device for each connector. */
export const chargeamps = {
  slug: 'chargeamps',
  name: 'Charge Amps',
  ...password({
    vendor: 'Charge Amps',
    user: 'email',
    fields: { api_key },
    signIn,
    refresh,
    refreshLostWith: [400, 401],
  }),
  hosts: { api: 'https://eapi.charge.space' },
  budgets: [
    limit('calls', {
      calls: 60,
      seconds: 60,
      source: 'what hass-chargeamps makes for six charge points; Charge Amps states no figure',
    }),
  ],
  pace: { active: 60, idle: 300, asleep: 900 },
  simulator: () => import('./simulator.ts'),
  pushes: false,
  pollSeconds: 15,
  link: async (session) => ({
    vendorAccount: accountOf(session.credentials),
    devices: await findConnectors(session),
  }),
  list: findConnectors,
  kinds: {
    charger: kind<connector.ConnectorRaw>({
      read: readConnector,
      status: connector.statusOf,
      unrecognized: connector.unrecognizedIn,
      reads: { read_power: connector.powerOf, read_energy: connector.energyOf },
      energyOfSession: true,
      controls: { charge_control: chargeControl, set_current: setCurrent },
      // Status and settings.
      readCosts: { calls: 2 },
      withholds: connector.withheldFrom,
      whyWithheld: connector.whyWithheld,
      limits: connector.limitsOf,
    }),
  },
} satisfies Adapter;

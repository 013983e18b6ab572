import { type Adapter, kind } from '../../adapter/adapter.ts';
import { accountOf, limit, password, secret } from '../../adapter/kit/index.ts';
import { findConnectors, readConnector, refresh, signIn } from './api.ts';
import { chargeControl, setCurrent } from './commands.ts';
import * as connector from './connector.ts';

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

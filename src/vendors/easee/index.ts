import { type Adapter, kind } from '../../adapter/adapter.ts';
import { accountOf, Credentials, findChargers, readCharger, refresh, signIn } from './client.ts';
import { type ChargerRaw, heardAt } from './observations.ts';
import { chargeControl, limitFor, loadBalancing, setCurrent } from './orders.ts';
import { stream } from './stream.ts';
import { capacityOf, energyOf, limitsOf, powerOf, statusOf } from './translate.ts';
import { words } from './words.ts';

/** Easee chargers (Home, Charge and their successors) through Easee's cloud. */
export const easee = {
  slug: 'easee',
  name: 'Easee',
  credentials: Credentials,
  words,
  hosts: { api: 'https://api.easee.com', streams: 'https://streams.easee.com' },
  login: { signIn, refresh },
  budgets: [
    {
      name: 'calls',
      of: 'link',
      amount: 500,
      seconds: 300,
      unit: 'calls',
      costs: { login: 1, list: 1, read: 1, command: 1 },
      reserve: 0.2,
      source: 'the limit that the client pyeasee uses; Easee publishes no figure for all calls',
    },
    {
      name: 'observations',
      of: 'link',
      amount: 100,
      seconds: 300,
      unit: 'calls',
      costs: { read: 1 },
      reserve: 0.4,
      source: "Easee's reference of Get Observations, as quoted by integrators, since 1 September 2026",
    },
    {
      name: 'commands',
      of: 'link',
      amount: 20,
      seconds: 60,
      unit: 'calls',
      costs: { command: 1 },
      reserve: 0,
      source: "Easee's reference of Change Charger Settings, as quoted by integrators",
    },
    {
      name: 'sites',
      of: 'link',
      amount: 10,
      seconds: 3_600,
      unit: 'calls',
      costs: { list: 1 },
      reserve: 0,
      source: 'the limit that the client pyeasee uses',
    },
  ],
  pace: { active: 60, idle: 300, asleep: 900 },
  stream,
  simulator: () => import('./simulator.ts'),
  pushes: true,
  pollSeconds: 10,
  async link(session) {
    const found = await findChargers(session);
    return {
      vendorAccount: accountOf(session.credentials),
      devices: found.map(({ id, name, site, circuit, ratedA, isAlone }) => ({
        id,
        type: 'charger' as const,
        ...(name === undefined ? {} : { name }),
        details: { site, circuit, rated_a: ratedA, alone: isAlone },
      })),
    };
  },
  kinds: {
    charger: kind<ChargerRaw>({
      read: readCharger,
      status: statusOf,
      observedAt: heardAt,
      reads: { read_power: powerOf, read_energy: energyOf },
      controls: {
        charge_control: chargeControl,
        set_current: setCurrent,
        load_balancing: loadBalancing,
      },
      timed: { set_limit: limitFor },
      // The limits of a device are of both its commands: a shared circuit takes more than one of its chargers, so that a limit
      // set through one could not be taken back.
      withholds: ({ details }) => (details?.alone === true ? [] : ['load_balancing']),
      limits: limitsOf,
      availableCapacity: capacityOf,
    }),
  },
} satisfies Adapter;

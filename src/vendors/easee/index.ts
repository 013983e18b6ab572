import { type Adapter, kind } from '../../adapter/adapter.ts';
import { limit, password, secret, text } from '../../adapter/kit/index.ts';
import {
  type ChargerRaw,
  capacityOf,
  energyOf,
  limitsOf,
  powerOf,
  reportedAt,
  statusOf,
  unrecognizedIn,
} from './charger.ts';
import { accountOf, failure, findChargers, isWrongPassword, readCharger, refresh, signIn } from './client.ts';
import { chargeControl, currentFor, limitFor, loadBalancing, setCurrent } from './commands.ts';
import { stream } from './stream.ts';

const linking = password({
  vendor: 'Easee',
  user: 'email',
  fields: {
    username: text(
      {
        en: {
          label: 'Easee account email',
          hint: 'The one you use in the Easee app. A phone number with its country code works too: +46 70 123 45 67.',
          fault: 'Enter an email address, or a phone number that starts with + and the country code.',
        },
        sv: {
          label: 'E-postadress till ditt Easee-konto',
          hint: 'Den som du använder i Easee-appen. Det går också bra med telefonnummer och landskod: +46 70 123 45 67.',
          fault: 'Skriv en e-postadress, eller ett telefonnummer som börjar med + och landskoden.',
        },
      },
      {
        pattern: '^(\\+[0-9 ]{6,20}|[^\\s@]+@[^\\s@]+)$',
        description: 'Email address of the Easee account, or its phone number with the country code',
      },
    ),
    password: secret(
      {
        en: { label: 'Easee password', hint: 'The one you use in the Easee app.' },
        sv: { label: 'Lösenord till ditt Easee-konto', hint: 'Det som du använder i Easee-appen.' },
      },
      { description: 'Password of the Easee account' },
    ),
  },
  isRefused: isWrongPassword,
  failure,
  signIn,
  refresh,
  refreshLostWith: [400, 401],
});

const PYEASEE = 'the limit that the client pyeasee uses';
const REFERENCE = 'as integrators quote it';

/** Easee chargers (Home, Charge and their successors) through Easee's cloud. */
export const easee = {
  slug: 'easee',
  name: 'Easee',
  ...linking,
  hosts: { api: 'https://api.easee.com', streams: 'https://streams.easee.com' },
  budgets: [
    limit('calls', {
      calls: 500,
      seconds: 300,
      for: ['login', 'list', 'read', 'command'],
      source: `${PYEASEE}; Easee states no figure for all calls`,
    }),
    limit('observations', {
      calls: 100,
      seconds: 300,
      for: ['read'],
      reserve: 0.4,
      source: `Easee's reference of Get Observations ${REFERENCE}, since 1 September 2026`,
    }),
    limit('commands', {
      calls: 20,
      seconds: 60,
      for: ['command'],
      reserve: 0,
      source: `Easee's reference of Change Charger Settings ${REFERENCE}`,
    }),
    limit('sites', { calls: 10, seconds: 3_600, for: ['list'], reserve: 0, source: PYEASEE }),
  ],
  pace: { active: 60, idle: 300, asleep: 900 },
  stream,
  simulator: () => import('./simulator.ts'),
  pushes: true,
  pollSeconds: 10,
  async link(session) {
    return { vendorAccount: accountOf(session.credentials), devices: await findChargers(session) };
  },
  list: findChargers,
  kinds: {
    charger: kind<ChargerRaw>({
      read: readCharger,
      status: statusOf,
      unrecognized: unrecognizedIn,
      observedAt: reportedAt,
      reads: { read_power: powerOf, read_energy: energyOf },
      controls: {
        charge_control: chargeControl,
        set_current: setCurrent,
        load_balancing: loadBalancing,
      },
      timed: { set_current: currentFor, set_limit: limitFor },
      // The limits of a device are of both its commands: a shared circuit takes more than one of its chargers, so that a limit
      // set through one could not be taken back.
      withholds: ({ details }) => (details?.alone === true ? [] : ['load_balancing']),
      limits: limitsOf,
      availableCapacity: capacityOf,
    }),
  },
} satisfies Adapter;

import Type from 'typebox';
import { type Adapter, kind } from '../../adapter/adapter.ts';
import {
  fits,
  followDevices,
  followHub,
  HUB_SILENCE_SECONDS,
  limit,
  password,
  secret,
  text,
} from '../../adapter/kit/index.ts';
import type { Stream } from '../../adapter/stream.ts';
import { accountOf, failure, findChargers, isWrongPassword, readCharger, refresh, signIn } from './client.ts';
import {
  CommandResponse,
  chargeControl,
  currentFor,
  limitFor,
  loadBalancing,
  responseName,
  setCurrent,
} from './commands.ts';
import {
  type ChargerRaw,
  capacityOf,
  emptyRaw,
  energyOf,
  isSilent,
  isWhole,
  limitsOf,
  merged,
  powerOf,
  reportedAt,
  statusOf,
  unrecognizedIn,
  withObservation,
} from './translate.ts';

const Update = Type.Object({ mid: Type.String() });

/** Easee's SignalR hub: what chargers observe, and what they say to commands. */
const stream: Stream = {
  silenceSeconds: HUB_SILENCE_SECONDS,
  async run(session, devices, opened) {
    const chargers = followDevices(session, devices, {
      vendor: 'easee',
      empty: (device) => emptyRaw(device, session.clock.now()),
      isWhole,
      isSilent,
      merged,
      read: (device) => readCharger(session, device),
      seenAt: (raw, now) => ({ ...raw, now }),
    });
    const ending = new AbortController();
    const hub = { vendor: 'Easee', host: 'streams', path: '/hubs/chargers', failure };
    try {
      await followHub(session, {
        ...hub,
        opened(invoke) {
          for (const { id } of devices) invoke('SubscribeWithCurrentState', [id, true]);
          void chargers.readMissing(AbortSignal.any([session.signal, ending.signal]));
          opened();
        },
        invoked(target, args) {
          for (const payload of args) {
            const isUpdate = target === 'ProductUpdate' || target === 'ChargerUpdate';
            if (isUpdate && fits(Update, payload))
              chargers.take(payload.mid, (raw) => withObservation(raw, payload));
            if (target === 'CommandResponse' && fits(CommandResponse, payload))
              session.tell(responseName(payload.serialNumber), payload);
          }
        },
        settled: chargers.report,
        ticked: chargers.reportSilent,
      });
    } finally {
      ending.abort();
    }
  },
};

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

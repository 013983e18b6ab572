import type { SimulatedAnswer, SimulatorOptions, VendorSimulator } from '../../adapter/simulator.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import {
  byPassword,
  listed,
  ofDevice,
  type Refusal,
  type SimulatedCall,
  simulatedVendor,
} from '../../proof/simulation/index.ts';
import {
  addCharger,
  advance,
  arrange,
  modeOf,
  observe,
  type SimulatedCharger,
  type SimulatedInstallation,
} from './simulated-charger.ts';

/** "UserRoles", as bits: who may charge alone, and the owner, who may too. */
export const USER = 1;
const OWNER = 3;

/** The chargers that one user sees. */
export type Home = SimulatedCharger[];

const installationsOf = (home: Home) => [...new Set(home.map(({ installation }) => installation))];

const installationJson = (one: SimulatedInstallation): JsonObject => ({
  Id: one.id,
  Name: `${one.name} (simulated)`,
  InstallationType: 1,
  MaxCurrent: one.maxA,
  // Nulls are left out.
  ...(one.availableA === null
    ? {}
    : {
        AvailableCurrent: Math.min(...one.availableA),
        AvailableCurrentPhase1: one.availableA[0],
        AvailableCurrentPhase2: one.availableA[1],
        AvailableCurrentPhase3: one.availableA[2],
      }),
  AvailableCurrentMode: 0,
  UseLoadBalancing: true,
  Active: true,
  NetworkType: 4,
  CurrentUserRoles: one.roles,
  AuthenticationType: 0,
  MessagingEnabled: true,
});

export const chargerJson = (one: SimulatedCharger): JsonObject => ({
  OperatingMode: modeOf(one),
  IsOnline: one.online,
  Id: one.id,
  MID: one.serial,
  DeviceId: one.serial,
  Name: one.name,
  CreatedOnDate: '2026-01-01T00:00:00',
  CircuitId: `${one.installation.id.slice(0, -4)}c1c1`,
  Active: true,
  CurrentUserRoles: one.roles,
  DeviceType: 4,
  InstallationName: `${one.installation.name} (simulated)`,
  InstallationId: one.installation.id,
  AuthenticationType: 0,
  IsAuthorizationRequired: one.needsAuthorization,
});

const hierarchyOf = ({ id, name, maxA, chargers }: SimulatedInstallation): JsonObject => ({
  Id: id,
  Name: `${name} (simulated)`,
  NetworkType: 4,
  Circuits: [
    {
      Id: `${id.slice(0, -4)}c1c1`,
      Name: '1',
      MaxCurrent: maxA,
      Chargers: chargers.map(({ id: Id, serial, name: Name }) => ({ Id, DeviceId: serial, Name })),
    },
  ],
});

const firmwareOf = ({ id, serial }: SimulatedCharger): JsonObject => ({
  ChargerId: id,
  DeviceId: serial,
  DeviceType: 4,
  CurrentVersion: '2.4.1.8',
  AvailableVersion: '2.4.1.8',
  IsUpToDate: true,
  IsOnline: true,
});

/** No server listens there: the message stream is not simulated. */
const messagingOf = (id: string): JsonObject => ({
  Host: 'zaptec.simulated.invalid',
  Port: 5671,
  UseSSL: true,
  Username: 'simulated',
  Password: 'simulated',
  Topic: id,
  Subscription: 'simulated',
  Type: 0,
});

const CONSTANTS: JsonObject = {
  ChargerOperationModes: {
    Unknown: 0,
    Disconnected: 1,
    Connected_Requesting: 2,
    Connected_Charging: 3,
    Connected_Finished: 5,
  },
  Commands: { StopChargingFinal: 506, ResumeCharging: 507 },
  DeviceTypes: { Unknown: 0, Smart: 1, HomeApm: 3, Apollo: 4 },
  UserRoles: { None: 0, User: 1, Owner: 2, Maintainer: 4, Administrator: 8 },
  ErrorCodes: { Unknown: 500, UnknownCommand: 519, NotSupported: 527, DeviceCommandRejected: 528 },
  Observations: {
    IsOnline: -2,
    Pulse: -1,
    TotalChargePower: 513,
    ChargerOperationMode: 710,
    FinalStopActive: 718,
  },
};

/** An id of the form that Zaptec uses; the numbers stay below 65536. */
const uuid = (place: number, charger: number) =>
  `5a9dec00-0000-4000-8000-${place.toString(16).padStart(8, '0')}${charger.toString(16).padStart(4, '0')}`;

export function usersAt(now: number): Readonly<Record<'home' | 'none' | 'large', Home>> {
  const installation = (place: number, name: string, maxA: number, roles = OWNER): SimulatedInstallation => ({
    id: uuid(place, 0),
    name,
    maxA,
    roles,
    chargers: [],
    availableA: null,
    isManaged: false,
  });
  const charger = (
    at: SimulatedInstallation,
    place: number,
    name: string,
    more: Partial<SimulatedCharger> = {},
  ) => {
    const number = at.chargers.length + 1;
    const serial = `ZAP${String(place * 100 + number).padStart(6, '0')}`;
    return addCharger(
      { id: uuid(place, number), serial, name: `${name} (simulated)`, installation: at, ...more },
      now,
    );
  };
  const shared = installation(2, 'Two cars', 32);
  const garage = installation(3, 'Underground garage', 63);
  const work = installation(4, 'At work', 32, USER);
  const parks = Array.from({ length: 10 }, (_, index) => installation(100 + index, `Car park ${index}`, 125));
  return {
    home: [
      charger(installation(1, 'House', 25), 1, 'House'),
      charger(shared, 2, 'Left'),
      charger(shared, 2, 'Right'),
      charger(garage, 3, 'Place 1', { needsAuthorization: true }),
      charger(garage, 3, 'Place 2', { online: false }),
      charger(work, 4, 'Work'),
    ],
    none: [],
    large: parks.flatMap((park, index) =>
      Array.from({ length: 50 }, (_, place) => charger(park, 100 + index, `Place ${index}-${place}`)),
    ),
  };
}

/** A charger obeys so much later. */
const EFFECT_MS = 1_500;
const PAGE_SIZE = 50;
const MOST_A = 32;

type Call = SimulatedCall<Home>;

/** More than the contract asks of a simulator, for tests of what is peculiar to Zaptec. */
export interface ZaptecSimulator extends VendorSimulator {
  readonly charger: (name: string) => SimulatedCharger;
}

/** Zaptec's cloud, its installations, chargers and the cars at them. Users sign in as `home@zaptec.simulated` and so on. */
export function createSimulator(options: SimulatorOptions): ZaptecSimulator {
  const { clock } = options;
  const users = usersAt(clock.now());
  const later = ({ installation }: SimulatedCharger, effect: () => void) =>
    clock.after(EFFECT_MS, () => {
      advance(installation, clock.now());
      effect();
    });

  function order(charger: SimulatedCharger, { params }: Call): SimulatedAnswer {
    advance(charger.installation, clock.now());
    const mode = modeOf(charger);
    const isPaused = mode === 5 && charger.stopped;
    const { command } = params;
    if (command !== '506' && command !== '507') return rejected(519, 'Unknown command');
    if (!charger.online) return rejected(520);
    if (command === '506' && (mode === 1 || isPaused)) return rejected(528);
    if (command === '507' && !isPaused)
      return rejected(528, 'Charging is not Paused nor Scheduled; Resume command cannot be sent');
    later(charger, () => {
      charger.stopped = command === '506';
    });
    return { status: 200 };
  }

  function authorize(charger: SimulatedCharger): SimulatedAnswer {
    if (!charger.online || !charger.plugged || charger.authorized) return rejected(528);
    later(charger, () => {
      charger.authorized = true;
    });
    return { status: 200 };
  }

  function setCharger(charger: SimulatedCharger, { body }: Call): SimulatedAnswer {
    const { maxChargeCurrent: max = charger.maxA, minChargeCurrent: min = charger.minA } = body;
    if (!isWithin(max, MOST_A) || !isWithin(min, MOST_A)) return rejected(529);
    later(charger, () => Object.assign(charger, { maxA: max, minA: min }));
    return { status: 200 };
  }

  function setInstallation(installation: SimulatedInstallation, { body }: Call): SimulatedAnswer {
    if (installation.isManaged) return rejected(527, 'Cannot update installation when using APM');
    const { availableCurrent: all } = body;
    const phases = [1, 2, 3].map((phase) => body[`availableCurrentPhase${phase}`]);
    const [one, two, three] = all === undefined || all === null ? phases : [all, all, all];
    const most = installation.maxA;
    if (!isWithin(one, most) || !isWithin(two, most) || !isWithin(three, most)) return rejected(503);
    advance(installation, clock.now());
    installation.availableA = [one, two, three];
    return { status: 200 };
  }

  const inPlace =
    (answer: (installation: SimulatedInstallation, call: Call) => SimulatedAnswer) => (call: Call) => {
      const found = installationsOf(call.home).find(({ id }) => id === call.params.id);
      if (found === undefined) return undefined;
      return found.roles === USER ? refusal(403, 'Forbidden') : answer(found, call);
    };
  /** What a user who may only charge cannot ask. */
  const owned = (answer: (charger: SimulatedCharger, call: Call) => SimulatedAnswer) =>
    ofDevice<SimulatedCharger>((charger, call) =>
      charger.roles === USER ? refusal(403, 'Forbidden') : answer(charger, call),
    );
  const signIn = byPassword({
    path: '/oauth/token',
    accessSeconds: 86_399,
    signsInAs: (user) => `${user}@zaptec.simulated`,
    wrong: {
      status: 400,
      json: { error: 'invalid_grant', error_description: 'The user name or password is incorrect.' },
    },
    answer: ({ access, seconds }) => ({ access_token: access, token_type: 'Bearer', expires_in: seconds }),
  });

  const vendor = simulatedVendor<Home, SimulatedCharger>(options, {
    vendor: 'Zaptec',
    users,
    refusal,
    signIn: (context) => ({
      ...signIn(context),
      // Without a token.
      page: ({ method, path }) =>
        method === 'GET' && path === '/api/constants' ? { status: 200, json: CONSTANTS } : undefined,
    }),
    // 10 a second; what comes at once is taken, as long as it is no more in ten.
    limits: [{ calls: 100, seconds: 10, of: 'user' }],
    limited: ({ resetSeconds }) => ({ status: 429, headers: { 'retry-after': String(resetSeconds) } }),
    devices: listed((charger, situation) => arrange(charger, situation, clock.now())),
    routes: {
      'GET /api/installation': ({ home, query }) => paged(installationsOf(home).map(installationJson), query),
      'GET /api/installation/:id': inPlace((installation) => ok(installationJson(installation))),
      'GET /api/installation/:id/hierarchy': inPlace((installation) => ok(hierarchyOf(installation))),
      'GET /api/installation/:id/messagingConnectionDetails': inPlace(({ id }) => ok(messagingOf(id))),
      'GET /api/chargerFirmware/installation/:id': inPlace(({ chargers }) => ok(chargers.map(firmwareOf))),
      'POST /api/installation/:id/update': inPlace(setInstallation),
      'GET /api/chargers': ({ home, query }) => paged(home.map(chargerJson), query),
      'GET /api/chargers/:id': owned((charger) => ok(chargerJson(charger))),
      'GET /api/chargers/:id/state': owned((charger) =>
        ok(
          observe(charger, clock.now()).map(({ id, value, at }) => ({
            ChargerId: charger.id,
            StateId: id,
            Timestamp: timeOf(at),
            ...(value === undefined ? {} : { ValueAsString: value }),
          })),
        ),
      ),
      'POST /api/chargers/:id/SendCommand/:command': owned(order),
      'POST /api/chargers/:id/sendCommand/:command': owned(order),
      'POST /api/chargers/:id/authorizecharge': owned(authorize),
      'POST /api/chargers/:id/update': owned(setCharger),
    },
  });

  return {
    ...vendor,
    charger(name) {
      const found = Object.values(users)
        .flat()
        .find((one) => one.name.startsWith(name));
      if (found === undefined) throw new Error(`the simulator has no charger ${name}`);
      return found;
    },
  };
}

const ok = (json: Json): SimulatedAnswer => ({ status: 200, json });
/** What Zaptec says to what it does not want: a server error with a code. */
const rejected = (Code: number, Details: string | null = null): SimulatedAnswer => ({
  status: 500,
  json: { Code, Details, StackTrace: null },
});
/** 500 is "unknown" among the codes, 512 an unknown object, 533 forbidden. */
const CODES: Readonly<Record<number, number>> = { 403: 533, 404: 512 };
const refusal: Refusal = (status, reason) => ({
  status,
  json: { Code: CODES[status] ?? 500, Details: reason, StackTrace: null },
});
const isWithin = (value: unknown, most: number): value is number =>
  typeof value === 'number' && value >= 0 && value <= most;
/** UTC without a zone, and without zeros at the end. */
const timeOf = (ms: number) => new Date(ms).toISOString().replace(/\.?0*Z$/, '');

function paged(list: readonly JsonObject[], query: URLSearchParams): SimulatedAnswer {
  const size = Number(query.get('PageSize') ?? PAGE_SIZE);
  const start = Number(query.get('PageIndex') ?? 0) * size;
  return ok({ Pages: Math.ceil(list.length / size), Data: list.slice(start, start + size) });
}

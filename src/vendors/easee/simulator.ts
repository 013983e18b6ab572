import type {
  FaultCodes,
  SimulatedAnswer,
  SimulatorOptions,
  VendorSimulator,
} from '../../adapter/simulator.ts';

import type { Json, JsonObject } from '../../core/json.ts';
import {
  byPassword,
  deviceIn,
  type HubClient,
  ofDevice,
  type Refusal,
  type SimulatedCall,
  simulatedHub,
  simulatedVendor,
} from '../../proof/simulation/index.ts';
import {
  chargersAt,
  type Deed,
  hasNothingToDo,
  newCharger,
  observe,
  type SimulatedCharger,
  type SimulatedCircuit,
} from './simulated-charger.ts';

/** The chargers of one user. */
export type Home = SimulatedCharger[];

/** Who has which chargers, on which circuits. */
export function usersAt(now: number): Readonly<Record<'home' | 'none' | 'large', Home>> {
  const circuit = (site: number, id: number, ratedA: number): SimulatedCircuit => ({
    id,
    site,
    ratedA,
    dynamicA: [ratedA, ratedA, ratedA],
  });
  const charger = (id: string, name: string, on: SimulatedCircuit, more: Partial<SimulatedCharger> = {}) =>
    newCharger({ id, name: `${name} (simulated)`, circuit: on, ...more }, now);
  const shared = circuit(55_002, 66_002, 32);
  return {
    home: [
      charger('EH000001', 'Garage', circuit(55_001, 66_001, 20)),
      charger('EH000002', 'Left', shared),
      charger('EH000003', 'Right', shared),
      charger('EC000004', 'Cabin', circuit(55_003, 66_003, 25), { needsAuthorization: true }),
      charger('EC000005', 'Far away', circuit(55_003, 66_004, 16), { isOnline: false }),
    ],
    none: [],
    large: Array.from({ length: 500 }, (_, index) => {
      const on = circuit(70_000 + Math.floor(index / 50), 80_000 + index, 32);
      return charger(`EF${String(index).padStart(6, '0')}`, `Place ${index}`, on);
    }),
  };
}

/** A charger as lists of the API have it. */
export const chargerJson = ({ id, name }: SimulatedCharger) => ({
  id,
  name,
  color: 1,
  createdOn: '2026-01-01T00:00:00Z',
  updatedOn: '2026-01-01T00:00:00Z',
  backPlate: { id: 'simulated', masterBackPlateId: 'simulated' },
  levelOfAccess: 1,
  productCode: 1,
  userRole: 1,
});

const configJson = ({ circuit, isEnabled, needsAuthorization }: SimulatedCharger) => ({
  isEnabled,
  authorizationRequired: needsAuthorization,
  detectedPowerGridType: 1,
  circuitMaxCurrentP1: circuit.ratedA,
  circuitMaxCurrentP2: circuit.ratedA,
  circuitMaxCurrentP3: circuit.ratedA,
  phaseMode: 2,
  localNodeType: 1,
  maxChargerCurrent: 32,
  simulated: true,
});

/** Sites with their circuits and the chargers of one user on them. */
function sitesOf(home: Home) {
  const circuits = [...new Set(home.map(({ circuit }) => circuit))];
  return [...Map.groupBy(circuits, ({ site }) => site)].map(([site, own]) => ({
    id: site,
    name: `Site ${site} (simulated)`,
    levelOfAccess: 1,
    siteKey: 'SIMU-LATE',
    ratedCurrent: 32,
    equalizers: [],
    circuits: own.map((circuit) => ({
      id: circuit.id,
      siteId: site,
      circuitPanelId: 1,
      panelName: '1',
      ratedCurrent: circuit.ratedA,
      useDynamicMaster: false,
      simulated: true,
      chargers: home.filter((charger) => charger.circuit === circuit).map(chargerJson),
    })),
  }));
}

/** The gateway says 403 to addresses that call too much: nobody refused us anything. */
export const faultCodes: FaultCodes = { forbidden: 'vendor.rate_limited' };

/** 100 ns since the year 1, as .NET counts. */
const TICKS_AT_1970 = 621_355_968_000_000_000n;
const DEEDS = {
  start_charging: { type: 'start' },
  stop_charging: { type: 'stop' },
  pause_charging: { type: 'pause' },
  resume_charging: { type: 'resume' },
  reboot: { type: 'reboot' },
} as const satisfies Record<string, Deed>;
const COMMAND_IDS = {
  start: 25,
  stop: 26,
  pause: 48,
  resume: 48,
  dynamic: 48,
  reboot: 1,
  circuit: 22,
} as const;

type Call = SimulatedCall<Home>;

/** More than the contract asks of a simulator, for tests of what is peculiar to Easee. */
export interface EaseeSimulator extends VendorSimulator {
  readonly charger: (id: string) => SimulatedCharger;
  order(charger: SimulatedCharger, deed: Deed, ticks?: bigint): void;
  /** The charger answers the next command with a refusal. */
  refuseNext(): void;
  /** Responses of chargers say other ticks than those that the command was answered with: 100 ns each. */
  shiftTicks(by: bigint): void;
}

/** Easee's cloud, its chargers and the cars at them. Users sign in as `home@easee.simulated` and so on. */
export function createSimulator(options: SimulatorOptions): EaseeSimulator {
  const { clock } = options;
  const users = usersAt(clock.now());
  /** What was last sent of each charger: times and values by the number of the observation. */
  const sent = new Map<HubClient<Home>, Map<SimulatedCharger, Map<number, string>>>();
  const commandIds = new Map<bigint, number>();
  let refusals = 0;
  let serial = 0n;
  let shift = 0n;

  const chargers = chargersAt(clock, {
    changed(circuit) {
      for (const client of sent.keys())
        for (const charger of client.home) if (charger.circuit === circuit) update(client, charger);
    },
    answered(charger, ticks, wasAccepted) {
      const at = timeOf(clock.now());
      const response = {
        serialNumber: charger.id,
        id: commandIds.get(ticks) ?? 0,
        timestamp: at,
        deliveredAt: at,
        wasAccepted,
        resultCode: wasAccepted ? 0 : 3,
        comment: '',
        ticks: exact(ticks + shift),
      };
      commandIds.delete(ticks);
      for (const [client, followed] of sent)
        if (followed.has(charger)) client.invoke('CommandResponse', response);
    },
  });

  function update(client: HubClient<Home>, charger: SimulatedCharger): void {
    const before = sent.get(client)?.get(charger);
    if (before === undefined) return;
    const news = observe(charger, clock.now()).filter(
      ({ id, at, value }) => before.get(id) !== `${at} ${value}`,
    );
    for (const { id, at, value } of news) before.set(id, `${at} ${value}`);
    const updates = news.map(({ at, value, ...one }) => ({
      mid: charger.id,
      ...one,
      timestamp: timeOf(at),
      value: typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value),
      simulated: true,
    }));
    client.invoke('ProductUpdate', ...updates);
  }

  const hub = simulatedHub<Home>({
    ...options,
    invoked(client, target, [id]) {
      if (target !== 'SubscribeWithCurrentState') return `Unknown hub method '${target}'`;
      const charger = client.home.find((one) => one.id === id);
      if (charger === undefined) return 'An unexpected error occurred';
      const followed = sent.get(client) ?? new Map<SimulatedCharger, Map<number, string>>();
      sent.set(client, followed.set(charger, new Map()));
      update(client, charger);
      return undefined;
    },
    ticked(client) {
      for (const charger of client.home) update(client, charger);
    },
    closed: (client) => void sent.delete(client),
  });

  /** Takes an order; undefined when there is nothing to do. */
  function order(charger: SimulatedCharger, deed: Deed): JsonObject | undefined {
    if (hasNothingToDo(charger, deed)) return undefined;
    serial += 1n;
    const ticks = TICKS_AT_1970 + BigInt(clock.now()) * 10_000n + serial;
    commandIds.set(ticks, COMMAND_IDS[deed.type]);
    chargers.order(charger, deed, { ticks, isRefused: refusals > 0 });
    refusals = Math.max(0, refusals - 1);
    return { device: charger.id, commandId: COMMAND_IDS[deed.type], ticks: exact(ticks), simulated: true };
  }
  /** Commands are answered with one object, settings with a list. */
  const ordered = (charger: SimulatedCharger, deed: Deed) =>
    taken(order(charger, deed) ?? { device: charger.id, commandId: COMMAND_IDS[deed.type], ticks: 0 });
  const listed = (charger: SimulatedCharger, deed: Deed) =>
    taken([order(charger, deed)].filter((one) => one !== undefined));

  const limitOf = (amperes: Json | undefined, minutes: Json | undefined = 0): Deed | undefined =>
    isWithin(amperes, 40) && typeof minutes === 'number' ? { type: 'dynamic', amperes, minutes } : undefined;

  function command(charger: SimulatedCharger, { params, body }: Call): SimulatedAnswer | undefined {
    if (params.command === 'set_dynamic_charger_current') {
      const limit = limitOf(body.amps, body.minutes);
      return limit === undefined ? INVALID : ordered(charger, limit);
    }
    const deed = Object.entries(DEEDS).find(([name]) => name === params.command)?.[1];
    if (deed === undefined) return undefined;
    const isOfAuthorization = deed.type === 'start' || deed.type === 'stop';
    if (isOfAuthorization && !charger.needsAuthorization) return FORBIDDEN;
    return ordered(charger, deed);
  }

  const siteOf = (home: Home, id: unknown) => {
    const site = sitesOf(home).find((one) => String(one.id) === String(id));
    return site === undefined ? undefined : ok(site);
  };

  const vendor = simulatedVendor<Home, SimulatedCharger>(options, {
    vendor: 'Easee',
    users,
    refusal,
    signIn: byPassword({
      path: '/api/accounts/login',
      accessSeconds: 3_600,
      fields: { user: 'userName', password: 'password' },
      signsInAs: (user) => `${user}@easee.simulated`,
      wrong: { status: 400, json: { errorCode: 100, errorCodeName: 'InvalidUserPassword' } },
      refresh: { path: '/api/accounts/refresh_token', field: 'refreshToken' },
      answer: ({ access, refresh, seconds }) => ({
        accessToken: access,
        expiresIn: seconds,
        accessClaims: ['User'],
        tokenType: 'Bearer',
        refreshToken: refresh,
        simulated: true,
      }),
    }),
    limits: [
      { calls: 100, seconds: 300, of: 'user', on: /^GET \/state\// },
      { calls: 20, seconds: 60, of: 'user', on: /^POST .*\/(settings|dynamicCurrent)$/ },
    ],
    limited: () => ({ status: 429, headers: { 'retry-after': '60' }, text: 'Too many requests' }),
    stream: hub.open,
    devices: {
      find: (home, { id }) => home.find((charger) => charger.id === id),
      arrange: chargers.arrange,
      reach(charger, isReachable) {
        charger.isOnline = isReachable;
      },
      remove: (home, charger) => void home.splice(home.indexOf(charger), 1),
      add: (home, charger) => void home.push(charger),
    },
    routes: {
      'POST /hubs/chargers/negotiate': ({ request }) => hub.negotiate(request),
      'GET /api/accounts/products': ({ home }) => ok(sitesOf(home)),
      'GET /api/chargers': ({ home }) => ok(home.map(chargerJson)),
      'GET /api/sites': ({ home }) => ok(sitesOf(home).map(({ circuits, equalizers, ...site }) => site)),
      'GET /api/sites/:site': ({ home, params }) => siteOf(home, params.site),
      'GET /api/chargers/:id/site': ofDevice(({ circuit }, { home }) => siteOf(home, circuit.site)),
      'GET /api/chargers/:id/config': ofDevice((charger) => ok(configJson(charger))),
      'GET /state/:id/observations': ofDevice((charger, { query }) => {
        const ids = (query.get('ids') ?? '').split(',').map(Number);
        const all = observe(charger, clock.now()).filter(({ id }) => ids.includes(id));
        const observations = all.map(({ at, ...one }) => ({ ...one, timestamp: timeOf(at) }));
        return ok({ id: charger.id, simulated: true, observations });
      }),
      'POST /api/chargers/:id/settings': ofDevice((charger, { body }) => {
        const limit = limitOf(body.dynamicChargerCurrent);
        return limit === undefined ? INVALID : listed(charger, limit);
      }),
      'POST /api/chargers/:id/commands/:command': ofDevice(command),
      'POST /api/sites/:site/circuits/:circuit/dynamicCurrent': ({ home, params, body }) => {
        const { phase1: p1, phase2: p2, phase3: p3, timeToLive: minutes = 0 } = body;
        const { site, circuit } = params;
        const charger = home.find((one) => `${one.circuit.site}/${one.circuit.id}` === `${site}/${circuit}`);
        if (charger === undefined) return undefined;
        if (!isWithin(p1, 100) || !isWithin(p2, 100) || !isWithin(p3, 100) || typeof minutes !== 'number')
          return INVALID;
        return ordered(charger, { type: 'circuit', amperes: [p1, p2, p3], minutes });
      },
    },
  });

  return {
    ...vendor,
    charger: deviceIn(users),
    order: (charger, deed, ticks = 1n) => chargers.order(charger, deed, { ticks }),
    refuseNext() {
      refusals += 1;
    },
    shiftTicks(by) {
      shift = by;
    },
  };
}

const ok = (json: JsonObject | JsonObject[]): SimulatedAnswer => ({ status: 200, json });
const taken = (json: JsonObject | JsonObject[]): SimulatedAnswer => ({ status: 202, json });
const INVALID: SimulatedAnswer = { status: 400, json: { errorCode: 400, errorCodeName: 'ValidationError' } };
const FORBIDDEN: SimulatedAnswer = { status: 403, json: { errorCode: 106, errorCodeName: 'Forbidden' } };
const timeOf = (ms: number) => new Date(ms).toISOString();
const isWithin = (value: unknown, most: number): value is number =>
  typeof value === 'number' && value >= 0 && value <= most;

/** Ticks have more digits than a number keeps; they are written as they are. */
const exact = (ticks: bigint) =>
  (JSON as unknown as { rawJSON(text: string): number }).rawJSON(String(ticks));

/** The gateway has no code of Easee's own. */
const refusal: Refusal = (status, reason) =>
  status === 403
    ? { status, json: { message: 'Forbidden' } }
    : { status, json: { errorCode: status, errorCodeName: reason.replaceAll(/[^a-z]/gi, '') } };

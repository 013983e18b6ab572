import type { FaultCodes } from '../../adapter/conformance/cloud.ts';
import type { SimulatedAnswer, SimulatorOptions, VendorSimulator } from '../../adapter/simulator.ts';
import type { JsonObject } from '../../core/json.ts';
import {
  byPassword,
  type HubClient,
  type Refusal,
  type SimulatedCall,
  simulatedHub,
  simulatedVendor,
} from '../../simulation/index.ts';
import type { ChargerEvents, Deed, SimulatedCharger } from './simulated-charger.ts';
import { chargerJson, configJson, type Home, homes, sitesOf } from './simulated-homes.ts';

/** The gateway says 403 to addresses that call too much: nobody refused us anything. */
export const faultCodes: FaultCodes = { forbidden: 'vendor.rate_limited' };

const ACCESS_SECONDS = 3_600;
/** 100 ns since the year 1, as .NET counts. */
const TICKS_AT_1970 = 621_355_968_000_000_000n;

const DEEDS: Readonly<Record<string, Deed>> = {
  start_charging: { type: 'start' },
  stop_charging: { type: 'stop' },
  pause_charging: { type: 'pause' },
  resume_charging: { type: 'resume' },
  reboot: { type: 'reboot' },
};
const COMMAND_IDS: Readonly<Record<Deed['type'], number>> = {
  start: 25,
  stop: 26,
  pause: 48,
  resume: 48,
  dynamic: 48,
  reboot: 1,
  circuit: 22,
};

type Call = SimulatedCall<Home>;

/** More than the contract asks of a simulator, for tests of what is peculiar to Easee. */
export interface EaseeSimulator extends VendorSimulator {
  readonly charger: (id: string) => SimulatedCharger;
  /** The charger answers the next command with a refusal. */
  refuseNext(): void;
  /** Responses of chargers say other ticks than those that the command was answered with: 100 ns each. */
  shiftTicks(by: bigint): void;
  /** Ends every stream as a server that is replaced does. */
  closeStreams(): void;
}

/** Easee's cloud, its chargers and the cars at them. Users sign in as `home@easee.simulated` and so on. */
export function createSimulator(options: SimulatorOptions): EaseeSimulator {
  const { clock } = options;
  /** What was last sent of each charger: times and values by the number of the observation. */
  const sent = new Map<HubClient<Home>, Map<string, Map<number, string>>>();
  let refusals = 0;
  let serial = 0n;
  let shift = 0n;

  const events: ChargerEvents = {
    changed(charger) {
      for (const client of sent.keys()) update(client, charger);
    },
    answered(charger, ticks, wasAccepted) {
      const at = new Date(clock.now()).toISOString();
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
      for (const [client, chargers] of sent)
        if (chargers.has(charger.id)) client.invoke('CommandResponse', response);
    },
  };
  const commandIds = new Map<bigint, number>();
  const users = homes({ clock, events });

  function update(client: HubClient<Home>, charger: SimulatedCharger): void {
    const before = sent.get(client)?.get(charger.id);
    if (before === undefined) return;
    const changed = charger.observe().filter(({ id, at, value }) => before.get(id) !== `${at} ${value}`);
    for (const { id, at, value } of changed) before.set(id, `${at} ${value}`);
    const payloads = changed.map(({ id, value, dataType, at }) => ({
      mid: charger.id,
      dataType,
      id,
      timestamp: new Date(at).toISOString(),
      value: typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value),
      simulated: true,
    }));
    client.invoke('ProductUpdate', ...payloads);
  }

  const hub = simulatedHub<Home>({
    ...options,
    invoked(client, target, [id]) {
      if (target !== 'SubscribeWithCurrentState') return `Unknown hub method '${target}'`;
      const charger = client.home.find((one) => one.id === id);
      if (charger === undefined) return 'An unexpected error occurred';
      const chargers = sent.get(client) ?? new Map<string, Map<number, string>>();
      sent.set(client, chargers.set(charger.id, new Map()));
      update(client, charger);
      return undefined;
    },
    ticked(client) {
      for (const charger of client.home) update(client, charger);
    },
    closed: (client) => void sent.delete(client),
  });

  /** Takes an order. `shape` is how the path answers: one object for a command, a list for settings. */
  function order(charger: SimulatedCharger, deed: Deed, shape: 'one' | 'list' = 'one'): SimulatedAnswer {
    const commandId = COMMAND_IDS[deed.type];
    const answer = (ticks: bigint) => ({
      device: charger.id,
      commandId,
      ticks: exact(ticks),
      simulated: true,
    });
    if (charger.hasNothingToDo(deed)) return { status: 202, json: shape === 'list' ? [] : answer(0n) };
    serial += 1n;
    const ticks = TICKS_AT_1970 + BigInt(clock.now()) * 10_000n + serial;
    commandIds.set(ticks, commandId);
    if (refusals > 0) {
      refusals -= 1;
      charger.refuse(ticks);
    } else charger.order(deed, ticks);
    return { status: 202, json: shape === 'list' ? [answer(ticks)] : answer(ticks) };
  }

  function dynamicCurrent(charger: SimulatedCharger, amps: unknown, minutes: unknown, shape: 'one' | 'list') {
    if (typeof amps !== 'number' || amps < 0 || amps > 40 || typeof minutes !== 'number') return INVALID;
    return order(charger, { type: 'dynamic', amperes: amps, minutes }, shape);
  }

  function command({ params, body }: Call, charger: SimulatedCharger): SimulatedAnswer | undefined {
    if (params.command === 'set_dynamic_charger_current')
      return dynamicCurrent(charger, body.amps, body.minutes ?? 0, 'one');
    const deed = DEEDS[params.command ?? ''];
    if (deed === undefined) return undefined;
    // Authorization where none is asked for.
    if ((deed.type === 'start' || deed.type === 'stop') && !charger.needsAuthorization)
      return { status: 403, json: { errorCode: 106, errorCodeName: 'Forbidden' } };
    return order(charger, deed);
  }

  function circuitLimit({ home, params, body }: Call): SimulatedAnswer | undefined {
    const charger = home.find(
      ({ circuit }) => String(circuit.site) === params.site && String(circuit.id) === params.circuit,
    );
    const { phase1: p1, phase2: p2, phase3: p3, timeToLive: minutes = 0 } = body;
    if (charger === undefined) return undefined;
    if (!isAmperes(p1) || !isAmperes(p2) || !isAmperes(p3) || typeof minutes !== 'number') return INVALID;
    return order(charger, { type: 'circuit', amperes: [p1, p2, p3], minutes });
  }

  /** Answers about the charger that the path names; none of this home is not known. */
  const ofCharger =
    (answer: (call: Call, charger: SimulatedCharger) => SimulatedAnswer | undefined) => (call: Call) => {
      const charger = call.home.find(({ id }) => id === call.params.id);
      return charger === undefined ? undefined : answer(call, charger);
    };

  const vendor = simulatedVendor<Home, SimulatedCharger>(options, {
    vendor: 'Easee',
    users,
    refusal,
    signIn: byPassword({
      path: '/api/accounts/login',
      accessSeconds: ACCESS_SECONDS,
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
    limited: { status: 429, headers: { 'retry-after': '60' }, text: 'Too many requests' },
    stream: hub.open,
    devices: {
      find: (home, { id }) => home.find((charger) => charger.id === id),
      arrange: (charger, situation) => charger.arrange(situation),
      reach: (charger, isReachable) => charger.setOnline(isReachable),
      remove: (home, charger) => void home.splice(home.indexOf(charger), 1),
    },
    routes: {
      'POST /hubs/chargers/negotiate': ({ request }) => hub.negotiate(request),
      'GET /api/accounts/products': ({ home }) => ok(sitesOf(home)),
      'GET /api/chargers': ({ home }) => ok(home.map(chargerJson)),
      'GET /api/sites': ({ home }) => ok(sitesOf(home).map(({ circuits, equalizers, ...site }) => site)),
      'GET /api/sites/:site': ({ home, params }) => {
        const site = sitesOf(home).find(({ id }) => String(id) === params.site);
        return site === undefined ? undefined : ok(site);
      },
      'GET /api/chargers/:id/site': ofCharger(({ home }, { circuit }) =>
        ok(sitesOf(home).find(({ id }) => id === circuit.site) ?? {}),
      ),
      'GET /api/chargers/:id/config': ofCharger((_call, charger) => ok(configJson(charger))),
      'GET /state/:id/observations': ofCharger(({ query }, charger) => {
        const ids = new Set((query.get('ids') ?? '').split(',').map(Number));
        const observations = charger.observe().filter(({ id }) => ids.has(id));
        return ok({
          id: charger.id,
          simulated: true,
          observations: observations.map(({ at, ...one }) => ({
            ...one,
            timestamp: new Date(at).toISOString(),
          })),
        });
      }),
      'POST /api/chargers/:id/settings': ofCharger(({ body }, charger) =>
        dynamicCurrent(charger, body.dynamicChargerCurrent, 0, 'list'),
      ),
      'POST /api/chargers/:id/commands/:command': ofCharger(command),
      'POST /api/sites/:site/circuits/:circuit/dynamicCurrent': circuitLimit,
    },
  });

  return {
    ...vendor,
    charger(id) {
      const found = Object.values(users)
        .flat()
        .find((one) => one.id === id);
      if (found === undefined) throw new Error(`the simulator has no charger ${id}`);
      return found;
    },
    refuseNext() {
      refusals += 1;
    },
    shiftTicks(by) {
      shift = by;
    },
    closeStreams: () => hub.closeAll(),
  };
}

const ok = (json: JsonObject | JsonObject[]): SimulatedAnswer => ({ status: 200, json });
const INVALID: SimulatedAnswer = { status: 400, json: { errorCode: 400, errorCodeName: 'ValidationError' } };
const isAmperes = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= 100;

/** Ticks have more digits than a number keeps; they are written as they are. */
const exact = (ticks: bigint) =>
  (JSON as unknown as { rawJSON(text: string): number }).rawJSON(String(ticks));

/** The gateway has no code of Easee's own. */
const refusal: Refusal = (status, reason) =>
  status === 403
    ? { status, json: { message: 'Forbidden' } }
    : { status, json: { errorCode: status, errorCodeName: reason.replaceAll(/[^a-z]/gi, '') } };

import { kindOf, send, stateOf } from '../../adapter/adapters.ts';
import type { Command } from '../../adapter/commands.ts';
import type { AvailableCapacity, DeviceState, DeviceType } from '../../adapter/device.ts';
import { CAPABILITIES } from '../../adapter/fields.ts';
import { type DeviceRef, type Documents, type Session, WITHOUT_CALLS } from '../../adapter/session.ts';
import type { Situation } from '../../adapter/simulator.ts';
import { type TurnedClock, turnedClock } from '../../core/clock.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { silentLog } from '../../core/log.ts';
import type { Simulator } from '../../proof/conformance/index.ts';
import { sandbox } from './index.ts';
import { CHARGE_LIMITS, PLANT_LIMITS } from './models/model.ts';

/** One linked sandbox account, with its documents in memory and a clock that the test advances. */
export interface World {
  readonly clock: TurnedClock;
  readonly documents: Map<string, Json>;
  /** The number of writes. */
  writes(): number;
  session(signal?: AbortSignal): Session;
  device(type: DeviceType): Promise<DeviceRef>;
  state(device: DeviceRef): Promise<DeviceState>;
  capacity(device: DeviceRef): Promise<AvailableCapacity | undefined>;
  send(device: DeviceRef, command: Command): Promise<void>;
  conditions(device: DeviceRef, conditions: JsonObject): Promise<unknown>;
  pass(seconds: number): void;
}

interface WorldOptions {
  readonly start?: number;
  readonly credentials?: JsonObject;
  readonly userRef?: string;
}

export function world({ start, credentials = {}, userRef = 'user-1' }: WorldOptions = {}): World {
  const clock = turnedClock(start);
  const linkedAt = clock.now();
  const stored = new Map<string, Json>();
  let writes = 0;
  const documents: Documents = {
    get: async (name) => structuredClone(stored.get(name)),
    put: async (name, value) => {
      writes += 1;
      stored.set(name, structuredClone(value));
    },
    remove: async (name) => {
      stored.delete(name);
    },
  };
  const session = (signal = new AbortController().signal): Session => ({
    account: 1,
    link: 'link-1',
    userRef,
    linkedAt,
    credentials,
    clock,
    log: silentLog,
    documents,
    signal,
    ...WITHOUT_CALLS,
  });
  return {
    clock,
    documents: stored,
    writes: () => writes,
    session,
    async device(type) {
      const found = (await sandbox.link(session())).devices.find((device) => device.type === type);
      if (found === undefined) throw new Error(`the account has no ${type}`);
      return { account: 1, link: 'link-1', id: found.id, type, details: found.details ?? {} };
    },
    async state(device) {
      const kind = kindOf(sandbox, device.type);
      const raw = await kind.read(session(), device);
      return stateOf(kind, raw, CAPABILITIES);
    },
    async capacity(device) {
      const kind = kindOf(sandbox, device.type);
      return kind.availableCapacity?.(await kind.read(session(), device));
    },
    send: (device, command) => send(kindOf(sandbox, device.type), session(), device, command),
    conditions: (device, conditions) => sandbox.conditions.apply(session(), device, conditions),
    pass: (seconds) => clock.turn(seconds * 1_000),
  };
}

const CAR_AT_HALF = { online: true, plugged_in: true, battery_soc: 50 };

/** Brings a device into each situation by conditions, commands and time only. */
const ARRANGE: { readonly [S in Situation]: (world: World, device: DeviceRef) => Promise<void> } = {
  off: (world, device) => world.send(device, { type: 'turn_off' }),
  on: (world, device) => world.send(device, { type: 'turn_on' }),
  async plugged_in(world, device) {
    await world.conditions(device, CAR_AT_HALF);
    await world.send(device, { type: 'stop_charge' });
  },
  async charging(world, device) {
    await world.conditions(device, CAR_AT_HALF);
    await world.send(device, { type: 'set_current', current_a: CHARGE_LIMITS.max_a });
    await world.send(device, { type: 'start_charge' });
  },
  balancing: (world, device) => BALANCING[device.type](world, device),
  async cold(world, device) {
    await world.send(device, { type: 'set_temperature', target_milli_c: 5_000 });
    world.pass(2 * 86_400);
  },
  async battery_idle(world, device) {
    await world.conditions(device, { online: true, battery_soc: 50 });
    await world.send(device, { type: 'set_battery_power', power_w: 0 });
  },
  battery_automatic: (_world, device) => Promise.reject(new Error(`${device.type} never runs by itself`)),
  async program_ready(world, device) {
    await world.send(device, { type: 'turn_on' });
    await world.send(device, { type: 'stop_program' });
  },
  async program_running(world, device) {
    await world.send(device, { type: 'turn_on' });
    await world.send(device, { type: 'stop_program' });
    await world.send(device, { type: 'start_program' });
  },
};

const cannot = (_world: World, device: DeviceRef) =>
  Promise.reject(new Error(`${device.type} balances nothing`));

const BALANCING: { readonly [T in DeviceType]: (world: World, device: DeviceRef) => Promise<void> } = {
  vehicle: cannot,
  async charger(world, device) {
    await world.conditions(device, { online: true, plugged_in: false });
    await world.send(device, { type: 'set_limit', max_a: CHARGE_LIMITS.max_a });
  },
  heat_pump: cannot,
  thermostat: cannot,
  solar_inverter: cannot,
  battery: cannot,
  smart_home_appliance: cannot,
  light: cannot,
  elevator: cannot,
  industrial: (world, device) => world.send(device, { type: 'set_limit', max_w: PLANT_LIMITS.max_w }),
};

/** The sandbox for the conformance check: each situation starts from a newly linked device. */
export function simulatorForTest(): Simulator {
  const here = world();
  return {
    credentials: {},
    session: () => here.session(),
    async arrange(device, situation) {
      here.documents.clear();
      await ARRANGE[situation](here, device);
    },
    async intervene(device, _code, isNeeded) {
      await here.conditions(device, { remote_start_allowed: !isNeeded });
      return true;
    },
    async pass(seconds) {
      here.pass(seconds);
    },
  };
}

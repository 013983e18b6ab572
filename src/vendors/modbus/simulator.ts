import {
  DEVICE_FAULTS,
  type DeviceFault,
  type LocalSimulator,
  type LocalSimulatorOptions,
} from '../../adapter/simulator.ts';
import {
  ILLEGAL_ADDRESS,
  ILLEGAL_VALUE,
  NO_TARGET,
  type SimulatedTable,
  speakModbus,
} from '../../proof/simulation/index.ts';
import type { RegisterMap } from './schemas.ts';

export const usualPort = 502;

const MODEL = 4_711;
const SERIAL = 20_260_042;
const NO_LIMIT = 0xffff_ffff;
const HOUR_MS = 3_600_000;
const MACHINE_W = 1_500;
const PUMP_W = 900;
/** What the room of the heat pump takes to come near to its target. */
const ROOM_MS = 2 * HOUR_MS;

/** A hall with a machine (unit 1) and its heat pump (unit 2), whose maker was not sure of the order of words. */
export const HALL = {
  proof: { address: 0, equals: MODEL },
  serial: { address: 1, type: 'uint32' },
  devices: [
    {
      id: 'machine',
      name: 'Machine (simulated)',
      registers: [
        { address: 100, type: 'int32', word_order: 'little', scale: 0.1, unit: 'W', fills: 'read_power' },
        { address: 102, type: 'uint64', scale: 0.001, unit: 'kWh', fills: 'read_energy' },
        { address: 106, type: 'float32', unit: 'kW', fills: 'read_production' },
        {
          address: 108,
          type: 'uint16',
          byte_order: 'little',
          scale: 0.01,
          unit: 'K',
          fills: 'read_temperature',
          absent_values: [0xffff],
        },
        { address: 7, table: 'input', unit: '%', fills: 'read_battery_soc', absent_values: [0xffff] },
        { address: 3, table: 'discrete', fills: 'power_on' },
      ],
      writes: [
        { command: 'turn_on', table: 'coil', address: 3, value: 1 },
        { command: 'turn_off', table: 'coil', address: 3, value: 0 },
        { command: 'set_temperature', address: 120, type: 'int16', scale: 0.1, min: 5, max: 30 },
        {
          command: 'set_limit',
          address: 122,
          type: 'uint32',
          word_order: 'little',
          unit: 'kW',
          scale: 0.01,
          min: 0.5,
          max: 10,
          release: 0xffff_ffff,
        },
      ],
      blocks: [{ address: 100, count: 9 }],
    },
    {
      id: 'heat_pump',
      name: 'Heat pump (simulated)',
      type: 'heat_pump',
      unit: 2,
      registers: [
        { address: 10, bit: 4, fills: 'power_on' },
        { address: 11, type: 'uint16', fills: 'read_power', absent_values: [0xffff] },
        { address: 12, type: 'float64', word_order: 'little', unit: 'kWh', fills: 'read_energy' },
        {
          address: 16,
          type: 'int16',
          scale: 0.1,
          unit: 'C',
          fills: 'read_temperature',
          absent_values: [-32_768],
        },
      ],
      writes: [
        { command: 'turn_on', address: 20, value: 3, many: true },
        { command: 'turn_off', address: 20, value: 1, many: true },
        { command: 'set_temperature', address: 21, scale: 0.1, min: 10, max: 30 },
      ],
    },
  ],
} satisfies RegisterMap;

interface Machine {
  isOn: boolean;
  /** Watt while it is on and nothing limits it. */
  readonly watt: number;
  limit: number | null;
  wattHours: number;
  roomC: number;
  targetC: number;
  at: number;
}

/** More than the contract asks of a simulator, for tests of what is peculiar to register maps. */
export interface SimulatedHall extends LocalSimulator {
  /** Requests that read, in order: `1 holding 100 9` is unit, table, address and count. */
  readonly reads: string[];
}

export function createLocalSimulator({ clock, address }: LocalSimulatorOptions): SimulatedHall {
  const newMachine = (watt: number): Machine => ({
    ...{ isOn: true, watt, limit: null, wattHours: 12_345_000, roomC: 17, targetC: 17 },
    at: clock.now(),
  });
  const machine = newMachine(MACHINE_W);
  const pump = newMachine(PUMP_W);
  const reads: string[] = [];
  const written: string[] = [];
  let fault: DeviceFault | null = null;

  const wattOf = ({ isOn, watt, limit }: Machine) => (isOn ? Math.min(watt, limit ?? watt) : 0);

  function settle(one: Machine): Machine {
    const now = clock.now();
    const passed = now - one.at;
    one.wattHours += (wattOf(one) * passed) / HOUR_MS;
    if (one.isOn) one.roomC += (one.targetC - one.roomC) * (1 - Math.exp(-passed / ROOM_MS));
    one.at = now;
    return one;
  }

  /** All registers of a unit, by table and address. The bytes are written out here, not by what reads them. */
  function registersOf(unit: number): ReadonlyMap<string, number> {
    const all = new Map<string, number>();
    const put = (from: number, bytes: Buffer) => {
      for (let at = 0; at < bytes.length; at += 2)
        all.set(`holding ${from + at / 2}`, bytes.readUInt16BE(at));
    };
    const bytes = (length: number, fill: (one: Buffer) => void) => {
      const one = Buffer.alloc(length);
      fill(one);
      return one;
    };
    const word = (number: number) => bytes(2, (one) => one.writeUInt16BE(number));
    /** The low word first. */
    const swapped = (one: Buffer) => Buffer.from(one).swap16().reverse();
    const isUnknown = fault === 'unknown_values';
    put(0, word(fault === 'wrong_device' ? MODEL + 1 : MODEL));
    put(
      1,
      bytes(4, (one) => one.writeUInt32BE(SERIAL)),
    );
    if (unit === 1) {
      const { isOn, limit, wattHours, roomC, targetC } = settle(machine);
      put(100, swapped(bytes(4, (one) => one.writeInt32BE(Math.round(wattOf(machine) * 10)))));
      put(
        102,
        bytes(8, (one) => one.writeBigUInt64BE(BigInt(Math.round(wattHours)))),
      );
      put(
        106,
        bytes(4, (one) => one.writeFloatBE(isUnknown ? Number.NaN : 0.25)),
      );
      put(
        108,
        bytes(2, (one) => one.writeUInt16LE(isUnknown ? 0xffff : Math.round((roomC + 273.15) * 100))),
      );
      put(120, word(Math.round(targetC * 10)));
      put(
        122,
        swapped(bytes(4, (one) => one.writeUInt32BE(limit === null ? NO_LIMIT : Math.round(limit / 10)))),
      );
      all.set('input 7', isUnknown ? 0xffff : 55);
      return all.set('discrete 3', isOn ? 1 : 0).set('coil 3', isOn ? 1 : 0);
    }
    const { isOn, wattHours, roomC, targetC } = settle(pump);
    put(10, word(isOn ? 0b1_0000 : 0));
    put(11, word(isUnknown ? 0xffff : wattOf(pump)));
    put(12, swapped(bytes(8, (one) => one.writeDoubleBE(isUnknown ? Number.NaN : wattHours / 1_000))));
    put(
      16,
      bytes(2, (one) => one.writeInt16BE(isUnknown ? -32_768 : Math.round(roomC * 10))),
    );
    put(20, word(isOn ? 3 : 1));
    put(21, word(Math.round(targetC * 10)));
    return all;
  }

  function write(unit: number, table: SimulatedTable, from: number, words: readonly number[]): number {
    const [first = 0, second = 0] = words;
    const one = settle(unit === 1 ? machine : pump);
    switch (`${unit} ${table} ${from} ${words.length}`) {
      case '1 coil 3 1':
        one.isOn = first === 1;
        return 0;
      case '2 holding 20 1':
        if (first !== 1 && first !== 3) return ILLEGAL_VALUE;
        one.isOn = first === 3;
        return 0;
      case '1 holding 120 1':
      case '2 holding 21 1':
        one.targetC = first / 10;
        return 0;
      case '1 holding 122 2': {
        const number = first + second * 0x1_0000;
        one.limit = number === NO_LIMIT ? null : number * 10;
        return 0;
      }
      default:
        return ILLEGAL_ADDRESS;
    }
  }

  return {
    credentials: { ...address, preset: 'custom', ...structuredClone(HALL) },
    faults: DEVICE_FAULTS,
    reads,
    fault(next) {
      fault = next;
    },
    arrange({ type }, situation) {
      const one = settle(type === 'industrial' ? machine : pump);
      Object.assign(one, { isOn: situation !== 'off', limit: null, roomC: 17, targetC: 17 });
    },
    commands: () => written,
    accept: (socket) =>
      speakModbus(socket, {
        read({ unit, table, address: from, count }) {
          reads.push(`${unit} ${table} ${from} ${count}`);
          if (unit !== 1 && unit !== 2) return NO_TARGET;
          if (fault === 'exception') return ILLEGAL_ADDRESS;
          const all = registersOf(unit);
          const found = Array.from({ length: count }, (_, index) => all.get(`${table} ${from + index}`));
          return found.every((word) => word !== undefined) ? found : ILLEGAL_ADDRESS;
        },
        write({ unit, table, address: from, words }) {
          written.push(`write ${unit} ${table} ${from} = ${words.join(' ')}`);
          if (fault === 'exception') return ILLEGAL_ADDRESS;
          return write(unit, table, from, words);
        },
      }),
  };
}

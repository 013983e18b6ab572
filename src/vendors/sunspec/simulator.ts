import type { Duplex } from 'node:stream';
import {
  DEVICE_FAULTS,
  type DeviceFault,
  type LocalSimulator,
  type LocalSimulatorOptions,
} from '../../adapter/simulator.ts';
import type { ModelId } from './layout.ts';
import { devices, type SimulatedDevice } from './simulated-devices.ts';
import { arrangePlant, layOut, newPlant, type SimulatedModel, settle } from './simulated-registers.ts';

export const usualPort = 502;

const HEADER = 7;
const EXCEPTION = 0x80;
const ILLEGAL_FUNCTION = 1;
const ILLEGAL_ADDRESS = 2;
const ILLEGAL_VALUE = 3;
const NO_TARGET = 11;
const MOST_READ = 125;

/** The device that is simulated unless another one is wanted: a hybrid inverter with a battery and a meter, as Fronius makes them. */
export const createLocalSimulator = (options: LocalSimulatorOptions) =>
  createSunSpec(options, devices.hybrid);

/** What tests look at besides. */
export interface SimulatedSunSpec extends LocalSimulator {
  readonly unit: number;
  /** Reads as they came: first address and count. */
  readonly reads: (readonly [address: number, count: number])[];
  /** Registers as a reader sees them now; undefined where there are none. */
  registers(address: number, count: number): Buffer | undefined;
  /** Its firmware has changed: one model is longer by so many registers. */
  lengthen(id: ModelId, by: number): void;
  /** Another device of the same make has its address now. */
  rename(serial: string): void;
  /** Other registers stand for all of its own from now on. */
  replace(registers: (address: number, count: number) => Buffer | undefined): void;
}

/** A SunSpec device: Modbus on one side, a plant that obeys its control models on the other. */
export function createSunSpec(
  { clock, address }: Pick<LocalSimulatorOptions, 'clock' | 'address'>,
  device: SimulatedDevice,
): SimulatedSunSpec {
  const plant = newPlant(clock.now(), device);
  const settings = device.settings();
  const written: string[] = [];
  const reads: (readonly [number, number])[] = [];
  const longer = new Map<ModelId, number>();
  let fault: DeviceFault | null = null;
  let serial: string | undefined;
  let registersAt = (from: number, count: number) => layOut(device.base, models()).read(from, count);

  function models(): SimulatedModel[] {
    settle(plant, clock.now());
    device.afterTime(settings, plant);
    return device.models(plant, settings).map((model) => {
      const { id, values, groups } = model;
      const more = longer.get(id);
      if (id === 1 && serial !== undefined) return { ...model, values: { ...values, SN: serial } };
      if (fault === 'unknown_values' && id !== 1) return { ...model, ...unknown(id, values, groups) };
      return more === undefined ? model : { ...model, length: (model.length ?? device.lengthOf(id)) + more };
    });
  }

  /** Nothing that is measured is there, and states are ones that nobody knows. */
  const unknown = (id: ModelId, values: SimulatedModel['values'], groups: SimulatedModel['groups']) => ({
    values: Object.fromEntries(
      Object.entries(values).flatMap(([name, value]): [string, number | string][] => {
        if (/^(?:St|InvSt|ChaSt|Sta)$/.test(name)) return [[name, 77]];
        return /_SF$|^N$|^NPrt$/.test(name) || device.isSetting(id, name) ? [[name, value]] : [];
      }),
    ),
    ...(groups === undefined ? {} : { groups: groups.map(() => ({})) }),
  });

  function answer(request: Buffer): readonly number[] {
    const [code = 0] = request.subarray(HEADER);
    const refuse = (exception: number) => [code | EXCEPTION, exception];
    if (request[HEADER - 1] !== device.unit) return refuse(NO_TARGET);
    const [from, count] = [request.readUInt16BE(HEADER + 1), request.readUInt16BE(HEADER + 3)];
    if (code === 16) {
      const registers = request.subarray(HEADER + 6);
      written.push(`write ${from} = ${registers.toString('hex')}`);
      // As where control over Modbus is switched off.
      if (fault === 'exception') return refuse(ILLEGAL_FUNCTION);
      const changes = layOut(device.base, models()).written(from, registers);
      if (changes === undefined) return refuse(ILLEGAL_ADDRESS);
      const isTaken = device.change(settings, plant, changes);
      return isTaken ? [...request.subarray(HEADER, HEADER + 5)] : refuse(ILLEGAL_VALUE);
    }
    if (code !== 3) return refuse(ILLEGAL_FUNCTION);
    reads.push([from, count]);
    if (fault === 'exception') return refuse(ILLEGAL_FUNCTION);
    if (count > MOST_READ || count === 0) return refuse(ILLEGAL_VALUE);
    // A meter of another maker: it has registers, and they say nothing of SunSpec.
    const registers = fault === 'wrong_device' ? Buffer.alloc(count * 2) : registersAt(from, count);
    return registers === undefined ? refuse(ILLEGAL_ADDRESS) : [3, registers.length, ...registers];
  }

  return {
    credentials: { ...address, unit: device.unit },
    faults: DEVICE_FAULTS,
    unit: device.unit,
    reads,
    fault(next) {
      fault = next;
    },
    arrange(_device, situation) {
      settle(plant, clock.now());
      Object.assign(settings, device.settings());
      arrangePlant(plant, situation);
    },
    commands: () => written,
    registers: (from, count) => registersAt(from, count),
    replace(registers) {
      registersAt = registers;
    },
    rename(name) {
      serial = name;
    },
    lengthen: (id, by) => void longer.set(id, by),
    accept: (socket) => serveFrames(socket, answer),
  };
}

/** Requests come in any pieces; each is answered in its turn. */
function serveFrames(socket: Duplex, answer: (request: Buffer) => readonly number[]): void {
  let received = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= HEADER) {
      const length = received.readUInt16BE(4) + HEADER - 1;
      if (received.length < length) return;
      const request = received.subarray(0, length);
      received = received.subarray(length);
      const content = answer(request);
      const head = Buffer.from(request.subarray(0, HEADER));
      head.writeUInt16BE(content.length + 1, 4);
      socket.write(Buffer.concat([head, Buffer.from(content)]));
    }
  });
}

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { openLocalVendor } from '../../../test/kit/local-vendor.ts';
import type { Adapter } from '../../adapter/adapter.ts';
import { capabilitiesOf, send, stateOf } from '../../adapter/adapters.ts';
import type { Command, SetPointType } from '../../adapter/commands.ts';
import type { DeviceType } from '../../adapter/device.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import { sunspec } from './index.ts';
import { devices } from './simulated-devices.ts';
import { createSunSpec, type SimulatedSunSpec } from './simulator.ts';

/** A definition of the SunSpec Alliance, as far as it is recorded. */
export interface DefinedPoint {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly sf?: string | number;
  readonly units?: string;
  readonly access?: string;
  readonly symbols?: readonly { readonly name: string; readonly value: number }[];
}

interface DefinedGroup {
  readonly name: string;
  readonly count?: string | number;
  readonly points: readonly DefinedPoint[];
  readonly groups?: readonly DefinedGroup[];
}

interface Definition {
  readonly id: number;
  readonly group: DefinedGroup;
}

/** One on each line; names, types and places alone. */
export const definitions: readonly Definition[] = readFileSync(
  new URL('definitions.jsonl', import.meta.url),
  'utf8',
)
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line));

export interface AtPoint extends DefinedPoint {
  /** Registers from the header of the model, or the start of the group. */
  readonly at: number;
}

/** The points of a definition with their places, read here once more: each is behind the one before. */
export function placed(points: readonly DefinedPoint[], begin = 0): AtPoint[] {
  return points.map((point, index) => ({
    ...point,
    at: begin + points.slice(0, index).reduce((sum, { size }) => sum + size, 0),
  }));
}

/** Where a point of a model is, in registers from its header. */
export function offsetOf(id: number, name: string): number {
  const definition = definitions.find((one) => one.id === id);
  const found = placed(definition?.group.points ?? []).find((point) => point.name === name);
  if (found === undefined) throw new Error(`${name} of model ${id} is not recorded`);
  return found.at;
}

export type Name = keyof typeof devices;

/** A simulated device on a port, what linking finds of it, and ways to work with that. */
export async function met(test: TestContext, name: Name) {
  let device: SimulatedSunSpec | undefined;
  const load = async () => ({
    createLocalSimulator(options: Parameters<typeof createSunSpec>[0]) {
      device = createSunSpec(options, devices[name]);
      return device;
    },
  });
  const vendor = await openLocalVendor(sunspec, load);
  test.after(() => vendor.close());
  assert.ok(device !== undefined);
  const { simulator } = vendor;
  const session = (credentials = simulator.credentials): Session => ({ ...simulator.session(), credentials });
  const { devices: found } = await sunspec.link(session());
  const refOf = (type: DeviceType): DeviceRef => {
    const one = found.find((each) => each.type === type);
    assert.ok(one !== undefined, `${name} has no ${type}`);
    return { account: 1, link: 'link-1', id: one.id, type, details: one.details ?? {} };
  };
  const kindOf = (type: DeviceType) => {
    const kind = (sunspec as Adapter).kinds[type];
    assert.ok(kind !== undefined);
    return kind;
  };
  return {
    ...vendor,
    device,
    found,
    session,
    refOf,
    kindOf,
    stateOf: async (type: DeviceType) => {
      const ref = refOf(type);
      return stateOf(
        kindOf(type),
        await kindOf(type).read(session(), ref),
        capabilitiesOf(kindOf(type), ref),
      );
    },
    send: (type: DeviceType, command: Command) => send(kindOf(type), session(), refOf(type), command),
    release: async (type: DeviceType, command: SetPointType) => {
      const setPoint = kindOf(type).setPoints?.[command];
      assert.ok(setPoint !== undefined, `${type} has no set-point of ${command}`);
      await setPoint.release(session(), refOf(type));
    },
    /** Writes since the last time. */
    writes: () => device?.commands().slice() ?? [],
  };
}

/** Where a model begins, by the chain as a reader without the adapter finds it. */
export function addressOf(device: SimulatedSunSpec, base: number, wanted: number): number {
  let address = base + 2;
  for (let count = 0; count < 50; count += 1) {
    const header = device.registers(address, 2);
    assert.ok(header !== undefined);
    if (header.readUInt16BE(0) === wanted) return address;
    address += 2 + header.readUInt16BE(2);
  }
  throw new Error(`the device has no model ${wanted}`);
}

export const failure = async (work: Promise<unknown>): Promise<AppError> => {
  const error: unknown = await work.then(
    () => new Error('it did not fail'),
    (cause: unknown) => cause,
  );
  assert.ok(error instanceof AppError, String(error));
  return error;
};

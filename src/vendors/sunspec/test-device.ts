import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { openLocalVendor } from '../../../test/kit/local-vendor.ts';
import type { Adapter } from '../../adapter/adapter.ts';
import type { Command } from '../../adapter/commands.ts';
import { capabilitiesOf, stateOf } from '../../adapter/derive.ts';
import type { DeviceType } from '../../adapter/device.ts';
import { send } from '../../adapter/send.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import type { SetPointType } from '../../adapter/set-points.ts';
import { AppError } from '../../core/errors.ts';
import { sunspec } from './index.ts';
import { devices } from './simulated-devices.ts';
import { createSunSpec, type SimulatedSunSpec } from './simulator.ts';

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

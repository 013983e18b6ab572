import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Adapter, Linked } from '../../src/adapter/adapter.ts';
import { capabilitiesOf, kindOf, send, stateOf } from '../../src/adapter/adapters.ts';
import type { Command } from '../../src/adapter/commands.ts';
import type { DeviceState, Found } from '../../src/adapter/device.ts';
import type { DeviceRef, Session } from '../../src/adapter/session.ts';
import type { Json, JsonObject } from '../../src/core/json.ts';
import { makeSimulatedVendor, type SimulatedVendor } from './simulated-vendor.ts';

/** A vendor with its simulator, with shortcuts for what the platform does. */
export interface VendorWorld extends SimulatedVendor {
  link(): Promise<Linked>;
  /** The device with this id, or whose name starts with it. */
  device(name: string): Promise<DeviceRef & Found>;
  state(device: DeviceRef, session?: Session): Promise<DeviceState>;
  send(device: DeviceRef, command: Command, session?: Session): Promise<void>;
}

/** Signs in at the simulator; `user` is a name on its sign-in page. */
export async function makeVendorWorld(
  adapter: Adapter,
  options: Parameters<typeof makeSimulatedVendor>[1] = {},
): Promise<VendorWorld> {
  const vendor = await makeSimulatedVendor(adapter, options);
  const link = () => adapter.link(vendor.session());
  // Assigned, not spread: the vendor's tokens and renewals change.
  return Object.assign(vendor, {
    link,
    async device(name: string) {
      const { devices } = await link();
      const found = devices.find((one) => one.id === name || one.name?.startsWith(name));
      assert.ok(found !== undefined, `no device ${name}`);
      return refOf(found);
    },
    async state(device: DeviceRef, session: Session = vendor.session()) {
      const kind = kindOf(adapter, device.type);
      return stateOf(kind, await kind.read(session, device), capabilitiesOf(kind, device));
    },
    send: (device: DeviceRef, command: Command, session: Session = vendor.session()) =>
      send(kindOf(adapter, device.type), session, device, command),
  });
}

/** A reference to a device of the world's link. */
export const refOf = <F extends Found>(found: F): DeviceRef & F => ({
  account: 1,
  link: 'link-1',
  ...found,
  details: found.details ?? {},
});

/** Reads responses by name from the file `recorded.json` beside a test. */
export const recordedIn =
  (directory: string) =>
  (name: string): Json => {
    const recorded = JSON.parse(readFileSync(join(directory, 'recorded.json'), 'utf8')) as JsonObject;
    const response = recorded[name];
    assert.ok(response !== undefined, `recorded.json has no response ${name}`);
    return response;
  };

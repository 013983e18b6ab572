import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Adapter, AnyKind } from '../src/adapter/adapter.ts';
import type { DeviceType, Found } from '../src/adapter/device.ts';
import type { Tokens } from '../src/adapter/login.ts';
import { conforms } from '../src/proof/conformance/index.ts';
import { chargeamps } from '../src/vendors/chargeamps/index.ts';
import { fronius } from '../src/vendors/fronius/index.ts';
import { myuplink } from '../src/vendors/myuplink/index.ts';
import { netatmo } from '../src/vendors/netatmo/index.ts';
import { sensibo } from '../src/vendors/sensibo/index.ts';
import { solaredge } from '../src/vendors/solaredge/index.ts';
import { sonnen } from '../src/vendors/sonnen/index.ts';
import { volvo } from '../src/vendors/volvo/index.ts';
import { makeSimulatedVendor } from './kit/simulated-vendor.ts';

/** The adapter with other parts of one kind. */
function altered(adapter: Adapter, type: DeviceType, change: (kind: AnyKind) => Partial<AnyKind>): Adapter {
  const kind = adapter.kinds[type] ?? assert.fail();
  return { ...adapter, kinds: { ...adapter.kinds, [type]: { ...kind, ...change(kind) } } };
}

const scaled = (read: ((raw: unknown) => number | null) | undefined, by: number) => (raw: unknown) => {
  const value = read?.(raw) ?? null;
  return value === null ? null : value * by;
};

const withoutEnd = (tokens: Tokens): Tokens => ({ ...tokens, expiresAt: Number.MAX_SAFE_INTEGER });

/** What was listed of any account, kept for all of them. */
function shared(adapter: Adapter): Adapter {
  const known = new Map<string, Found>();
  return {
    ...adapter,
    async link(session) {
      const linked = await adapter.link(session);
      const isNew = known.size === 0;
      for (const device of linked.devices) known.set(device.id, device);
      return isNew || linked.devices.length > 0 ? { ...linked, devices: [...known.values()] } : linked;
    },
  };
}

/** Mistakes that a vendor's own tests would find, and an author who writes both would not. */
const MISTAKES: Readonly<Record<string, readonly [adapter: Adapter, check: RegExp]>> = {
  'a reading that is as new as the call': [
    altered(sonnen, 'battery', () => ({ observedAt: () => null })),
    /a response that stays as it was is as old as it says/,
  ],
  'a time zone that is forgotten': [
    altered(fronius, 'solar_inverter', ({ observedAt }) => ({
      observedAt: (raw) => (observedAt?.(raw) ?? 0) + 3_600_000,
    })),
    /a response that stays as it was is as old as it says/,
  ],
  'limits that the vendor does not have': [
    altered(sonnen, 'battery', ({ limits }) => ({
      limits(raw) {
        const { max_w, ...more } = limits?.(raw) ?? assert.fail();
        return { ...more, max_w: Math.round((max_w ?? 0) / 2) };
      },
    })),
    /set_battery_power takes its limits, and no more/,
  ],
  'the sign of a battery that no command moves': [
    altered(solaredge, 'battery', ({ reads }) => ({
      reads: { ...reads, read_power: scaled(reads.read_power, -1) },
    })),
    /figures are of the right size/,
  ],
  'hundredths of a degree': [
    altered(netatmo, 'thermostat', ({ reads }) => ({
      reads: { ...reads, read_temperature: scaled(reads.read_temperature, 0.1) },
    })),
    /figures are of the right size/,
  ],
  'minutes as seconds': [
    altered(volvo, 'vehicle', ({ status }) => ({
      status(raw) {
        const { remaining_seconds: left, ...more } = status(raw);
        return typeof left === 'number' ? { ...more, remaining_seconds: left / 60 } : more;
      },
    })),
    /figures are of the right size/,
  ],
  'tokens that never end': [
    {
      ...chargeamps,
      login: {
        ...chargeamps.login,
        signIn: async (session, credentials) =>
          withoutEnd((await chargeamps.login.signIn?.(session, credentials)) ?? assert.fail()),
      },
    },
    /the end of the token is what the vendor says/,
  ],
  'the sign of another battery that no command moves': [
    altered(fronius, 'battery', ({ reads }) => ({
      reads: { ...reads, read_power: scaled(reads.read_power, -1) },
    })),
    /figures are of the right size/,
  ],
  'a password that is sent again where a token could be renewed': [
    {
      ...chargeamps,
      login: {
        ...chargeamps.login,
        refresh: async (session, _tokens, credentials) =>
          (await chargeamps.login.signIn?.(session, credentials)) ?? assert.fail(),
      },
    },
    /tokens that can be renewed are, without signing in again/,
  ],
  'devices of another account that are shown': [shared(sensibo), /another account's devices are not shown/],
  'a verdict by a number that nobody reads': [
    altered(myuplink, 'heat_pump', ({ controls }) => ({
      controls: {
        ...controls,
        set_temperature: {
          set_temperature: (session, device, command) =>
            controls.set_temperature?.set_temperature(session, device, command).catch((error: Error) => {
              if (!error.message.includes('with status 500')) throw error;
            }) ?? assert.fail(),
        },
      },
    })),
    /set_temperature is done only when the vendor says so/,
  ],
  'a command that nobody asks the outcome of': [
    altered(sensibo, 'heat_pump', ({ controls }) => ({
      controls: {
        ...controls,
        on_off: {
          turn_on: (session, device, command) =>
            controls.on_off?.turn_on(session, device, command).catch(() => {}) ?? assert.fail(),
          turn_off: controls.on_off?.turn_off ?? assert.fail(),
        },
      },
    })),
    /turn_on is done only when the vendor says so/,
  ],
};

describe('mistakes of an author', () => {
  for (const [what, [adapter, check]] of Object.entries(MISTAKES))
    it(`mistakes of an author are noticed by the conformance alone: ${what}`, async () => {
      const findings = await conforms(adapter, await makeSimulatedVendor(adapter));
      const faults = findings.filter(({ fault }) => fault !== null);
      assert.ok(
        faults.some((one) => check.test(one.check)),
        JSON.stringify(faults),
      );
    });
});

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type LocalVendor, openLocalVendor } from '../../../test/kit/local-vendor.ts';
import { capabilitiesOf, kindOf, send, stateOf } from '../../adapter/adapters.ts';
import type { Command } from '../../adapter/commands.ts';
import type { Found } from '../../adapter/device.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import type { JsonObject } from '../../core/json.ts';
import { modbus } from './index.ts';
import { readingOf } from './kinds.ts';
import { PRESETS } from './presets.ts';
import type { Device, RegisterMap } from './schemas.ts';
import { HALL, type SimulatedHall } from './simulator.ts';

let here: LocalVendor;
let hall: SimulatedHall;
beforeEach(async () => {
  here = await openLocalVendor(modbus);
  hall = here.served.device as SimulatedHall;
});
afterEach(() => here.close());

/** A session with other credentials than the simulator's. */
function sessionWith(more: JsonObject): Session {
  const session = here.simulator.session();
  return { ...session, credentials: { ...session.credentials, ...more } };
}

async function found(name: string, session = here.simulator.session()): Promise<DeviceRef & Found> {
  const { devices } = await modbus.link(session);
  const one = devices.find(({ id }) => id.endsWith(`-${name}`));
  assert.ok(one !== undefined, `no device ${name}`);
  return { account: 1, link: 'link-1', ...one, details: one.details ?? {} };
}

async function state(ref: DeviceRef & Found, session = here.simulator.session()) {
  const kind = kindOf(modbus, ref.type);
  return stateOf(kind, await kind.read(session, ref), capabilitiesOf(kind, ref));
}

const order = (ref: DeviceRef, command: Command, session = here.simulator.session()) =>
  send(kindOf(modbus, ref.type), session, ref, command);

describe('linking', () => {
  it('linking finds the devices of the map with what their registers fill', async () => {
    const { devices, vendorAccount } = await modbus.link(here.simulator.session());
    assert.equal(vendorAccount, 'serial 20260042');
    const shown = devices.map((one) => [one.type, one.name, capabilitiesOf(kindOf(modbus, one.type), one)]);
    assert.deepEqual(shown, [
      [
        'industrial',
        'Machine (simulated)',
        [
          'read_battery_soc',
          'read_power',
          'read_energy',
          'read_temperature',
          'read_production',
          'on_off',
          'load_balancing',
          'set_temperature',
        ],
      ],
      [
        'heat_pump',
        'Heat pump (simulated)',
        ['read_power', 'read_energy', 'read_temperature', 'on_off', 'set_temperature'],
      ],
    ]);
  });

  it('linking withholds what the map does not fill, and says so', async () => {
    const [machine] = HALL.devices;
    assert.ok(machine !== undefined);
    const { writes: _writes, blocks: _blocks, ...plain } = machine;
    const [power] = machine.registers;
    const session = sessionWith({ devices: structuredClone([{ ...plain, registers: [power] }]) as never });
    const one = await found('machine', session);
    const kind = kindOf(modbus, one.type);
    assert.deepEqual(capabilitiesOf(kind, one), ['read_power']);
    assert.match(kind.whyWithheld?.(one) ?? '', /the register map of the link does not have it/);
  });

  it('linking is named by its address where no register names it', async () => {
    const { serial: _serial, ...rest } = here.simulator.session().credentials;
    const session = { ...here.simulator.session(), credentials: rest };
    const { port } = here.served.address;
    assert.equal((await modbus.link(session)).vendorAccount, `127.0.0.1:${port}/1`);
  });

  it('linking says which register shows that another device answers, and which unit is not there', async () => {
    await assert.rejects(modbus.link(sessionWith({ proof: { address: 0, equals: 815 } })), {
      code: 'vendor.refused',
      message: /register 0 is 4711, and credentials\.proof says 815: another device answers/,
    });
    await assert.rejects(modbus.link(sessionWith({ unit: 9 })), {
      code: 'vendor.unreachable',
      message: /unit 9 does not respond .* check the unit number/,
    });
    const nowhere = { id: 'x', registers: [{ address: 500, fills: 'read_power' }] };
    await assert.rejects(modbus.link(sessionWith({ devices: [nowhere] as never })), {
      code: 'vendor.refused',
      message: /did not read holding registers at 500: it does not have these addresses/,
    });
  });

  it('linking leaves out an optional register whose address the device does not have, and says so', async () => {
    const [machine] = HALL.devices;
    const [power] = machine?.registers ?? [];
    const absent = { address: 500, fills: 'read_energy', unit: 'kWh', optional: true };
    const session = sessionWith({
      devices: structuredClone([{ id: 'machine', registers: [power, absent] }]) as never,
    });
    const one = await found('machine', session);
    assert.deepEqual([one.details.has, one.details.left_out], [['read_power'], ['read_energy']]);
    assert.deepEqual(capabilitiesOf(kindOf(modbus, one.type), one), ['read_power']);
    hall.reads.length = 0;
    assert.equal((await state(one, session)).power_w, 1_500);
    assert.ok(!hall.reads.includes('1 holding 500 1'), 'it is not asked for again');
  });

  it('linking reads an optional register that is there', async () => {
    const devices = structuredClone(HALL.devices.slice(0, 1)) as unknown as Device[];
    const power = devices[0]?.registers.find(({ fills }) => fills === 'read_energy');
    Object.assign(power ?? assert.fail(), { optional: true });
    delete (devices[0] as { blocks?: unknown }).blocks;
    const one = await found('machine', sessionWith({ devices: devices as never }));
    assert.equal(one.details.left_out, undefined);
    assert.ok((one.details.has as string[]).includes('read_energy'));
  });

  it('linking wants a map with custom, and none with a preset', async () => {
    const { devices: _devices, ...without } = here.simulator.session().credentials;
    await assert.rejects(modbus.link({ ...here.simulator.session(), credentials: without }), {
      code: 'link.credentials_invalid',
      message: /credentials\.devices is missing: the preset custom needs/,
    });
    await assert.rejects(modbus.link(sessionWith({ preset: 'abb_b23' })), {
      code: 'link.credentials_invalid',
      message: /credentials\.devices must be left out with the preset abb_b23/,
    });
  });
});

describe('reading', () => {
  it('reading takes a request for each run of adjacent registers, and for each block', async () => {
    const machine = await found('machine');
    const heatPump = await found('heat_pump');
    hall.reads.length = 0;
    const { power_on, power_w, production_w, battery_soc } = await state(machine);
    assert.deepEqual(
      { power_on, power_w, production_w, battery_soc },
      {
        power_on: true,
        power_w: 1_500,
        production_w: 250,
        battery_soc: 55,
      },
    );
    assert.deepEqual(hall.reads.toSorted(), [
      '1 discrete 3 1',
      '1 holding 100 9',
      '1 holding 122 2',
      '1 input 7 1',
    ]);
    hall.reads.length = 0;
    assert.equal((await state(heatPump)).temperature_milli_c, 17_000);
    assert.deepEqual(hall.reads, ['2 holding 10 7']);
  });

  it('reading leaves out what is marked as not there, and shows the rest', async () => {
    const machine = await found('machine');
    await here.served.fault('unknown_values');
    const { temperature_milli_c, production_w, battery_soc, power_w } = await state(machine);
    assert.deepEqual([temperature_milli_c, production_w, battery_soc, power_w], [null, null, null, 1_500]);
  });
});

describe('commands', () => {
  it('commands write the number of the register, within the bounds of the map', async () => {
    const [machine, heatPump] = [await found('machine'), await found('heat_pump')];
    await order(machine, { type: 'turn_off' });
    await order(heatPump, { type: 'turn_on' });
    await order(machine, { type: 'set_temperature', target_milli_c: 21_500 });
    await order(machine, { type: 'set_limit', max_w: 1_250 });
    assert.deepEqual(hall.commands(), [
      'write 1 coil 3 = 0',
      'write 2 holding 20 = 3',
      'write 1 holding 120 = 215',
      'write 1 holding 122 = 125 0',
    ]);
    const outOfRange = { code: 'command.out_of_range' };
    await assert.rejects(order(machine, { type: 'set_temperature', target_milli_c: 30_001 }), outOfRange);
    await assert.rejects(order(machine, { type: 'set_limit', max_w: 499 }), {
      ...outOfRange,
      message: /max_w must be from 500 to 10000, not 499/,
    });
    await assert.rejects(order(machine, { type: 'set_limit', max_a: 6 }), {
      code: 'command.axis_unsupported',
      message: /no limit in ampere; set max_w/,
    });
    assert.equal(hall.commands().length, 4, 'nothing was written for them');
  });

  it('commands write only allowed values where the map lists them', async () => {
    const devices = structuredClone(HALL.devices) as Device[];
    const [machine] = devices;
    const target = machine?.writes?.find(({ command }) => command === 'set_temperature');
    Object.assign(target ?? {}, { allowed: [18, 21] });
    const session = sessionWith({ devices: devices as never });
    const ref = await found('machine', session);
    await order(ref, { type: 'set_temperature', target_milli_c: 21_000 }, session);
    await assert.rejects(order(ref, { type: 'set_temperature', target_milli_c: 20_000 }, session), {
      code: 'command.out_of_range',
      message: /target_milli_c must be one of 18000, 21000, not 20000/,
    });
  });

  it('commands release a limit with the value of the map', async () => {
    const machine = await found('machine');
    const session = here.simulator.session();
    await order(machine, { type: 'set_limit', max_w: 600 });
    await kindOf(modbus, 'industrial').setPoints?.set_limit?.release(session, machine);
    assert.equal(hall.commands().at(-1), 'write 1 holding 122 = 65535 65535');
  });
});

describe('a preset', () => {
  /** The values that a map reads from words that somebody else has written out, in hex, by table and address. */
  function valuesOf(map: RegisterMap, words: Readonly<Record<string, string>>) {
    const [device] = map.devices;
    assert.ok(device !== undefined);
    const reads = Object.entries(words).map(([place, hex]) => {
      const [table = '', address = ''] = place.split(' ');
      const bytes = Buffer.from(hex.replaceAll(' ', ''), 'hex');
      return { table: table as 'holding', address: Number(address), count: bytes.length / 2, bytes };
    });
    return Object.fromEntries(readingOf(device, reads).values);
  }

  it('a preset reads the Eastron SDM630: floats, the high word first', () => {
    // 1234.5 W and 4321.25 kWh by IEEE 754.
    const words = { 'input 52': '449A 5000', 'input 72': '4587 0A00' };
    assert.deepEqual(valuesOf(PRESETS.eastron_sdm630, words), {
      read_power: 1_234.5,
      read_energy: 4_321_250,
    });
  });

  it('a preset reads the Carlo Gavazzi EM340: tenths, the low word first, and what is given back', () => {
    // -12345 and 100000, low word first.
    const words = { 'input 40': 'CFC7 FFFF', 'input 52': '86A0 0001' };
    assert.deepEqual(valuesOf(PRESETS.carlo_gavazzi_em340, words), {
      read_power: -1_234.5,
      read_energy: 10_000_000,
    });
    const absent = { 'input 40': 'FFFF 7FFF', 'input 52': '86A0 0001' };
    assert.equal(valuesOf(PRESETS.carlo_gavazzi_em340, absent).read_power, null);
  });

  it('a preset reads the ABB B23: hundredths, 64 bits of energy', () => {
    const words = { 'holding 23316': 'FFFE 1DC0', 'holding 20480': '0000 0000 0001 E240' };
    assert.deepEqual(valuesOf(PRESETS.abb_b23, words), { read_power: -1_234.56, read_energy: 1_234_560 });
    const absent = { 'holding 23316': '7FFF FFFF', 'holding 20480': 'FFFF FFFF FFFF FFFF' };
    assert.deepEqual(valuesOf(PRESETS.abb_b23, absent), { read_power: null, read_energy: null });
  });

  it('a preset reads a Grundfos pump: a bit of its status, and a temperature in hundredths of a kelvin', () => {
    const words = {
      'holding 200': '0300',
      'holding 311': '0000 01C2',
      'holding 331': '0000 0007',
      'holding 321': '7D93',
    };
    const { read_temperature: temperature, ...rest } = valuesOf(PRESETS.grundfos_cim, words);
    assert.deepEqual(rest, { power_on: true, read_power: 450, read_energy: 7_000 });
    assert.equal(Math.round(Number(temperature)), 48_320);
    assert.equal(valuesOf(PRESETS.grundfos_cim, { ...words, 'holding 200': '0100' }).power_on, false);
  });

  it('a preset reads a NIBE of the S series: tenths of a degree, and a sensor that is not there', () => {
    const words = { 'input 26': '00D7', 'input 2166': '0000 04D2' };
    assert.deepEqual(valuesOf(PRESETS.nibe_s, words), { read_temperature: 21_500, read_power: 1_234 });
    assert.equal(valuesOf(PRESETS.nibe_s, { ...words, 'input 26': '8000' }).read_temperature, null);
    // S320 and S330 have no register of their power.
    const optional = PRESETS.nibe_s.devices
      .flatMap(({ registers }) => registers)
      .filter((one) => 'optional' in one);
    assert.deepEqual(
      optional.map(({ address }) => address),
      [2_166],
    );
  });
});

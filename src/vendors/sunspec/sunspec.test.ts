import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Adapter } from '../../adapter/adapter.ts';
import { send } from '../../adapter/adapters.ts';
import type { Found } from '../../adapter/device.ts';
import { AppError } from '../../core/errors.ts';
import { conforms } from '../../proof/conformance/index.ts';
import { sunspec } from './index.ts';
import { addressOf, failure, met, type Name, offsetOf } from './test-device.ts';

/** The kinds that a device has, as an adapter of its own: a kind without a device is never proven. */
const { solar_inverter, battery } = sunspec.kinds;
const KINDS: Readonly<Record<Name, Adapter['kinds']>> = {
  hybrid: sunspec.kinds,
  string: { solar_inverter: { ...solar_inverter, timed: {} } },
  float: { solar_inverter },
  der: { solar_inverter },
  battery: { battery },
};

describe('sunspec', { timeout: 600_000 }, () => {
  for (const [name, kinds] of Object.entries(KINDS)) {
    it(`sunspec conforms before a device of the kind ${name}`, async (test) => {
      const { simulator } = await met(test, name as Name);
      const findings = await conforms({ ...sunspec, kinds }, simulator);
      assert.ok(findings.length > 12);
      assert.deepEqual(
        findings.filter(({ fault }) => fault !== null),
        [],
      );
    });
  }

  it('sunspec finds the inverter, its battery and the meter of a hybrid, and reads all in four requests', async (test) => {
    const { found, device, session, refOf, stateOf: see } = await met(test, 'hybrid');
    const names = found.map(({ id, type, name }) => ({ id, type, name }));
    assert.deepEqual(names, [
      { id: '31234567', type: 'solar_inverter', name: 'Fronius Symo GEN24 8.0' },
      { id: '31234567-battery', type: 'battery', name: 'Fronius Symo GEN24 8.0' },
      { id: '19876543-meter', type: 'industrial', name: 'Fronius Smart Meter 63A' },
    ]);
    assert.deepEqual(
      found.map(({ measures }) => measures),
      [undefined, undefined, 'grid'],
    );
    device.reads.length = 0;
    const swept = await sunspec.sweep(
      session(),
      found.map(({ type }) => refOf(type)),
    );
    assert.deepEqual(
      [...swept.keys()],
      found.map(({ id }) => id),
    );
    assert.equal(device.reads.length, 4, JSON.stringify(device.reads));
    assert.ok(device.reads.every(([, count]) => count <= 125));
    device.arrange(refOf('battery'), 'battery_automatic');
    assert.deepEqual(await see('solar_inverter'), {
      online: true,
      operation_state: 'mppt',
      production_w: 4_000,
      power_w: -2_500,
      energy_wh: 12_345_678,
      temperature_milli_c: 41_500,
    });
    assert.deepEqual(await see('battery'), {
      online: true,
      charging: true,
      operation_state: 'charging',
      battery_soc: 50,
      power_w: 1_500,
    });
    assert.deepEqual(await see('industrial'), { online: true, power_w: -1_300, energy_wh: 2_000_000 });
  });

  it('sunspec finds where the registers begin, and keeps the unit that it has found', async (test) => {
    const units = { string: 126, float: 1, der: 1 };
    for (const [name, unit] of Object.entries(units)) {
      const { session, served } = await met(test, name as Name);
      const linked = await sunspec.link(session({ ...served.address }));
      assert.equal(linked.devices.length, 1);
      assert.equal(linked.devices[0]?.details?.unit, unit);
      assert.equal(linked.credentials?.unit, unit);
    }
  });

  it('sunspec names the account by the device, whatever its address', async (test) => {
    const { session } = await met(test, 'string');
    assert.equal((await sunspec.link(session())).vendorAccount, 'SMA 2110012345');
  });

  it('sunspec refuses a unit that is not there, and says where to look', async (test) => {
    const { session, simulator } = await met(test, 'hybrid');
    const error = await failure(sunspec.link(session({ ...simulator.credentials, unit: 9 })));
    assert.equal(error.code, 'vendor.unreachable');
    assert.match(error.message, /unit 9 does not respond to SunSpec at .*; check the unit number/);
  });

  it('sunspec says why a device is not controlled', async (test) => {
    const { kindOf, refOf } = await met(test, 'hybrid');
    const { details } = refOf('solar_inverter');
    const without = { ...details, control: null };
    const found: Found = { id: 'x', type: 'solar_inverter', details: without };
    assert.deepEqual(kindOf('solar_inverter').withholds?.(found), ['load_balancing']);
    assert.match(kindOf('solar_inverter').whyWithheld?.(found) ?? '', /no limit of its power in SunSpec/);
  });

  it('sunspec lists a device again whose models have moved, and one that another device stands in for', async (test) => {
    const { device, session, refOf, kindOf } = await met(test, 'hybrid');
    const inverter = refOf('solar_inverter');
    device.lengthen(103, 2);
    const moved = await failure(kindOf('solar_inverter').read(session(), inverter));
    assert.equal(moved.constructor.name, 'ListOutdated');
    assert.match(moved.message, /model 103 is no longer at 40070 with 50 registers/);
    const again = (await sunspec.list(session())).find(({ id }) => id === inverter.id);
    assert.notDeepEqual(again?.details, inverter.details);
    await kindOf('solar_inverter').read(session(), { ...inverter, details: again?.details ?? {} });
    device.rename('SOMEONE-ELSE');
    const order = { type: 'set_limit', max_w: 0 } as const;
    const other = await failure(send(kindOf('solar_inverter'), session(), inverter, order));
    assert.match(other.message, /its serial number is SOMEONE-ELSE, not 31234567/);
    assert.deepEqual(device.commands(), []);
  });

  it('sunspec reads what is not implemented as null, and reports states that it does not know', async (test) => {
    const { device, stateOf: see, kindOf, session, refOf } = await met(test, 'hybrid');
    device.fault('unknown_values');
    const { online, ...rest } = await see('solar_inverter');
    assert.equal(online, true);
    assert.deepEqual([...new Set(Object.values(rest))], [null]);
    const raw = await kindOf('solar_inverter').read(session(), refOf('solar_inverter'));
    assert.deepEqual(kindOf('solar_inverter').unrecognized?.(raw), ['St of model 103 77']);
    assert.equal((await see('battery')).battery_soc, null);
  });

  it('sunspec gives up a list of models that has no end', async (test) => {
    const { session, device } = await met(test, 'hybrid');
    const endless = (count: number) => Buffer.alloc(count * 2, Buffer.from([0, 9, 0, 0]));
    device.replace((address, count) => (address === 40_000 ? Buffer.from('SunS') : endless(count)));
    device.reads.length = 0;
    const error = await failure(sunspec.link(session()));
    assert.equal(error.code, 'vendor.answer_invalid');
    assert.match(error.message, /the list of SunSpec models of the device does not end/);
    assert.ok(device.reads.length < 110, `${device.reads.length} reads`);
  });

  it('sunspec ends its search in any registers, with devices or with an error', async (test) => {
    const { served, session, device } = await met(test, 'hybrid');
    const words = fc.array(
      fc.oneof(fc.nat(0xffff), fc.constantFrom(1, 2, 50, 66, 103, 124, 160, 0, 0xffff)),
      {
        minLength: 40,
        maxLength: 400,
      },
    );
    const map = { bytes: Buffer.alloc(0) };
    device.replace((address, count) => {
      const from = (address - 40_000) * 2;
      return from < 0 || from + count * 2 > map.bytes.length
        ? undefined
        : map.bytes.subarray(from, from + count * 2);
    });
    await fc.assert(
      fc.asyncProperty(words, async (registers) => {
        map.bytes = Buffer.concat([
          Buffer.from('SunS'),
          Buffer.from([0, 1, 0, 66]),
          Buffer.alloc(132),
          Buffer.from(Uint16Array.from(registers).buffer).swap16(),
        ]);
        device.reads.length = 0;
        const outcome = await sunspec
          .link(session({ ...served.device.credentials, unit: 1 }))
          .catch((error) => error);
        assert.ok(outcome instanceof AppError || outcome.devices.length > 0, String(outcome));
        assert.ok(device.reads.length < 400);
      }),
      { numRuns: 200 },
    );
  });
});

describe('commands of sunspec', { timeout: 600_000 }, () => {
  it('commands of sunspec writes the limit of model 123 to the registers of its definition, in one piece', async (test) => {
    const { device, send: order, writes, found } = await met(test, 'hybrid');
    assert.equal(found.length, 3);
    const at = addressOf(device, 40_000, 123) + offsetOf(123, 'WMaxLimPct');
    assert.equal(offsetOf(123, 'WMaxLim_Ena') - offsetOf(123, 'WMaxLimPct'), 4);
    // 3,000 of 8,000 W is 37.5 %, in hundredths; 300 s to revert; the ramp and the window as they were.
    await order('solar_inverter', { type: 'set_limit', max_w: 3_000 });
    await order('solar_inverter', { type: 'set_limit', max_w: 3_001, for_seconds: 900 });
    assert.deepEqual(writes(), [
      `write ${at} = ${'0ea6'}${'0000'}${'012c'}${'0000'}${'0001'}`,
      `write ${at} = ${'0ea7'}${'0000'}${'0384'}${'0000'}${'0001'}`,
    ]);
  });

  it('commands of sunspec rounds a limit down to the steps of the device', async (test) => {
    const { device, send: order, writes } = await met(test, 'string');
    const at = addressOf(device, 0, 123) + offsetOf(123, 'WMaxLimPct');
    // Whole percents of 8,000 W: 2,999 W is 37.49 %. What the device does not implement stays as it was.
    await order('solar_inverter', { type: 'set_limit', max_w: 2_999 });
    assert.deepEqual(writes(), [`write ${at} = 0025ffffffffffff0001`]);
    const error = await failure(order('solar_inverter', { type: 'set_limit', max_w: 1, for_seconds: 60 }));
    assert.equal(error.code, 'command.time_unsupported');
  });

  it('commands of sunspec writes the power of model 124 as rates of both directions, then switches them on', async (test) => {
    const { device, send: order, writes } = await met(test, 'hybrid');
    const model = addressOf(device, 40_000, 124);
    const [rates, mode] = [model + offsetOf(124, 'OutWRte'), model + offsetOf(124, 'StorCtl_Mod')];
    // 2,000 of 5,000 W is 40 %: at least and at most.
    await order('battery', { type: 'set_battery_power', power_w: 2_000 });
    await order('battery', { type: 'set_battery_power', power_w: -2_000, for_seconds: 60 });
    await order('battery', { type: 'set_battery_power', power_w: 0 });
    assert.deepEqual(writes(), [
      `write ${rates} = f0600fa00000012c`,
      `write ${mode} = 0003`,
      `write ${rates} = 0fa0f0600000003c`,
      `write ${mode} = 0003`,
      `write ${rates} = 000000000000012c`,
      `write ${mode} = 0003`,
    ]);
  });

  it('commands of sunspec writes limits and set-points of model 704 to the registers of its definition', async (test) => {
    const der = await met(test, 'der');
    const limitAt = addressOf(der.device, 40_001, 704) + offsetOf(704, 'WMaxLimPctEna');
    // 25.0 % for 300 s, then none; 25.0 % for two hours, then 50.0 %.
    await der.send('solar_inverter', { type: 'set_limit', max_w: 2_000 });
    const ending = { type: 'set_limit', max_w: 2_000, for_seconds: 7_200, then_w: 4_000 } as const;
    await der.send('solar_inverter', ending);
    assert.deepEqual(der.writes(), [
      `write ${limitAt} = 000100fa03e800000000012c`,
      `write ${limitAt} = 000100fa01f4000100001c20`,
    ]);
    const storage = await met(test, 'battery');
    const setAt = addressOf(storage.device, 40_000, 704) + offsetOf(704, 'WSetEna');
    await storage.send('battery', { type: 'set_battery_power', power_w: 1_000 });
    const [written] = storage.writes();
    // Generation is positive: −1,000 W. Between set-point and timer: no reversion, and percents that are not implemented.
    assert.equal(written, `write ${setAt} = 00010001fffffc1800000000800080000000${'0000012c'}`);
  });

  it('commands of sunspec returns a battery of model 124 to its own control, and leaves no rate for whoever switches the rates on next', async (test) => {
    const { device, send: order, release, writes } = await met(test, 'hybrid');
    const model = addressOf(device, 40_000, 124);
    const [rates, mode] = [model + offsetOf(124, 'OutWRte'), model + offsetOf(124, 'StorCtl_Mod')];
    assert.equal(offsetOf(124, 'InWRte') - offsetOf(124, 'OutWRte'), 1);
    await order('battery', { type: 'set_battery_power', power_w: 2_000 });
    const before = writes().length;
    await release('battery', 'set_battery_power');
    // The rates hold no more, and then both are 100 %; in hundredths.
    assert.deepEqual(writes().slice(before), [`write ${mode} = 0000`, `write ${rates} = 27102710`]);
  });

  it('commands of sunspec switches off the limits of models 123 and 704, and the set-point of model 704', async (test) => {
    const cases = [
      { name: 'hybrid', base: 40_000, model: 123, point: 'WMaxLim_Ena', type: 'solar_inverter' },
      { name: 'der', base: 40_001, model: 704, point: 'WMaxLimPctEna', type: 'solar_inverter' },
      { name: 'battery', base: 40_000, model: 704, point: 'WSetEna', type: 'battery' },
    ] as const;
    for (const { name, base, model, point, type } of cases) {
      const { device, send: order, release, writes } = await met(test, name);
      const at = addressOf(device, base, model) + offsetOf(model, point);
      const [command, set] =
        type === 'battery'
          ? (['set_battery_power', { type: 'set_battery_power', power_w: 1_000 }] as const)
          : (['set_limit', { type: 'set_limit', max_w: 2_000 }] as const);
      await order(type, set);
      const before = writes().length;
      await release(type, command);
      assert.deepEqual(writes().slice(before), [`write ${at} = 0000`], name);
    }
  });
});

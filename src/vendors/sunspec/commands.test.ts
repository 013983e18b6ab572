import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { offsetOf } from './test-definitions.ts';
import { addressOf, failure, met } from './test-device.ts';

describe('commands of sunspec', { timeout: 60_000 }, () => {
  it('writes the limit of model 123 to the registers of its definition, in one piece', async (test) => {
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

  it('rounds a limit down to the steps of the device', async (test) => {
    const { device, send: order, writes } = await met(test, 'string');
    const at = addressOf(device, 0, 123) + offsetOf(123, 'WMaxLimPct');
    // Whole percents of 8,000 W: 2,999 W is 37.49 %. What the device does not implement stays as it was.
    await order('solar_inverter', { type: 'set_limit', max_w: 2_999 });
    assert.deepEqual(writes(), [`write ${at} = 0025ffffffffffff0001`]);
    const error = await failure(order('solar_inverter', { type: 'set_limit', max_w: 1, for_seconds: 60 }));
    assert.equal(error.code, 'command.time_unsupported');
  });

  it('writes the power of model 124 as rates of both directions, then switches them on', async (test) => {
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

  it('writes limits and set-points of model 704 to the registers of its definition', async (test) => {
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

  it('returns a battery of model 124 to its own control, and leaves no rate for whoever switches the rates on next', async (test) => {
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

  it('switches off the limits of models 123 and 704, and the set-point of model 704', async (test) => {
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

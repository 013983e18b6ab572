import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SITES } from './simulated-homes.ts';
import { car, world } from './test-world.ts';

describe('the simulated car', () => {
  it('gains in an hour what it draws, less the losses', async () => {
    const here = await world();
    here.vendor.arrange(car, 'charging');
    await here.pass(3_600);
    const { battery_soc, energy_wh, power_w } = await here.state(car);
    assert.equal(power_w, 11_040);
    assert.equal(energy_wh, 10_160, '16 A, three times 230 V, an hour, of which 92 % arrive');
    assert.equal(battery_soc, 63, '50 % of 75 kWh, and 10.16 kWh');
  });

  it('stops at its limit, and sleeps a quarter of an hour later', async () => {
    const here = await world();
    here.vendor.arrange(car, 'charging');
    await here.pass(2 * 3_600);
    assert.equal((await here.state(car)).charging, true, 'it does not sleep while it charges');
    await here.pass(3_600);
    const full = await here.state(car);
    assert.deepEqual([full.operation_state, full.battery_soc, full.energy_wh], ['asleep', 77, 20_310]);
    await here.send(car, { type: 'stop_charge' });
    const { battery_soc, operation_state, energy_wh } = await here.state(car);
    assert.deepEqual([operation_state, battery_soc, energy_wh], ['Complete', 80, 22_500]);
  });
});

describe('the simulated site', () => {
  it('stores what the sun gives, and gives it back at night', async () => {
    const here = await world();
    const battery = await here.device(SITES.batteryAndSolar);
    const noon = await here.state(battery);
    assert.equal(noon.charging, true);
    assert.ok((noon.production_w ?? 0) > 1_000 && (noon.power_w ?? 0) > 0);
    await here.pass(12 * 3_600);
    const night = await here.state(battery);
    assert.equal(night.production_w, 0);
    assert.ok((night.power_w ?? 0) < 0);
    await here.pass(3_600);
    const later = await here.state(battery);
    const lost = (night.battery_soc ?? 0) - (later.battery_soc ?? 0);
    assert.ok(Math.abs(lost - (900 / 13_500) * 100) <= 1, `900 Wh of 13,500 are ${lost} %`);
  });

  it('has balanced books: cells, battery and grid are what the house takes', async () => {
    const here = await world();
    await here.link();
    for (let hour = 0; hour < 48; hour += 1) {
      await here.pass(3_600);
      for (const id of Object.values(SITES)) {
        const answer = await here.session().http.send({
          path: `/api/1/energy_sites/${id}/live_status`,
          headers: { 'content-type': 'application/json' },
        });
        const { response } = answer.json() as { response: Record<string, number> };
        const { solar_power = NaN, battery_power = NaN, grid_power = NaN, load_power = NaN } = response;
        assert.ok(Math.abs(solar_power + battery_power + grid_power - load_power) < 1e-6);
      }
    }
  });

  it('is as quick after ten years as after a day', async () => {
    const here = await world();
    const battery = await here.device(SITES.battery);
    await here.pass(10 * 365 * 86_400);
    await here.signIn();
    assert.equal((await here.state(battery)).battery_soc, 0);
  });
});

describe('the simulated sign-in', () => {
  it('gives tokens to who names an audience alone, and to apps that ask for what they use', async () => {
    const here = await world();
    const answer = await here.vendor.handle({
      method: 'POST',
      path: '/oauth2/v3/token',
      query: new URLSearchParams(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: Buffer.from('grant_type=authorization_code&code=x'),
    });
    assert.deepEqual(answer.json, { error: 'invalid_request', error_description: 'audience' });
  });
});

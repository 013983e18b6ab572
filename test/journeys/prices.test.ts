import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { turnedClock } from '../../src/core/clock.ts';
import { type ServedSimulator, serveSimulated } from '../../src/proof/simulation/serve.ts';
import { createSimulatedMarket, type PriceFault } from '../../src/sources/contract/market.ts';
import { simulateEcb } from '../../src/sources/ecb/simulator.ts';
import { simulateElprisetjustnu } from '../../src/sources/elprisetjustnu/simulator.ts';
import { simulateEnergidataservice } from '../../src/sources/energidataservice/simulator.ts';
import { until } from '../kit/until.ts';
import { type Caller, makeWorld, type World } from '../kit/world.ts';

// 10:20 in Sweden, before tomorrow's prices are published.
const NOW = Date.UTC(2026, 10, 21, 9, 20);

interface Plan {
  readonly price_source: string;
  readonly slots: readonly { readonly start: string }[];
}

describe('prices from a source to a plan', () => {
  const clock = turnedClock(NOW);
  const market = createSimulatedMarket({ clock });
  const fallback = createSimulatedMarket({ clock });
  const served: ServedSimulator[] = [];
  let world: World;
  let caller: Caller;

  before(async () => {
    for (const simulate of [
      simulateElprisetjustnu(market),
      simulateEnergidataservice(fallback),
      simulateEcb(fallback, clock),
    ])
      served.push(await serveSimulated({ slug: 'simulated', load: async () => ({ handle: simulate }) }));
    const [first, second, rates] = served;
    const open = () =>
      makeWorld({
        engine: 'sqlite',
        clock,
        env: {
          ELNAV_FETCH: 'on',
          ELNAV_SAMPLE_PRICES: 'off',
          ELNAV_PRICE_SOURCES: 'elprisetjustnu,entsoe,energidataservice',
          ELNAV_ELPRISETJUSTNU_BASE_URL: first?.url ?? '',
          ELNAV_ENERGIDATASERVICE_BASE_URL: second?.url ?? '',
          ELNAV_ECB_BASE_URL: rates?.url ?? '',
        },
      });
    // The first source is wrong from the start.
    market.fault('thousandfold' satisfies PriceFault);
    world = await open();
    caller = await world.newAccount();
  });
  after(async () => {
    await world.close();
    for (const one of served) await one.close();
  });

  const plan = (area: string) =>
    caller.call('POST', '/optimize/plan', {
      area,
      task: {
        capacity_wh: 60_000,
        current_soc: 50,
        target_soc: 60,
        max_power_w: 11_000,
        min_power_w: 0,
        deadline_slot_index: 20,
      },
    });

  it('prices from a source to a plan uses the next source while the first one is wrong, converted at the published rate', async () => {
    await until('SE3 has a price', async () => (await plan('SE3')).status === 200);
    const answer = (await plan('SE3')).body as Plan;
    assert.equal(answer.price_source, 'energidataservice');
    assert.equal(answer.slots[0]?.start, '2026-11-21T09:15:00.000Z');
    const none = await plan('SE1');
    assert.equal(none.status, 400);
    assert.match(
      JSON.stringify(none.body),
      /the current spot price of SE1 is missing; .*Elpriset just nu.se: SE1 2026-11-21: .*beyond what the market permits.*next attempt is at 2026-11-21T09:/,
    );
  });

  it('prices from a source to a plan reports the state of the sources', async () => {
    const ready = (await (await fetch(`${world.grid}/readyz`)).json()) as {
      readonly status: string;
      readonly checks: { readonly prices: string };
    };
    assert.equal(ready.status, 'degraded');
    assert.match(ready.checks.prices, /^today's prices are missing for SE1, SE2; Elpriset just nu.se: SE1 /);
    const metrics = await (await fetch(`${world.grid}/metrics`)).text();
    assert.match(metrics, /elnav_source_requests_total{source="elprisetjustnu",outcome="refused"} 1/);
    assert.match(metrics, /elnav_source_requests_total{source="ecb",outcome="ok"} 1/);
  });

  it('prices from a source to a plan uses the first source again when it is right again', async () => {
    market.fault(null);
    await until('SE1 has a price', async () => {
      // Slower than a call over a socket, so that none times out.
      clock.turn(500);
      return (await plan('SE1')).status === 200;
    });
    assert.equal(((await plan('SE1')).body as Plan).price_source, 'elprisetjustnu');
    const { checks } = (await (await fetch(`${world.connect}/readyz`)).json()) as {
      readonly checks: { readonly prices: string };
    };
    assert.match(checks.prices, /^ok: SE1–SE4 until 2026-11-21T23:00Z/);
  });
});

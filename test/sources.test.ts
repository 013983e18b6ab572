import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  createSimulatedMarket,
  type Simulate,
  type SimulatedMarket,
} from '../src/adapter/simulated-prices.ts';
import { turnedClock } from '../src/core/clock.ts';
import { PRICE_SOURCE_SLUGS } from '../src/core/config.ts';
import { judge } from '../src/domain/prices/judge.ts';
import { simulateElprisetjustnu } from '../src/sources/elprisetjustnu/simulator.ts';
import { simulateEnergidataservice } from '../src/sources/energidataservice/simulator.ts';
import { SIMULATED_TOKEN, simulateEntsoe } from '../src/sources/entsoe/simulator.ts';
import { priceSources } from '../src/sources/index.ts';
import { simulateNordpool } from '../src/sources/nordpool/simulator.ts';
import { sessionWith } from './price-sources.ts';

const SIMULATORS: Readonly<Record<string, (market: SimulatedMarket) => Simulate>> = {
  elprisetjustnu: simulateElprisetjustnu,
  entsoe: simulateEntsoe,
  energidataservice: simulateEnergidataservice,
  nordpool: simulateNordpool,
};

const WRONG = ['half_day', 'yesterday', 'thousandfold'] as const;

describe('days of the sources before the judge', () => {
  it('are of every source that a setting can name', () => {
    assert.deepEqual(priceSources.map(({ slug }) => slug).sort(), [...PRICE_SOURCE_SLUGS].sort());
    assert.deepEqual(Object.keys(SIMULATORS).sort(), [...PRICE_SOURCE_SLUGS].sort());
  });

  for (const source of priceSources)
    for (const day of ['2026-11-21', '2026-03-29', '2026-10-25'])
      it(`are believed of ${source.slug} for ${day}, and with no fault that looks right`, async (test) => {
        const market = createSimulatedMarket({ clock: turnedClock() });
        const simulate = SIMULATORS[source.slug];
        assert.ok(simulate !== undefined);
        const session = await sessionWith(test, simulate(market), SIMULATED_TOKEN);
        const verdicts = async () => {
          const days = await source.fetchDay(session, { day, areas: source.areas }).catch(() => []);
          return days.map(
            (reported) =>
              judge(
                reported,
                { area: reported.area, day, source: source.slug, rate: '11' },
                { highestMean: null, previous: null },
              ).verdict,
          );
        };
        assert.deepEqual(
          await verdicts(),
          source.areas.map(() => 'accepted'),
        );
        for (const fault of WRONG) {
          market.fault(fault);
          assert.equal((await verdicts()).includes('accepted'), false, fault);
        }
        assert.ok(session.asked.length >= 4);
      });
});

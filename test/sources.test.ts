import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { turnedClock } from '../src/core/clock.ts';
import { judge } from '../src/domain/market/prices/judge.ts';
import { createSimulatedMarket } from '../src/sources/contract/market.ts';
import { priceSources } from '../src/sources/index.ts';
import { sessionWith } from './kit/price-sources.ts';

const WRONG = ['half_day', 'yesterday', 'thousandfold'] as const;

describe('days of the sources and the judge', () => {
  for (const source of priceSources)
    for (const day of ['2026-11-21', '2026-03-29', '2026-10-25'])
      it(`days of the sources and the judge are accepted of ${source.slug} for ${day}, and refused with any plausible fault`, async (test) => {
        const clock = turnedClock();
        const market = createSimulatedMarket({ clock });
        assert.ok(source.simulator !== undefined);
        const { simulate, token } = await source.simulator();
        const session = await sessionWith(test, simulate(market, clock), token);
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

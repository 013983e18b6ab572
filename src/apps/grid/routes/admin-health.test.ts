import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { bareServer } from '../../../../test/kit/bare-server.ts';
import { makePlace, type Place } from '../../../../test/kit/databases.ts';
import { healthPartsOf } from '../../../../test/kit/health.ts';
import { fakeSource, pricesOf, productionOf } from '../../../../test/kit/market.ts';
import { until } from '../../../../test/kit/until.ts';
import { HttpFailure } from '../../../adapter/http.ts';
import { type TurnedClock, turnedClock } from '../../../core/clock.ts';
import type { VendorHealth } from '../../../domain/links/vendor-states/index.ts';
import { createHealthLook, type HealthParts } from '../health/look.ts';
import { addHealthRoute } from './admin-health.ts';

const BLOCKED: VendorHealth = {
  ...{
    slug: 'tesla',
    name: 'Tesla',
    state: 'blocked',
    refused: 0,
    blockedLinks: 0,
    limits: [],
    deliveries: 0,
  },
  state: 'blocked',
  links: { active: 0, unreachable: 1, needsRelink: 0 },
  blockedUntil: Date.parse('2026-11-21T14:00:00Z'),
  reads: { waiting: 0, late: 0, oldestDue: null },
};

describe('GET /admin/health', () => {
  let place: Place;
  let database: Awaited<ReturnType<Place['open']>>;
  let clock: TurnedClock;
  const closers: (() => Promise<unknown>)[] = [];
  before(async () => {
    clock = turnedClock(Date.parse('2026-11-21T13:07:00Z'));
    place = await makePlace('sqlite');
    database = await place.open(clock);
  });
  after(async () => {
    for (const close of closers.toReversed()) await close();
    await database.close();
    await place.remove();
  });

  async function make(changed: Partial<HealthParts> = {}) {
    const { prices } = await pricesOf(database, {
      clock,
      sources: [
        fakeSource(clock, 'entsoe', {
          answer: () => {
            throw new HttpFailure('unreachable', 'entsoe cannot be reached');
          },
        }),
      ],
    });
    const { production } = await productionOf(database, { clock });
    prices.start();
    await until('the source was asked', () => prices.health().sources.length > 0);
    const { app } = bareServer({ clock });
    const look = createHealthLook({
      ...healthPartsOf({ database, clock }),
      ...{ probes: [], prices, production, clock },
      vendors: async () => [BLOCKED],
      registers: [
        { table: 'grid_areas', name: 'eSett Open Data', licence: 'open', as_of: '2026-08-17' },
        { table: 'operators', name: 'eSett Open Data', licence: 'open', as_of: '2026-08-17' },
      ],
      ...changed,
    });
    addHealthRoute(app, look);
    await app.ready();
    closers.push(async () => {
      await app.close();
      await production.close();
      await prices.close();
    });
    return async () => {
      const response = await app.inject({ url: '/admin/health' });
      assert.equal(response.statusCode, 200, response.body);
      return response.json();
    };
  }

  it('GET /admin/health says what is wrong, worst first, with what to do and where to read more', async () => {
    const health = await (await make())();
    assert.equal(health.state, 'critical');
    assert.deepEqual(
      health.problems.map(({ code, severity }: { code: string; severity: string }) => [severity, code]),
      [
        ['critical', 'prices_missing'],
        ['warning', 'source_fails'],
        ['warning', 'vendor_blocked'],
      ],
    );
    const [, fails, blocked] = health.problems;
    const { sentence, ...rest } = fails;
    assert.match(
      sentence,
      /^The source ENTSO-E Transparency Platform has failed .*: Source entsoe: entsoe cannot be reached$/,
    );
    assert.deepEqual(rest, {
      code: 'source_fails',
      severity: 'warning',
      what_to_do:
        'Other sources are used meanwhile. If it lasts for hours, check its token and its own status page.',
      guide: 'docs/guides/alerts.md#elnavsourcefails',
    });
    assert.equal(blocked.sentence, 'Tesla refuses the calls of all links until 15:00.');
  });

  it('GET /admin/health shows the database, sources, registers, vendors and readers of the log', async () => {
    const health = await (await make())();
    assert.equal(health.database.engine, 'sqlite');
    assert.ok(health.database.bytes > 100_000, JSON.stringify(health.database));
    assert.equal(health.database.disk_free_bytes, null);
    const [source] = health.sources;
    assert.equal(source.source, 'entsoe');
    assert.ok(source.failures_in_row > 0);
    assert.equal(source.asked_at, '2026-11-21T13:07:00.000Z');
    assert.ok(Date.parse(source.next_attempt_at) > clock.now());
    assert.deepEqual(health.registers, [
      { source: 'eSett Open Data', as_of: '2026-08-17', tables: ['grid_areas', 'operators'] },
    ]);
    assert.equal(health.vendors[0].blocked_until, '2026-11-21T14:00:00.000Z');
    assert.deepEqual(health.event_log, {
      held_seconds: 0,
      readers: [
        { reader: 'history', lag_seconds: 0 },
        { reader: 'charging_sessions', lag_seconds: 0 },
      ],
    });
    assert.deepEqual(health.not_read, []);
  });

  it('GET /admin/health does without a part that hangs or fails, says so, and does not ask it again at once', async () => {
    let asked = 0;
    const get = await make({
      vendors() {
        asked += 1;
        return new Promise<never>(() => {});
      },
      database: async () => {
        throw new Error('the disk is gone');
      },
    });
    const [first, second] = [get(), get()];
    await until('the vendors are asked', () => asked > 0);
    // The embedded database answers one question after the other: what was asked before has been read.
    await healthPartsOf({ database, clock }).eventLog();
    clock.turn(2_000);
    const health = await first;
    assert.equal(health.vendors, null);
    assert.equal(health.database, null);
    assert.ok(health.instances !== null && health.prices !== null);
    assert.deepEqual(health.not_read, [
      { part: 'database', reason: 'the disk is gone' },
      { part: 'vendors', reason: 'no response in 2 seconds' },
    ]);
    assert.ok(
      health.problems.some(
        ({ sentence }: { sentence: string }) =>
          sentence === 'The vendors could not be read: no response in 2 seconds.',
      ),
    );
    assert.equal((await second).vendors, null);
    assert.equal((await get()).vendors, null);
    assert.equal(asked, 1);
  });
});

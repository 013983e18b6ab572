import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { makePlace, onEachEngine, type Place } from '../../../../test/kit/databases.ts';
import type { BudgetRule } from '../../../adapter/budget.ts';
import { turnedClock } from '../../../core/clock.ts';
import type { Database } from '../../../db/database.ts';
import { createVendorHealth } from './index.ts';

const MONTHLY: BudgetRule = {
  ...{ name: 'monthly', of: 'app', amount: 1_000, seconds: 86_400, unit: 'calls' },
  ...{ reserve: 0.2, costs: { read: 1 }, source: 'its documents' },
};

onEachEngine('the health of vendors', (engine) => {
  let place: Place;
  let database: Database;
  // Half a day into the window of the limit.
  const clock = turnedClock(Date.parse('2026-11-21T12:00:00Z'));
  const now = clock.now();
  before(async () => {
    place = await makePlace(engine);
    database = await place.open(clock);
    const { queries } = database;
    const { id: account } = await queries
      .insertInto('accounts')
      .values({ email: 'a@example.com', name: '', tier: 'pro', created_at: now, throttled_until: null })
      .returning('id')
      .executeTakeFirstOrThrow();
    const link = (vendor: string, id: string, status: string, refusedSince: number | null = null) => ({
      ...{ account_id: account, id, vendor, vendor_account: id, user_ref: 'u', status },
      ...{ status_since: now, status_reason: null, created_at: now, updated_at: now },
      ...{ vault_key: 'k', sealed_credentials: 's', refused_since: refusedSince },
      ...{ gateway_id: null, price_area: null },
    });
    await queries
      .insertInto('links')
      .values([
        link('easee', 'e1', 'active'),
        link('easee', 'e2', 'active', now - 60_000),
        link('easee', 'e3', 'unreachable'),
        link('easee', 'e4', 'needs_relink', now - 60_000),
        link('tesla', 't1', 'unreachable'),
      ])
      .execute();
    await queries
      .insertInto('vendor_blocks')
      .values([
        { vendor: 'tesla', host: 'api', subject: '', until: now + 60_000 },
        { vendor: 'tesla', host: 'token', subject: '', until: now + 90_000 },
        { vendor: 'easee', host: 'api', subject: `${account}/e1`, until: now + 60_000 },
        { vendor: 'easee', host: 'api', subject: `${account}/e2`, until: now - 1 },
      ])
      .execute();
    await queries
      .insertInto('vendor_use')
      .values([
        {
          ...{ vendor: 'easee', rule: 'monthly', subject: 'app' },
          ...{ window_start: Date.parse('2026-11-21T00:00:00Z'), used: 400 },
          ...{ before_start: Date.parse('2026-11-20T00:00:00Z'), used_before: 150 },
        },
      ])
      .execute();
    await queries
      .insertInto('device_polls')
      .values(
        [-600_000, -301_000, -1_000, 5_000].map((ms, index) => ({
          ...{ account_id: account, link_id: 'e1', device_id: `d${index}`, vendor: 'easee' },
          ...{ due_at: now + ms, planned_at: null, interval_s: 60, failures: 0 },
          ...{ hinted_at: null, active_until: null },
        })),
      )
      .execute();
    const delivery = { vendor: 'tesla', received_at: now, due_at: now, attempts: 0 };
    await queries
      .insertInto('webhook_deliveries')
      .values([
        { ...delivery, delivery_id: '1', status: 'pending', reason: null, headers_json: '{}', body: null },
        { ...delivery, delivery_id: '2', status: 'done', reason: null, headers_json: null, body: null },
      ])
      .execute();
  });
  after(async () => {
    await database?.close();
    await place.remove();
  });

  it('the health of vendors says of each what links, blocks, limits, reads and deliveries say', async () => {
    const look = createVendorHealth({
      ...{ database, clock },
      vendors: [
        { slug: 'easee', name: 'Easee', budgets: [MONTHLY, { ...MONTHLY, name: 'each', of: 'link' }] },
        { slug: 'tesla', name: 'Tesla' },
        { slug: 'netatmo', name: 'Netatmo', budgets: [MONTHLY] },
      ],
    });
    assert.deepEqual(await look(), [
      {
        ...{ slug: 'easee', name: 'Easee', state: 'ok' },
        links: { active: 2, unreachable: 1, needsRelink: 1 },
        refused: 1,
        blockedUntil: null,
        blockedLinks: 1,
        // 400 and half of the 150 of the day before, of the 95 % that are used at all.
        limits: [{ limit: 'monthly', used: 475 / 950 }],
        reads: { waiting: 3, late: 2, oldestDue: now - 600_000 },
        deliveries: 0,
      },
      {
        ...{ slug: 'tesla', name: 'Tesla', state: 'blocked' },
        links: { active: 0, unreachable: 1, needsRelink: 0 },
        refused: 0,
        blockedUntil: now + 90_000,
        blockedLinks: 0,
        limits: [],
        reads: { waiting: 0, late: 0, oldestDue: null },
        deliveries: 1,
      },
    ]);
  });
});

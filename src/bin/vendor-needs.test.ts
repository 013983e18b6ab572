import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Adapter } from '../adapter/adapter.ts';
import { limit } from '../adapter/kit/index.ts';
import { readSettings } from '../core/settings/index.ts';
import { sandbox } from '../vendors/sandbox/index.ts';
import { needsOf, withAmounts } from './vendor-needs.ts';

const PLAN = { name: 'ELNAV_SUNNY_PLAN', description: 'Your plan' };
const ofApp = { of: 'app', source: 'its pages' } as const;
const sunny = {
  ...sandbox,
  slug: 'sunny',
  budgets: [
    limit('minute', {
      ...ofApp,
      calls: 10,
      seconds: 60,
      setting: { ...PLAN, plans: { free: 10, paid: 50 } },
    }),
    limit('month', {
      ...ofApp,
      calls: 1_000,
      seconds: 2_678_400,
      setting: { ...PLAN, plans: { free: 1_000, paid: 50_000 } },
    }),
    limit('unplanned', { calls: 3, seconds: 1, source: 'its pages' }),
  ],
} satisfies Adapter;

const amountsWith = (env: Record<string, string>, adapter: Adapter = sunny) => {
  const set = readSettings(env, needsOf([adapter])).vendors.get(adapter.slug);
  return withAmounts(adapter, set).budgets?.map(({ amount }) => amount);
};

describe('the plan that the operator has at a vendor', () => {
  it('the plan that the operator has at a vendor is one setting, and decides every limit that depends on it', () => {
    assert.deepEqual(
      needsOf([sunny])[0]?.plans.map(({ setting, names, fallback }) => [setting, names, fallback]),
      [['ELNAV_SUNNY_PLAN', ['free', 'paid'], 'free']],
    );
    assert.deepEqual(amountsWith({}), [10, 1_000, 3]);
    assert.deepEqual(amountsWith({ ELNAV_SUNNY_PLAN: 'paid' }), [50, 50_000, 3]);
  });

  it('the plan that the operator has at a vendor is one of those that there are', () => {
    assert.throws(() => amountsWith({ ELNAV_SUNNY_PLAN: 'gold' }), /must be one of free, paid, not "gold"/);
    const [minute] = sunny.budgets;
    assert.ok(minute !== undefined);
    assert.throws(
      () => needsOf([{ ...sunny, budgets: [{ ...minute, amount: 11 }] }]),
      /no plan of ELNAV_SUNNY_PLAN has the amount 11/,
    );
  });
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Instance, InstanceReport } from '../../../domain/links/instances/index.ts';
import type { VendorHealth } from '../../../domain/links/vendor-states/index.ts';
import type { PricesHealth } from '../../../domain/market/prices/index.ts';
import type { ProductionHealth } from '../../../domain/market/production/index.ts';
import { GUIDES, PROBLEM_CODES } from './problem.ts';
import { sayProblem } from './problem-words.ts';
import { type Judgeable, problemsOf } from './problems.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const AREAS = { SE1: NOW, SE2: NOW, SE3: NOW, SE4: NOW };

const REPORT: InstanceReport = {
  ...{ memory_bytes: 170e6, event_loop_p99_ms: 2, log_lag_ms: 100 },
  ...{ streams: 0, event_streams: 0, stations: 0, gateways: 0 },
  ...{ paused_vendors: [], vendors_succeeded: {}, failing_checks: [] },
};
const instance = (id: string, changed: Partial<Instance> = {}): Instance => ({
  ...{ id, services: ['connect', 'grid'], version: '1.0.0', host: id, pid: 7 },
  ...{ startedAt: NOW - 60_000, seenAt: NOW, isAlive: true, report: REPORT, leads: [] },
  ...changed,
});
const reporting = (id: string, changed: Partial<InstanceReport>) =>
  instance(id, { report: { ...REPORT, ...changed } });
const EASEE: VendorHealth = {
  ...{ slug: 'easee', name: 'Easee', state: 'ok', refused: 0, blockedUntil: null, blockedLinks: 0 },
  links: { active: 5, unreachable: 0, needsRelink: 0 },
  ...{ limits: [], reads: { waiting: 0, late: 0, oldestDue: null }, deliveries: 0 },
};
const PRICES: PricesHealth = {
  status: 'ok',
  sentence: 'ok',
  until: AREAS,
  missing: [],
  late: [],
  sources: [],
  is_on: true,
  is_fetching: true,
  next_attempt_at: NOW,
};
const PRODUCTION: ProductionHealth = {
  status: 'ok',
  sentence: 'ok',
  unit: 'MW',
  until: AREAS,
  late: [],
  is_on: true,
  next_attempt_at: NOW,
  source: null,
};
const WELL: Judgeable = {
  checks: { value: [{ name: 'database', vital: true, isWell: true, message: 'ok' }] },
  database: { value: { engine: 'postgres', version: '17', bytes: 1, freeDisk: null } },
  instances: { value: [instance('a'), instance('b')] },
  market: { value: { prices: PRICES, production: PRODUCTION } },
  vendors: { value: [EASEE] },
  eventLog: { value: { heldMs: 0, readers: [{ name: 'history', lagMs: 0 }] } },
  subscriptions: { value: [{ state: 'failing', count: 1, lag: 90_000 }] },
};
const codes = (changed: Partial<Judgeable>) =>
  problemsOf({ ...WELL, ...changed }, 'a').map(({ severity, code }) => `${severity} ${code}`);
const ofVendor = (changed: Partial<VendorHealth>) =>
  codes({ vendors: { value: [{ ...EASEE, ...changed }] } });
const ofInstances = (...value: Instance[]) => codes({ instances: { value } });

describe('the problems', () => {
  it('the problems are none where all is well', () => {
    assert.deepEqual(codes({}), []);
  });

  it('the problems of instances: one that is gone, and worse where nobody else serves what it served', () => {
    const dead = instance('b', { isAlive: false });
    assert.deepEqual(ofInstances(instance('a'), dead), ['warning instance_gone']);
    assert.deepEqual(ofInstances(instance('a', { services: ['grid'] }), dead), ['critical service_gone']);
    assert.deepEqual(ofInstances(instance('a'), instance('b', { version: '1.1.0' })), [
      'warning versions_differ',
    ]);
    assert.deepEqual(
      ofInstances(
        reporting('a', { event_loop_p99_ms: 251, memory_bytes: 1.6e9, log_lag_ms: 11_000 }),
        reporting('b', { event_loop_p99_ms: 250, memory_bytes: 1.5e9, log_lag_ms: 10_000 }),
      ),
      ['warning instance_behind', 'warning event_loop_slow', 'warning memory_high'],
    );
    assert.deepEqual(ofInstances(reporting('a', { paused_vendors: ['easee'] })), ['warning vendor_paused']);
    assert.deepEqual(ofInstances(instance('a', { report: null })), []);
  });

  it('the problems of checks: those of this instance as they are now, and those of the others as they have said', () => {
    const failing = (check: string) => reporting('b', { failing_checks: [{ check, message: 'lost' }] });
    assert.deepEqual(ofInstances(instance('a'), failing('redis')), ['warning check_fails']);
    assert.deepEqual(ofInstances(instance('a'), failing('database')), ['critical database_away']);
    assert.deepEqual(ofInstances(instance('a'), failing('prices')), []);
    assert.deepEqual(
      ofInstances({ ...failing('redis'), id: 'a' }),
      [],
      'what it has said of itself is older than what it checks',
    );
    const checks = { value: [{ name: 'mail', vital: false, isWell: false, message: 'refused' }] };
    const [problem] = problemsOf({ ...WELL, checks }, 'a');
    assert.ok(problem !== undefined);
    assert.equal(sayProblem(problem).sentence, 'mail does not work on a (7): refused.');
  });

  it('the problems of vendors: blocks, links, limits, reads and deliveries', () => {
    assert.deepEqual(ofVendor({ blockedUntil: NOW + 1, state: 'blocked' }), ['warning vendor_blocked']);
    assert.deepEqual(ofVendor({ state: 'trouble' }), ['warning vendor_unreachable']);
    assert.deepEqual(ofVendor({ refused: 1 }), ['warning vendor_refuses']);
    assert.deepEqual(ofVendor({ limits: [{ limit: 'monthly', used: 0.91 }] }), ['warning limit_nearly_used']);
    assert.deepEqual(ofVendor({ limits: [{ limit: 'monthly', used: 0.9 }] }), []);
    assert.deepEqual(ofVendor({ reads: { waiting: 9, late: 1, oldestDue: 0 } }), ['warning reads_late']);
    assert.deepEqual(ofVendor({ reads: { waiting: 9, late: 0, oldestDue: 0 } }), []);
    assert.deepEqual(ofVendor({ deliveries: 501 }), ['warning deliveries_wait']);
    assert.deepEqual(ofVendor({ deliveries: 500 }), []);
  });

  it('the problems of events: a log that stands still, readers and subscriptions that are late', () => {
    const eventLog = { value: { heldMs: 60_001, readers: [{ name: 'history', lagMs: 300_001 }] } };
    assert.deepEqual(codes({ eventLog }), ['critical log_stuck', 'warning reader_late']);
    const late = { value: [{ state: 'active', count: 1, lag: 301 }] };
    assert.deepEqual(codes({ subscriptions: late }), ['warning subscriptions_late']);
  });

  it('the problems of prices and production: what is missing, late or old, and who fails', () => {
    const market = (prices: Partial<PricesHealth>, production: Partial<ProductionHealth> = {}) =>
      codes({
        market: { value: { prices: { ...PRICES, ...prices }, production: { ...PRODUCTION, ...production } } },
      });
    assert.deepEqual(market({ missing: ['SE3'] }), ['critical prices_missing']);
    assert.deepEqual(market({ missing: ['SE3'], is_on: false }), ['warning prices_off']);
    assert.deepEqual(market({ late: ['SE3'] }), ['warning prices_late']);
    assert.deepEqual(market({}, { late: ['SE1'] }), ['warning production_old']);
    const source = { sentence: 'x', asked_at: NOW, succeeded_at: null, failures_in_row: 2, not_before: null };
    assert.deepEqual(market({ sources: [{ ...source, source: 'entsoe', outcome: 'timeout' }] }), [
      'warning source_fails',
    ]);
    assert.deepEqual(market({}, { source: { ...source, slug: 'esett', name: 'eSett' } }), [
      'warning source_fails',
    ]);
  });

  it('the problems say of a part that was not read that it was not, after what is critical', () => {
    assert.deepEqual(
      codes({ vendors: { reason: 'gone' }, eventLog: { value: { heldMs: 70_000, readers: [] } } }),
      ['critical log_stuck', 'warning part_unread'],
    );
  });

  it('the problems lead to sections of guides that exist', () => {
    assert.ok(PROBLEM_CODES.length > 20);
    for (const code of PROBLEM_CODES) {
      const [file = '', anchor = ''] = GUIDES[code].split('#');
      const headings = [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
        text
          .toLowerCase()
          .replaceAll(/[^\w -]/g, '')
          .replaceAll(' ', '-'),
      );
      assert.ok(headings.includes(anchor), `${code}: ${file} has no section ${anchor}`);
    }
  });
});

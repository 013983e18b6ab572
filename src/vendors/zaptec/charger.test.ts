import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recordedIn } from '../../../test/kit/vendor-world.ts';
import { failureOfStatus } from '../../adapter/http.ts';
import { tokensIn } from '../../adapter/kit/index.ts';
import type { JsonObject } from '../../core/json.ts';
import { failure, isWrongPassword } from './api.ts';
import * as charger from './charger.ts';

const recorded = recordedIn(import.meta.dirname);
const ALONE: charger.Details = { max_a: 25, installation: 'house', others: [], unbalanced: null };
const [INSTALLATION] = (recorded('installations') as { Data: charger.Installation[] }).Data;
assert.ok(INSTALLATION !== undefined);
const LIMITED = recorded('installation-limited') as charger.Installation;

const rawOf = (state: unknown[], is: charger.Installation = INSTALLATION): charger.ChargerRaw => ({
  details: ALONE,
  ...charger.observingIn(state),
  installation: { is, others: [] },
});
const charging = rawOf(recorded('state-charging') as unknown[]);
const paused = rawOf(recorded('state-paused') as unknown[]);
const offline = rawOf(recorded('state-offline') as unknown[]);
/** With other values; a time that is later than all of theirs. */
const having = (raw: charger.ChargerRaw, values: Readonly<Record<number, unknown>>): charger.ChargerRaw => {
  const more = Object.entries(values).map(([id, ValueAsString]) => ({ StateId: Number(id), ValueAsString }));
  const observed = new Map([...raw.observed, ...charger.observingIn(more).observed]);
  return { ...raw, observed };
};

describe('what a charger reports', () => {
  it('is read as recorded', () => {
    const on = { online: true, connected: true };
    assert.deepEqual(charger.statusOf(charging), {
      ...on,
      charging: true,
      operation_state: 'connected_charging',
    });
    assert.deepEqual([charger.powerOf(charging), charger.energyOf(charging)], [6_842.123, 4_711]);
    assert.deepEqual(charger.statusOf(paused), { ...on, charging: false, operation_state: 'paused' });
    assert.deepEqual([charger.powerOf(paused), charger.energyOf(paused)], [0, 4_900]);
    // The pulse has a time alone; that of a flag of the cloud or a setting does not count.
    assert.equal(charger.reportedAt(charging), Date.UTC(2026, 10, 21, 8, 59, 56, 470));
    assert.equal(charger.reportedAt(offline), Date.UTC(2026, 10, 21, 8, 59, 56, 470));
    assert.equal(charger.reportedAt(rawOf([])), null);
  });

  it('gives each mode its word, and an unknown one what is left to say', () => {
    for (const [mode, operation_state, connected, isCharging] of [
      ['1', 'disconnected', false, false],
      ['2', 'connected_requesting', true, false],
      ['3', 'connected_charging', true, true],
      ['5', 'connected_finished', true, false],
      ['0', 'mode 0', null, null],
      ['4', 'mode 4', null, null],
      ['NEW', null, null, null],
    ] as const)
      assert.deepEqual(charger.statusOf(having(charging, { 710: mode })), {
        online: true,
        connected,
        charging: isCharging,
        operation_state,
      });
    const unrecognized = (mode: string) => charger.unrecognizedIn(having(charging, { 710: mode })).join();
    assert.deepEqual(['0', '3.000', '4', 'NEW'].map(unrecognized), ['', '', 'mode 4', 'mode "NEW"']);
  });

  it('has only what does not pass while the charger cannot be reached', () => {
    assert.deepEqual(charger.statusOf(offline), {
      online: false,
      connected: null,
      charging: null,
      operation_state: 'offline',
    });
    assert.deepEqual(
      [charger.powerOf(offline), charger.energyOf(offline), charger.capacityOf(offline).current_a],
      [null, 4_711, null],
    );
    assert.equal(charger.statusOf(rawOf([])).online, false, 'one that has never reported');
  });

  it('leaves out what cannot be read', () => {
    const odd = [null, 'word', [], { StateId: '710', ValueAsString: '3' }, { StateId: 710.5 }];
    assert.equal(charger.observingIn(odd).observed.size, 0);
    for (const value of [null, 3, '', 'NaN', '1e300', '-0.1', { deep: 1 }])
      assert.equal(charger.powerOf(having(charging, { 513: value })), null, JSON.stringify(value));
    assert.equal(charger.energyOf(having(charging, { 553: '-0.1' })), null);
  });
});

describe('limits and capacity', () => {
  const left = (raw: charger.ChargerRaw) => charger.capacityOf(raw).current_a;

  it('are those of the installation and of the charger', () => {
    assert.deepEqual(charger.limitsOf(charging), { min_a: 6, max_a: 25, min_w: null, max_w: null });
    assert.equal(charger.limitsOf(paused).min_a, 10, 'below its minimum the charger gives nothing');
    // 9.944 A are drawn on the phase that has most; without a limit of its own the maximum of 25 A holds.
    assert.equal(left(charging), 15);
    assert.equal(left({ ...charging, installation: { is: LIMITED, others: [] } }), 3, '13 A on phase 2');
  });

  it('count what the other chargers of the installation draw', () => {
    const of = (...others: charger.ChargerRaw[]) =>
      left({
        ...charging,
        installation: { is: INSTALLATION, others },
      });
    assert.equal(of(charging), 5);
    assert.equal(of(charging, charging, charging), 0, 'never below zero');
    assert.equal(of(paused), 15, 'the noise of one at rest is nothing drawn');
    assert.equal(of(offline), null, 'what an unreachable one draws is not reported');
  });

  it('are not guessed', () => {
    assert.equal(left(having(charging, { 712: '1' })), null, 'in stand-alone mode no installation limits it');
    assert.equal(left(having(charging, { 710: '0' })), null);
    assert.equal(left({ ...charging, installation: { is: { Id: 'house' }, others: [] } }), null);
    assert.equal(left({ ...charging, installation: null }), null);
  });
});

describe('what Zaptec refuses', () => {
  const errors = recorded('errors') as Record<string, { status: number; body: JsonObject }>;
  const causeOf = (name: string, { status, body } = errors[name] ?? { status: 0, body: {} }) => {
    const cause = failureOfStatus('it', { status, body: JSON.stringify(body) });
    assert.ok(cause !== null);
    return cause;
  };

  it('is a refusal with its reason, also with a server error', () => {
    for (const [name, reason] of [
      ['not_paused', /present state \(error 528\)/],
      ['managed', /power management \(Sense\).*\(error 527\)/],
    ] as const) {
      const error = failure(causeOf(name), 'it');
      assert.equal(error?.code, 'vendor.refused');
      assert.match(error?.message ?? '', reason);
      assert.doesNotMatch(error?.message ?? '', /made up/);
    }
    assert.equal(failure(causeOf('outage'), 'it'), undefined);
  });

  it('is the password where Zaptec says so alone', () => {
    assert.equal(isWrongPassword(causeOf('password')), true);
    for (const body of [{}, { error: 'invalid_request' }, { error: 'unsupported_grant_type' }])
      assert.equal(isWrongPassword(causeOf('', { status: 400, body })), false, JSON.stringify(body));
    assert.equal(isWrongPassword(causeOf('outage')), false);
  });

  it('has tokens for a day', () => {
    const { expiresAt, refresh } = tokensIn('Zaptec', recorded('token'), { now: 0, before: undefined });
    assert.deepEqual([expiresAt, refresh], [86_399_000, null]);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import type { SetPointRow } from './store.ts';
import { BATTERY, type Keeping, keeping } from './test-keeping.ts';
import { responseOf } from './view.ts';

const listed = async ({ core, account }: Keeping) => {
  const [one] = await core.setPoints.list({ account, deviceId: BATTERY, vendor: undefined });
  assert.ok(one !== undefined);
  return one;
};

onEachEngine('a set-point of an unreachable device', (engine) => {
  it('a set-point of an unreachable device is unknown from the first renewal that fails until one goes well', async (test) => {
    const here = await keeping(test, engine, null);
    await here.discharge(3_000);
    const known = await listed(here);
    assert.deepEqual([known.state, known.unknown_since, known.error], ['in_force', null, null]);
    assert.deepEqual(known.if_unreachable, { ended_by: 'nobody', at: null });
    here.isReachable = false;
    await here.pass(62);
    const lost = await listed(here);
    assert.deepEqual([lost.state, lost.error], ['unknown', 'the battery is unreachable']);
    const since = lost.unknown_since;
    assert.ok(Date.parse(since ?? '') >= Date.parse(known.renewed_at), String(since));
    await here.pass(20);
    assert.equal((await listed(here)).unknown_since, since, 'later failures change nothing');
    here.isReachable = true;
    await here.pass(60);
    const again = await listed(here);
    assert.deepEqual([again.state, again.unknown_since, again.error], ['in_force', null, null]);
  });

  it('a set-point of an unreachable device says when the timer of the device ends it', async (test) => {
    const here = await keeping(test, engine, 60);
    await here.discharge(3_000);
    here.isReachable = false;
    await here.pass(30);
    const lost = await listed(here);
    assert.equal(lost.state, 'unknown');
    assert.deepEqual(lost.if_unreachable, { ended_by: 'device', at: lost.reverts_at });
  });
});

describe('a set-point behind a gateway that is away', () => {
  const AT = Date.UTC(2026, 10, 27, 8);
  const HELD: SetPointRow = {
    ...{ account: 1, vendor: 'batteries', device: 'b', type: 'set_battery_power', link: 'l', version: 'v' },
    ...{ commandJson: '{"type":"set_battery_power","power_w":-3000}', keyId: 'k', state: 'held' },
    ...{ isInDoubt: false, since: AT, renewedAt: AT, until: null, endsByItself: false, revertMs: null },
    ...{ releasingSince: null, failures: 0, error: null, reason: null, removesLinkOf: null },
    ...{ failingSince: null, hasWill: true },
  };
  const away = { isElsewhere: false, heardAt: AT + 20_000, why: 'the gateway Home is not connected' };
  const iso = (ms: number) => new Date(ms).toISOString();

  it('a set-point behind a gateway that is away is unknown since that was heard last, and released three minutes after that', () => {
    const { state, unknown_since, error, if_unreachable } = responseOf(HELD, away);
    assert.deepEqual([state, unknown_since, error], ['unknown', iso(AT + 20_000), away.why]);
    assert.deepEqual(if_unreachable, { ended_by: 'gateway', at: iso(AT + 200_000) });
  });

  it('a set-point behind a gateway that is away stands where that gateway has nothing that releases it', () => {
    const { if_unreachable } = responseOf({ ...HELD, hasWill: false }, away);
    assert.deepEqual(if_unreachable, { ended_by: 'nobody', at: null });
  });

  it('a set-point behind a gateway that is connected is in force, and says that the gateway would release it', () => {
    const { state, error, if_unreachable } = responseOf(HELD, undefined);
    assert.deepEqual([state, error], ['in_force', null]);
    assert.deepEqual(if_unreachable, { ended_by: 'gateway', at: null });
  });

  it('a set-point behind a gateway that is away is unknown since its own renewal failed, where that was before', () => {
    const failing = { ...HELD, failures: 2, failingSince: AT + 5_000, error: 'no route' };
    const { unknown_since, error } = responseOf(failing, away);
    assert.deepEqual([unknown_since, error], [iso(AT + 5_000), 'no route']);
  });
});

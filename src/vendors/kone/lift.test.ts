import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { objectIn } from '../../adapter/kit/index.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { isWhole, type LiftRaw, observedAt, statusOf, UNHEARD, unrecognized, withEvent } from './lift.ts';
import { event, NOW, recorded } from './test-world.ts';

/** A lift of which these events were reported, in order. */
const after = (events: readonly JsonObject[], from: LiftRaw = UNHEARD): LiftRaw =>
  events.reduce<LiftRaw>(
    (raw, { subtopic, data }) => withEvent(raw, String(subtopic).split('/')[1] ?? '', objectIn(data)),
    from,
  );

const shown = (...events: JsonObject[]) => statusOf(after(events));
const door = (state: Json, more: JsonObject = {}) =>
  event('doors', { area: 1_001_010, lift_side: 1, state, ...more });
const status = (data: JsonObject) => event('status', { decks: [{ area: 1_001_010, alarm: false }], ...data });
const moving = (moving_state: Json) => event('position', { moving_state });

describe('what KONE reports of a lift', () => {
  it("is read in the shape of KONE's document", () => {
    const raw = after(recorded('events') as JsonObject[]);
    assert.deepEqual(statusOf(raw), { online: true, operation_state: 'STANDING', door_open: false });
    assert.equal(isWhole(raw), true);
    assert.equal(observedAt(raw), Date.parse('2022-03-28T08:17:09.163Z'));
    assert.deepEqual(unrecognized(raw), []);
  });

  it('is what matters most: an alarm, then why it does not run, then how it moves', () => {
    const alarm = { decks: [{ area: 1 }, { area: 2, alarm: true }] };
    const cases: readonly (readonly [JsonObject, string])[] = [
      [{ lift_mode: 12, fault_active: false }, 'MOVING'],
      [{ lift_mode: 12, fault_active: true }, 'FAULT'],
      [{ lift_mode: -1, fault_active: true }, 'OUT_OF_SERVICE'],
      [{ lift_mode: 14 }, 'OUT_OF_SERVICE'],
      [{ lift_mode: 38 }, 'FIRE'],
      [{ lift_mode: 9 }, 'EMERGENCY'],
      [{ lift_mode: 38, ...alarm }, 'ALARM'],
    ];
    for (const [data, expected] of cases)
      assert.equal(shown(status(data), moving('MOVING')).operation_state, expected, JSON.stringify(data));
  });

  it('is open while any door of any deck is not closed, and unknown where one stopped on its way', () => {
    const upper = (state: string) => door(state, { area: 1_001_110 });
    const rear = (state: string) => door(state, { lift_side: 2 });
    for (const state of ['OPENING', 'OPENED', 'CLOSING', 'NUDGING'])
      assert.equal(shown(door(state)).door_open, true, state);
    assert.equal(shown(door('CLOSED')).door_open, false);
    assert.equal(shown(door('CLOSED'), rear('OPENED')).door_open, true);
    assert.equal(shown(upper('OPENED'), door('CLOSED')).door_open, true);
    assert.equal(shown(door('CLOSED'), rear('STOPPED')).door_open, null);
    assert.equal(shown(door('ERROR'), rear('OPENED')).door_open, true);
    assert.equal(shown(status({})).door_open, null, 'no door has been reported');
  });

  it('is not taken back by an event that comes late', () => {
    const late = { time: '2026-11-21T09:59:58.000Z' };
    assert.equal(shown(door('CLOSED'), door('CLOSING', late)).door_open, false);
    assert.equal(
      shown(moving('STANDING'), event('position', { moving_state: 'DECELERATING', ...late })).operation_state,
      'STANDING',
    );
    assert.equal(
      shown(door('CLOSED', { time: 'soon' }), door('OPENED')).door_open,
      true,
      'without a time the last one holds',
    );
  });

  it('holds until its controller last answered', () => {
    const answeredAt = Date.parse(NOW) + 60_000;
    assert.equal(observedAt({ ...after([door('CLOSED')]), answeredAt }), answeredAt);
    assert.equal(observedAt(UNHEARD), null);
  });

  it('is nothing while the controller does not answer', () => {
    const raw = after([status({}), moving('MOVING'), door('OPENED')]);
    assert.deepEqual(statusOf({ ...raw, online: false }), {
      online: false,
      operation_state: null,
      door_open: null,
    });
  });

  it('costs nothing else where a value is not recognized, and is reported', () => {
    const raw = after([status({ lift_mode: 77 }), moving('HOVERING'), door('AJAR')]);
    assert.deepEqual(statusOf(raw), { online: true, operation_state: null, door_open: null });
    assert.deepEqual(unrecognized(raw), ['lift_mode 77', 'moving_state "HOVERING"', 'door "AJAR"']);
    for (const odd of [null, 7, [], { odd: true }]) {
      const { online } = shown(status({ lift_mode: odd, decks: odd }), moving(odd), door(odd));
      assert.equal(online, true);
    }
  });
});

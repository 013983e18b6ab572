import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Command, LoggedEvent, SetPoint } from '../console/app/api/shapes.ts';
import { lastSetOf, numberIn } from '../console/app/device/last-set.ts';

const NOW = Date.UTC(2026, 10, 21, 18);
const AT = '2026-11-21T17:30:00.000Z';
const EIGHT: Command = { type: 'set_current', current_a: 8 };

const outcome = (type: LoggedEvent['type'], command: Command) =>
  ({ type, occurred_at: AT, data: { command } }) as unknown as LoggedEvent;
const done = (command: Command) => outcome('command.succeeded', command);
const held = (state: SetPoint['state'], command: Command = { type: 'set_current', current_a: 10 }) =>
  ({ type: 'set_current', command, state, since: AT }) as SetPoint;
const known = (outcomes: readonly LoggedEvent[], setPoints: readonly SetPoint[] = []) =>
  lastSetOf('set_current', { setPoints, outcomes, now: NOW });

describe('what a control is set to', () => {
  it('what a control is set to is the set-point in force, else the newest command of its type', () => {
    assert.deepEqual(known([done(EIGHT)]), { command: EIGHT, at: AT, isHeld: false });
    const others = [done({ type: 'turn_on' }), done(EIGHT), done({ type: 'set_current', current_a: 6 })];
    assert.deepEqual(known(others)?.command, EIGHT);
    const { command, isHeld } = known([done(EIGHT)], [held('in_force')]) ?? {};
    assert.deepEqual({ command, isHeld }, { command: { type: 'set_current', current_a: 10 }, isHeld: true });
  });

  it('what a control is set to is not known after an unknown outcome, and of a set-point that is being released', () => {
    assert.equal(known([]), undefined);
    assert.equal(known([outcome('command.outcome_unknown', EIGHT), done(EIGHT)]), undefined);
    assert.equal(known([done(EIGHT)], [held('releasing')]), undefined);
    assert.equal(known([done(EIGHT)], [held('unknown')]), undefined);
    const refused = outcome('command.failed', { type: 'set_current', current_a: 40 });
    assert.deepEqual(known([refused, done(EIGHT)])?.command, EIGHT, 'what was refused changed nothing');
  });

  it('what a control is set to is not known after a limit in time is over', () => {
    const timed = (for_seconds: number) => known([done({ ...EIGHT, for_seconds } as Command)]);
    assert.equal(timed(1_800), undefined);
    assert.equal(timed(1_801)?.isHeld, false);
  });

  it('what a control is set to is shown in the unit that is typed', () => {
    const set = {
      command: { type: 'set_temperature', target_milli_c: 21_500 },
      at: AT,
      isHeld: false,
    } as const;
    const field = { name: 'target_milli_c', perUnit: 1_000 };
    assert.equal(numberIn(set, field), 21.5);
    assert.equal(numberIn(set, { ...field, name: 'dim' }), undefined);
    assert.equal(numberIn(undefined, field), undefined);
  });
});

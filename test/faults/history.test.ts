import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { contradictions, type Found, type Sent } from './history.ts';

const link: Sent = {
  kind: 'link',
  key: 'k1',
  userRef: 'anna',
  deviceId: null,
  body: {},
  value: null,
  answer: { status: 200, body: { devices: ['lamp'] } },
};
const command = (key: string, value: string, acknowledged: boolean): Sent => ({
  kind: 'command',
  key,
  userRef: 'anna',
  deviceId: 'lamp',
  body: {},
  value,
  answer: acknowledged ? { status: 200, body: { value } } : null,
});
const history = [link, command('k2', 'red', true), command('k3', 'green', false)];

const sound: Found = {
  userRefs: new Set(['anna']),
  values: new Map([['lamp', 'green']]),
  runs: new Map([
    ['red', 1],
    ['green', 1],
  ]),
  replays: new Map([
    ['k1', { status: 200, body: { devices: ['lamp'] }, code: null, replayed: true }],
    ['k2', { status: 200, body: { value: 'red' }, code: null, replayed: true }],
    ['k3', { status: 502, body: { error: '' }, code: 'command.outcome_unknown', replayed: false }],
  ]),
};

describe('the check of a history', () => {
  it('the check of a history finds nothing when nothing is wrong, whatever happened to the unanswered command', () => {
    assert.deepEqual(contradictions(history, sound), []);
    assert.deepEqual(contradictions(history, { ...sound, values: new Map([['lamp', 'red']]) }), []);
  });

  const broken: readonly (readonly [string, Partial<Found>, RegExp])[] = [
    ['a lost link', { userRefs: new Set() }, /anna was acknowledged and is gone/],
    ['a lost command', { values: new Map([['lamp', 'white']]) }, /has white, and may have red or green/],
    ['a device without a value', { values: new Map() }, /has undefined/],
    [
      'a command that ran twice',
      { runs: new Map([...sound.runs, ['green', 2]]) },
      /green was handed .* 2 times/,
    ],
    [
      'a command that is not in the log',
      { runs: new Map([['green', 1]]) },
      /red was acknowledged and is not/,
    ],
    [
      'another answer to the same key',
      { replays: new Map([...sound.replays, ['k2', { status: 200, body: {}, code: null, replayed: true }]]) },
      /command k2 answered/,
    ],
    [
      'an acknowledged request that ran again',
      {
        replays: new Map([
          ...sound.replays,
          ['k1', { status: 200, body: { devices: ['lamp'] }, code: null, replayed: false }],
        ]),
      },
      /link k1 answered/,
    ],
    [
      'an unanswered request that is refused for good',
      {
        replays: new Map([...sound.replays, ['k3', { status: 500, body: {}, code: null, replayed: false }]]),
      },
      /had no answer, and then 500/,
    ],
    ['a key that was not tried', { replays: new Map() }, /k1 was not sent again/],
  ];
  for (const [what, change, fault] of broken) {
    it(`the check of a history reports ${what}`, () => {
      assert.match(contradictions(history, { ...sound, ...change }).join('\n'), fault);
    });
  }
});

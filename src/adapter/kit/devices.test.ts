import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Type from 'typebox';
import { AppError, type ErrorCodeName } from '../../core/errors.ts';
import { DeviceLimited, ListOutdated } from '../failures.ts';
import type { DeviceRef, Session } from '../session.ts';
import { detailsOf, gone, inTurn, sweepBy, unlessRefused } from './devices.ts';

const device = (id: string, home?: string): DeviceRef => ({
  account: 1,
  link: 'l',
  id,
  type: 'thermostat',
  details: home === undefined ? {} : { home },
});
const DEVICES = [device('a', 'h1'), device('b', 'h2'), device('c', 'h1'), device('d')];

/** A sweep of homes whose calls fail so, by the home; what it gave, and which calls were made. */
async function swept(failures: Readonly<Record<string, ErrorCodeName | AppError>> = {}) {
  const calls: string[] = [];
  const asked: string[] = [];
  const sweep = sweepBy({
    by: ({ details }) => (typeof details.home === 'string' ? details.home : undefined),
    async call(_session, home, devices) {
      calls.push(home);
      asked.push(devices.map(({ id }) => id).join());
      const code = failures[home];
      if (code !== undefined) throw typeof code === 'string' ? new AppError(code, 'no') : code;
      return { a: 1, b: 2 };
    },
    pick: (rooms: Readonly<Record<string, number>>, { id }) => rooms[id],
  });
  return { calls, asked, readings: [...(await sweep({} as Session, DEVICES))] };
}

describe('a sweep by groups', () => {
  it('a sweep by groups makes one call for each group, and leaves out what is of none and what is not there', async () => {
    const { calls, asked, readings } = await swept();
    assert.deepEqual(calls, ['h1', 'h2']);
    assert.deepEqual(asked, ['a,c', 'b'], 'the devices of each group');
    assert.deepEqual(readings, [
      ['a', 1],
      ['b', 2],
    ]);
  });

  it('a sweep by groups loses only the group that is refused, and ends with every other failure', async () => {
    const { calls, readings } = await swept({ h1: 'vendor.refused' });
    assert.deepEqual([calls, readings], [['h1', 'h2'], [['b', 2]]]);
    await assert.rejects(swept({ h1: 'vendor.timeout' }), { code: 'vendor.timeout' });
  });
});

it('a call that is refused has no result, and any other failure is one', async () => {
  const failing = (code: ErrorCodeName) => unlessRefused(Promise.reject(new AppError(code, 'no')));
  assert.deepEqual(
    [await unlessRefused(Promise.resolve(1)), await failing('vendor.refused')],
    [1, undefined],
  );
  await assert.rejects(failing('vendor.rate_limited'), { code: 'vendor.rate_limited' });
});

it('members of an account are asked in turn: those that never were first, then others each day', () => {
  const members = ['a', 'b', 'c', 'd', 'e'];
  const on = (day: number, asked = members) =>
    inTurn(members, { most: 2, now: day * 86_400_000, wasAsked: (one) => asked.includes(one) }).join('');
  assert.deepEqual([on(0), on(1), on(2), on(3)], ['ab', 'cd', 'ea', 'bc']);
  assert.deepEqual([on(0, ['a', 'b']), on(0, ['a', 'c', 'd', 'e']), on(0, [])], ['cd', 'ba', 'ab']);
  assert.deepEqual(inTurn([], { most: 2, now: 0, wasAsked: () => true }), []);
});

describe('a sweep that reaches a limit', () => {
  it('a sweep that reaches a limit gives what it has read, and fails where that is nothing', async () => {
    const { calls, readings } = await swept({ h2: 'vendor.rate_limited' });
    assert.deepEqual([calls, readings], [['h1', 'h2'], [['a', 1]]]);
    await assert.rejects(swept({ h1: 'vendor.rate_limited' }), { code: 'vendor.rate_limited' });
  });

  it('a sweep that reaches a limit goes on with the others where it is a limit of one device', async () => {
    const { readings } = await swept({ h1: new DeviceLimited('no', { retryAfterSeconds: 60 }) });
    assert.deepEqual(readings, [['b', 2]]);
  });
});

describe('a device of an account that must be listed again', () => {
  it('a device of an account that must be listed again has details that another version stored', () => {
    const Details = Type.Object({ home: Type.String() });
    assert.deepEqual(detailsOf(Details, device('a', 'h1')), { home: 'h1' });
    assert.throws(
      () => detailsOf(Details, device('d')),
      (error) =>
        error instanceof ListOutdated &&
        error.code === 'vendor.answer_invalid' &&
        /^d was listed by another version of elnav; .*link the account again$/.test(error.message),
    );
  });

  it('a device of an account that must be listed again is gone at the vendor: it is refused, and the message says what follows', () => {
    const error = gone('Acme', { id: 'a' });
    assert.ok(error instanceof ListOutdated);
    assert.equal(error.code, 'vendor.refused');
    assert.match(error.message, /^Acme no longer reports a; it is removed here once lists /);
  });
});

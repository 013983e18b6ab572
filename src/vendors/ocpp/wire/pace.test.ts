import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { turnedClock } from '../../../core/clock.ts';
import { DEFAULTS, STATIONS_OF_A_SHARE } from '../options.ts';
import { BytePaces } from './pace.ts';
import type { Rpc } from './rpc.ts';

const PACE = { bytesPerSecond: 100, bytesBurst: 1_000, accountBytesPerSecond: 200, accountBytesBurst: 2_000 };

function world() {
  const clock = turnedClock();
  const paces = new BytePaces(clock, { ...DEFAULTS, ...PACE });
  const connect = (account: number) => {
    const rpc = new EventEmitter();
    const station = {
      isPaused: false,
      send: (bytes: number, outbound = false) =>
        rpc.emit('message', { message: Buffer.alloc(bytes), outbound }),
      close: () => rpc.emit('close', {}),
    };
    const _ws = {
      pause() {
        station.isPaused = true;
      },
      resume() {
        station.isPaused = false;
      },
    };
    paces.watch(Object.assign(rpc, { _ws }) as unknown as Rpc, account);
    return station;
  };
  return { clock, connect };
}

test('a station is not read from until its bytes are within its pace', () => {
  const { clock, connect } = world();
  const station = connect(1);
  station.send(5_000, true);
  station.send(1_000);
  assert.equal(station.isPaused, false);
  station.send(500);
  assert.equal(station.isPaused, true);
  clock.turn(4_999);
  assert.equal(station.isPaused, true);
  clock.turn(1);
  assert.equal(station.isPaused, false);
});

test('all stations of an account share a pace, which others do not feel', () => {
  const { clock, connect } = world();
  const [first, second, third] = [connect(1), connect(1), connect(1)];
  const other = connect(2);
  for (const { send } of [first, second, third]) send(990);
  assert.deepEqual([first.isPaused, second.isPaused, third.isPaused], [false, false, true]);
  other.send(990);
  assert.equal(other.isPaused, false);
  clock.turn(5_000);
  assert.equal(third.isPaused, false);
});

test('a fleet shares a pace that grows with it', () => {
  const { connect } = world();
  const fleet = Array.from({ length: STATIONS_OF_A_SHARE }, () => connect(1));
  for (const { send } of fleet.slice(0, 4)) send(990);
  assert.deepEqual(
    fleet.slice(0, 5).map(({ isPaused }) => isPaused),
    [false, false, false, false, false],
  );
  fleet[4]?.send(990);
  assert.equal(fleet[4]?.isPaused, true);
  for (const { close } of fleet) close();
  const again = connect(1);
  again.send(900);
  assert.equal(again.isPaused, false, 'nothing is owed after all are gone');
});

test('a pause is never so long that a station misses its ping', () => {
  const { clock, connect } = world();
  const station = connect(1);
  station.send(1_000_000);
  clock.turn(20_000);
  assert.equal(station.isPaused, false);
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { turnedClock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import { silentLog } from '../../core/log.ts';
import { type DeviceRef, WITHOUT_CALLS } from '../session.ts';
import type { StreamSession } from '../stream.ts';
import { followDevices } from './following.ts';

interface Meter {
  readonly volts?: number;
  readonly amperes?: number;
  readonly at: number;
  readonly now: number;
}

const SILENT_MS = 60_000;
const ref = (id: string): DeviceRef => ({ account: 1, link: 'l', id, type: 'charger', details: {} });

/** Two meters that are followed; `read` is what a read of one gives, or throws. */
function follow(read: (id: string) => Partial<Meter> = () => ({ volts: 230, amperes: 1 })) {
  const clock = turnedClock(0);
  const observed: [string, Meter][] = [];
  const reads: string[] = [];
  const ending = new AbortController();
  const session: StreamSession = {
    account: 1,
    link: 'l',
    userRef: 'u',
    linkedAt: 0,
    credentials: {},
    clock,
    log: silentLog,
    documents: { get: async () => undefined, put: async () => {}, remove: async () => {} },
    signal: ending.signal,
    ...WITHOUT_CALLS,
    connect: () => Promise.reject(new Error('nothing is connected here')),
    events: () => Promise.reject(new Error('nothing is opened here')),
    observed: (id, raw) => void observed.push([id, raw as Meter]),
    reported: () => {},
    listChanged: () => {},
    tell: () => {},
  };
  const meters = followDevices<Meter>(session, [ref('a'), ref('b')], {
    vendor: 'acme',
    empty: () => ({ at: clock.now(), now: clock.now() }),
    isWhole: ({ volts, amperes }) => volts !== undefined && amperes !== undefined,
    isSilent: ({ at, now }) => now - at > SILENT_MS,
    merged: (whole, reported) => ({ ...whole, ...reported }),
    seenAt: (raw, now) => ({ ...raw, now }),
    async read({ id }) {
      reads.push(id);
      return { at: clock.now(), now: clock.now(), ...read(id) };
    },
  });
  const over = meters.readMissing(ending.signal);
  return {
    meters,
    observed,
    reads,
    over,
    end: () => ending.abort(),
    take(id: string, news: Partial<Meter>) {
      meters.take(id, (raw) => ({ ...raw, ...news, at: clock.now() }));
      meters.report();
    },
    async pass(ms: number) {
      clock.turn(ms);
      for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    },
  };
}

describe('devices that a stream reports in parts', () => {
  it('devices that a stream reports in parts are passed on once they are whole, and then at each change', () => {
    const { take, observed, meters } = follow();
    take('a', { volts: 230 });
    take('of another link', { volts: 1 });
    assert.equal(observed.length, 0);
    take('a', { amperes: 6 });
    take('a', { amperes: 7 });
    meters.take('a', (raw) => raw);
    meters.report();
    assert.deepEqual(
      observed.map(([id, { volts, amperes }]) => [id, volts, amperes]),
      [
        ['a', 230, 6],
        ['a', 230, 7],
      ],
    );
  });

  it('devices that a stream reports in parts are read where the replay left something out, once, and keep what is newer', async () => {
    const { take, observed, reads, pass } = follow();
    take('a', { amperes: 9 });
    take('b', { volts: 230, amperes: 2 });
    await pass(9_999);
    assert.deepEqual(reads, []);
    await pass(1);
    assert.deepEqual(reads, ['a']);
    assert.deepEqual([observed.at(-1)?.[1].volts, observed.at(-1)?.[1].amperes], [230, 9]);
    await pass(3_600_000);
    assert.deepEqual(reads, ['a']);
  });

  it('devices that a stream reports in parts are read again later when reads fail; a limit stops the others as well', async () => {
    let code: 'vendor.rate_limited' | 'vendor.unreachable' = 'vendor.rate_limited';
    const { observed, reads, pass } = follow(() => {
      throw new AppError(code, 'no', { retryAfterSeconds: 1 });
    });
    await pass(10_000);
    assert.deepEqual(reads, ['a']);
    code = 'vendor.unreachable';
    await pass(300_000);
    assert.deepEqual(reads, ['a', 'a', 'b']);
    assert.equal(observed.length, 0);
  });

  it('devices that a stream reports in parts are not read once the stream has ended', async () => {
    const { over, end, reads, pass } = follow();
    end();
    await over;
    await pass(10_000);
    assert.deepEqual(reads, []);
  });

  it('devices that a stream reports in parts are passed on once more when they have fallen silent', async () => {
    const { take, observed, meters, pass } = follow();
    take('a', { volts: 230, amperes: 6 });
    await pass(SILENT_MS);
    meters.reportSilent();
    const before = observed.length;
    await pass(1);
    meters.reportSilent();
    meters.reportSilent();
    const silent = observed.slice(before).filter(([id]) => id === 'a');
    assert.deepEqual(
      silent.map(([, { now, at }]) => now - at),
      [SILENT_MS + 1],
    );
    take('a', { amperes: 7 });
    await pass(SILENT_MS + 1);
    meters.reportSilent();
    assert.equal(observed.filter(([id]) => id === 'a').length, 4, 'and again after it spoke');
  });
});

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { rfc3339, sleep, turnedClock } from './clock.ts';
import * as durations from './durations.ts';
import { AppError, ERRORS } from './errors.ts';
import { randomBase62, randomId, toBase62 } from './ids.ts';
import { createLog } from './log.ts';
import { Secret } from './secret.ts';
import { Temporal } from './temporal.ts';

describe('durations', () => {
  it('durations are those of the calendar library', () => {
    const parts = {
      SECOND_MS: 'PT1S',
      MINUTE_MS: 'PT1M',
      QUARTER_MS: 'PT15M',
      HOUR_MS: 'PT1H',
      DAY_MS: 'PT24H',
    };
    const lengths = Object.entries(parts).map(([name, part]) => [
      name,
      Temporal.Duration.from(part).total('milliseconds'),
    ]);
    assert.deepEqual({ ...durations }, Object.fromEntries(lengths));
  });
});

describe('the table of errors', () => {
  it('the table of errors has statuses and titles that a caller can use', () => {
    const codes = Object.entries(ERRORS);
    assert.ok(codes.length > 40);
    for (const [code, { connect, grid, retry, title }] of codes) {
      assert.match(code, /^[a-z]+\.[a-z_]+$/);
      for (const status of [connect, grid]) assert.ok(status >= 400 && status < 600, code);
      assert.ok(['never', 'later', 'changed'].includes(retry), code);
      assert.match(title, /^[A-Z].*[^.]$/, code);
    }
  });

  it('the table of errors says to retry where a retry may help', () => {
    for (const [code, { connect, retry }] of Object.entries(ERRORS))
      if ([408, 429, 503].includes(connect)) assert.equal(retry, 'later', code);
    const error = new AppError('limit.exceeded', 'slowly', { retryAfterSeconds: 3, cause: 'why' });
    assert.deepEqual(
      [error.code, error.message, error.retryAfterSeconds, error.cause],
      ['limit.exceeded', 'slowly', 3, 'why'],
    );
  });
});

describe('a secret', () => {
  it('a secret is printed only where it is revealed', () => {
    const secret = new Secret('canary');
    const printed = [
      String(secret),
      JSON.stringify({ secret }),
      inspect(secret),
      inspect({ a: [secret] }),
      `${secret}`,
    ];
    for (const text of [...printed, JSON.stringify(Object.entries(secret))])
      assert.ok(!text.includes('canary'), text);
    assert.equal(secret.reveal(), 'canary');
    assert.deepEqual(
      ['canary', 'canarY', '', 'canary '].map((text) => secret.equals(text)),
      [true, false, false, false],
    );
  });
});

describe('ids', () => {
  it('ids are base62, of the given length, and do not repeat', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 64 }), (length) => {
        assert.match(randomBase62(randomBytes, length), new RegExp(`^[0-9A-Za-z]{${length}}$`));
      }),
    );
    assert.equal(new Set(Array.from({ length: 10_000 }, () => randomId(randomBytes))).size, 10_000);
    assert.equal(
      randomBase62((bytes) => Buffer.alloc(bytes, 247), 3),
      'zzz',
    );
    assert.deepEqual([toBase62(0, 3), toBase62(61, 1), toBase62(62, 2)], ['000', 'z', '10']);
  });
});

describe('a turned clock', () => {
  it('a turned clock fires timers in order, each at its time, and not after a cancel', async () => {
    const clock = turnedClock(1_000);
    const fired: [string, number][] = [];
    const fire = (name: string) => () => fired.push([name, clock.now()]);
    clock.after(30, fire('c'));
    clock.after(10, () => {
      fire('a')();
      clock.after(10, fire('b'));
    });
    clock.after(15, fire('never'))();
    const slept = sleep(clock, 40);
    clock.turn(25);
    clock.turn(25);
    await slept;
    assert.deepEqual(fired, [
      ['a', 1_010],
      ['b', 1_020],
      ['c', 1_030],
    ]);
    assert.equal(rfc3339(clock.now()), '1970-01-01T00:00:01.050Z');
  });
});

describe('the log', () => {
  it('the log redacts named secrets wherever they occur', () => {
    const lines: string[] = [];
    const log = createLog('info', { write: (line: string) => lines.push(line) });
    const secrets = {
      password: 'canary',
      access_token: 'canary',
      'x-api-key': 'canary',
      credentials: { a: 'canary' },
    };
    log.info(secrets, 'one');
    log.info({ a: secrets }, 'two');
    log.info({ a: { b: secrets }, token: new Secret('canary') }, 'three');
    log
      .child({ authorization: 'canary' })
      .info({ headers: { cookie: 'canary', 'x-admin-token': 'canary' } }, 'four');
    log.debug('not logged');
    assert.equal(lines.length, 4);
    assert.ok(!lines.join('').includes('canary'), lines.join(''));
    const line = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
    assert.deepEqual([line.level, line.msg, line.password], ['info', 'one', '[redacted]']);
    assert.equal(new Date(String(line.time)).toISOString(), line.time);
  });
});

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { AppError } from '../core/errors.ts';
import { createLog } from '../core/log.ts';
import { logFailure } from './failures.ts';
import { HttpFailure } from './http.ts';

it('an outage is logged as a sentence, and a fault of the program with its stack', () => {
  const lines: string[] = [];
  const log = createLog('warn', { write: (line: string) => lines.push(line) });
  const logged = (error: unknown) => {
    logFailure(log, error, { what: 'no prices', again: 'they are asked for again in a minute', source: 'x' });
    const { time: _, ...line } = JSON.parse(lines.pop() ?? '{}');
    return line;
  };
  assert.deepEqual(logged(new HttpFailure('server_error', 'X failed with status 503', { status: 503 })), {
    ...{ level: 'warn', source: 'x', outcome: 'server_error', status: 503 },
    msg: 'no prices: X failed with status 503; they are asked for again in a minute',
  });
  const cause = new Error('connect ECONNREFUSED');
  assert.deepEqual(
    logged(new AppError('database.unavailable', 'the database cannot be reached', { cause })),
    {
      ...{ level: 'warn', source: 'x', outcome: 'database.unavailable' },
      msg: 'no prices: the database cannot be reached; they are asked for again in a minute',
    },
  );
  for (const fault of [new TypeError('x is not a function'), new AppError('server.internal', 'a fault')]) {
    const line = logged(fault);
    assert.equal(line.level, 'error');
    assert.match(line.err.stack, /failures\.test\.ts/);
  }
});

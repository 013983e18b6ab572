import assert from 'node:assert/strict';
import { it } from 'node:test';
import { turnedClock } from '../../../core/clock.ts';
import { MINUTE_MS } from '../../../core/durations.ts';
import { createLog } from '../../../core/log.ts';
import { createBreaks } from './breaks.ts';

it('streams that break are one line of the log for a vendor and minute, with how many and why', () => {
  const lines: Record<string, unknown>[] = [];
  const log = createLog('info', {
    write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>),
  });
  const clock = turnedClock();
  const breaks = createBreaks({ clock, log });
  const of = (vendor: string, link: string) => ({ account: 1, vendor, link });
  for (let number = 0; number < 2_000; number += 1)
    breaks.note(of('easee', `link-${number}`), 'vendor.unreachable', new Error('down'));
  breaks.note(of('easee', 'link-1'), 'vendor.timeout', new Error('silent'));
  breaks.note(of('hue', 'link-9'), 'vendor.unreachable', new Error('down'));
  assert.deepEqual(lines, []);
  clock.turn(MINUTE_MS);
  assert.deepEqual(
    lines.map(({ vendor, count, codes, link }) => ({ vendor, count, codes, link })),
    [
      {
        ...{ vendor: 'easee', count: 2_001, link: 'link-0' },
        codes: { 'vendor.unreachable': 2_000, 'vendor.timeout': 1 },
      },
      { vendor: 'hue', count: 1, codes: { 'vendor.unreachable': 1 }, link: 'link-9' },
    ],
  );
  breaks.note(of('easee', 'link-2'), 'vendor.timeout', new Error('silent'));
  breaks.close();
  assert.deepEqual(
    lines.map(({ count }) => count),
    [2_001, 1, 1],
  );
  clock.turn(MINUTE_MS);
  assert.equal(lines.length, 3);
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StreamSession } from '../../../adapter/stream.ts';
import { turnedClock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import { runStream } from './one-stream.ts';

describe('one stream', () => {
  it('one stream leaves nothing behind when its session cannot be opened', async (t) => {
    const clock = turnedClock();
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on('unhandledRejection', note);
    t.after(() => process.off('unhandledRejection', note));
    const outside = new AbortController();
    const running = runStream({
      adapter: {
        slug: 'v',
        name: 'Vendor',
        stream: { silenceSeconds: 45, run: () => Promise.reject(new Error('it has no session')) },
      },
      session: (): StreamSession => {
        throw new AppError('vendor.login_expired', 'the stored credentials cannot be decrypted');
      },
      devices: [],
      clock,
      signal: outside.signal,
      opened: () => assert.fail('it was not opened'),
    });
    await assert.rejects(running, { code: 'vendor.login_expired' });
    // Longer than a stream may take to open: nobody is there any more to be told that it is late.
    clock.turn(60_000);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(unhandled, []);
  });
});

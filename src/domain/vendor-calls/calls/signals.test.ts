import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { type TurnedClock, turnedClock } from '../../../core/clock.ts';
import { createSignals, type LinkSignals } from './events.ts';

const LINK = { account: 1, link: 'a' };
const OTHER = { account: 2, link: 'a' };

describe('signals of a stream', () => {
  let clock: TurnedClock;
  let signals: LinkSignals;
  beforeEach(() => {
    clock = turnedClock();
    signals = createSignals(clock);
  });

  it('signals of a stream are not waited for where no stream is open', async () => {
    assert.equal(await signals.of(LINK).wait('done', 10_000), undefined);
    signals.opened(LINK);
    signals.closed(LINK);
    assert.equal(await signals.of(LINK).wait('done', 10_000), undefined);
  });

  it('signals of a stream reach those who wait for that name of that link, and are undefined when they are late', async () => {
    signals.opened(LINK);
    signals.opened(OTHER);
    const [mine, named, others] = [
      signals.of(LINK).wait('done', 10_000),
      signals.of(LINK).wait('else', 10_000),
      signals.of(OTHER).wait('done', 10_000),
    ];
    signals.tell(LINK, 'done', 'yes');
    assert.equal(await mine, 'yes');
    clock.turn(10_000);
    assert.deepEqual(await Promise.all([named, others]), [undefined, undefined]);
  });

  it('signals of a stream may come before they are waited for, once, by a quarter of a minute', async () => {
    signals.opened(LINK);
    signals.tell(LINK, 'early', 1);
    assert.equal(await signals.of(LINK).wait('early', 10_000), 1);
    const again = signals.of(LINK).wait('early', 1_000);
    clock.turn(1_000);
    assert.equal(await again, undefined);
    signals.tell(LINK, 'old', 1);
    clock.turn(15_000);
    const late = signals.of(LINK).wait('old', 1_000);
    clock.turn(1_000);
    assert.equal(await late, undefined);
  });

  it('signals of a stream that are told twice are kept from the second time on', async () => {
    signals.opened(LINK);
    signals.tell(LINK, 'twice', 1);
    clock.turn(10_000);
    signals.tell(LINK, 'twice', 2);
    clock.turn(10_000);
    assert.equal(await signals.of(LINK).wait('twice', 1_000), 2);
  });

  it('signals of a stream reach all who wait for the same name, each for as long as it waits', async () => {
    signals.opened(LINK);
    const short = signals.of(LINK).wait('done', 1_000);
    const long = signals.of(LINK).wait('done', 10_000);
    const longer = signals.of(LINK).wait('done', 10_000);
    clock.turn(1_000);
    assert.equal(await short, undefined);
    signals.tell(LINK, 'done', 'yes');
    assert.deepEqual(await Promise.all([long, longer]), ['yes', 'yes']);
  });

  it('signals of a stream are waited for no longer once the stream has closed', async () => {
    signals.opened(LINK);
    signals.opened(OTHER);
    const waiting = signals.of(LINK).wait('done', 10_000);
    const others = signals.of(OTHER).wait('done', 10_000);
    signals.closed(LINK);
    assert.equal(await waiting, undefined);
    signals.tell(OTHER, 'done', 1);
    assert.equal(await others, 1);
  });

  it('signals of a stream that nobody asks for are bounded', async () => {
    signals.opened(LINK);
    for (let count = 0; count < 10_001; count += 1) signals.tell(LINK, `ticket-${count}`, count);
    const first = signals.of(LINK).wait('ticket-0', 1);
    clock.turn(1);
    assert.equal(await first, undefined, 'the oldest gave way');
    assert.equal(await signals.of(LINK).wait('ticket-10000', 1), 10_000);
  });
});

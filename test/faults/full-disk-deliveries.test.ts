import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type Log, silentLog } from '../../src/core/log.ts';
import { type Core, openCore } from '../kit/core-world.ts';
import { placeAt } from '../kit/databases.ts';
import { turnUntil, usersOf, writeEvents } from '../kit/deliveries.ts';
import { answers, makeReceiver, type Receiver } from '../kit/receiver.ts';
import { runningClock } from '../kit/running-clock.ts';
import { until } from '../kit/until.ts';
import { smallDisk } from './small-disk.ts';

const { dir, skip, mount, unmount, fill, makeSpace } = smallDisk();

describe('events on a full disk', { skip }, () => {
  const clock = runningClock();
  let core: Core;
  let receiver: Receiver;
  let account: number;
  const warnings: string[] = [];
  beforeEach(async () => {
    mount();
    receiver = await makeReceiver();
    const log = {
      ...silentLog,
      warn: (_: object, text: string) => void warnings.push(text),
    } as unknown as Log;
    core = await openCore({ place: placeAt(dir, undefined), clock, adapters: [], log });
    ({ id: account } = await core.database.queries
      .insertInto('accounts')
      .values({ email: 'a@example.com', name: '', tier: 'free', created_at: 1, throttled_until: null })
      .returning('id')
      .executeTakeFirstOrThrow());
    core.subscriptions.start();
  });
  afterEach(async () => {
    await core.close();
    await receiver.close();
    unmount();
  });

  /** Writes events until none can be stored any more, as the last pages of a log may delay it; answers those that are stored. */
  const writeUntilRefused = async () => {
    const stored: string[] = [];
    for (let refused = 0; refused < 20; ) {
      try {
        stored.push(...(await writeEvents(core, account, { count: 1 })));
      } catch {
        refused += 1;
      }
    }
    return stored;
  };

  it('events on a full disk are delivered when there is space again: none that was stored is missing, none that was refused is sent', async () => {
    const wanted = { url: receiver.url, types: null, device: null, userRef: null };
    const { id } = await core.subscriptions.create(account, wanted, 'hmac-sha256');
    const names = await writeEvents(core, account, { count: 3 });
    await until('the first are delivered', () => receiver.handled.length === 3);

    // The disk becomes full while a delivery is under way, so that its end cannot be stored.
    const filled = Promise.withResolvers<void>();
    receiver.behaviour = (...given) => void filled.promise.then(() => answers(204)(...given));
    names.push(...(await writeEvents(core, account, { count: 2 })));
    await until('it is under way', () => receiver.received.length > 1);
    fill();
    names.push(...(await writeUntilRefused()));
    filled.resolve();
    await until('the end cannot be stored', () =>
      warnings.includes('events could not be delivered to a subscription'),
    );
    const listed = await core.eventLog.page({ account, after: undefined, filter: {}, limit: 10_000 });
    assert.equal(listed.events.length, names.length, 'the log can be read');
    assert.equal((await core.subscriptions.find({ account, id })).status, 'active');

    makeSpace();
    names.push(...(await writeEvents(core, account, { count: 2 })));
    await turnUntil({ clock }, 'all are delivered', {
      ms: 1_000,
      holds: () => usersOf(receiver.handled).includes(names.at(-1)),
    });
    assert.deepEqual([...new Set(usersOf(receiver.handled))], names);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { silentLog } from '../../../core/log.ts';
import { createLinkEvents } from './events.ts';

const LINK = { account: 1, link: 'l', vendor: 'v' };

describe('events of links', () => {
  it('events of links are told in the order of subscription, one after the other', async () => {
    const events = createLinkEvents(silentLog);
    const heard: string[] = [];
    events.on('linked', async ({ link }) => {
      await Promise.resolve();
      heard.push(`first ${link}`);
    });
    events.on('linked', ({ link }) => void heard.push(`second ${link}`));
    events.on('unlinked', () => void heard.push('another event'));
    await events.emit('linked', LINK);
    assert.deepEqual(heard, ['first l', 'second l']);
  });

  it('events of links reach everybody where one listener fails, and the failure reaches who needs what follows', async () => {
    const events = createLinkEvents(silentLog);
    let heard = 0;
    events.on('hinted', () => Promise.reject(new Error('the database is unreachable')));
    events.on('hinted', () => {
      heard += 1;
    });
    await events.emit('hinted', []);
    assert.equal(heard, 1);
    await assert.rejects(events.emitOrThrow('hinted', []), /the database is unreachable/);
  });
});

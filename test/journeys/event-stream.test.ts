import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { makePlace, onEachEngine } from '../kit/databases.ts';
import { until } from '../kit/until.ts';
import { testVendor } from '../kit/vendor-for-tests.ts';
import { type Caller, makeWorld, type World } from '../kit/world.ts';

/** A program that reads a stream of events over HTTP until it is cut off or ends. */
function listen(world: World, key: string, headers: Readonly<Record<string, string>> = {}) {
  const found: EventSourceMessage[] = [];
  const over = new AbortController();
  const heard = { found, isOpen: false, isOver: false, close: () => over.abort() };
  const parser = createParser({ onEvent: (event) => found.push(event) });
  const read = async () => {
    const init = { headers: { 'x-api-key': key, ...headers }, signal: over.signal };
    const response = await fetch(`${world.connect}/events/stream`, init);
    assert.equal(response.status, 200);
    heard.isOpen = true;
    for await (const part of response.body ?? []) parser.feed(Buffer.from(part).toString());
  };
  read()
    .catch(() => {})
    .finally(() => {
      heard.isOver = true;
    });
  return heard;
}

onEachEngine('a stream of what happens', (engine) => {
  it('a stream of what happens goes on after the last event that was received, over a restart, and ends with its key', async (t) => {
    const vendor = testVendor();
    const place = await makePlace(engine);
    t.after(() => place.remove());
    const open = () => makeWorld({ engine, place, adapters: [vendor.adapter] });
    const link = async (by: Caller, user: string) => {
      const body = { vendor: 'testvendor', user_ref: user, credentials: { user, password: 'p' } };
      assert.equal((await by.call('POST', '/link', body)).status, 200);
    };
    const first = await open();
    const caller = await first.newAccount();
    const before = listen(first, caller.key);
    await until('it is open', () => before.isOpen);
    await link(caller, 'anna');
    await until('two events came', () => before.found.length === 2);
    await first.close();
    await until('it has ended', () => before.isOver);

    const second = await open();
    t.after(() => second.close());
    const call = (path: string, init: RequestInit = {}) =>
      fetch(`${second.connect}${path}`, {
        ...init,
        headers: { 'x-api-key': caller.key, 'content-type': 'application/json' },
      });
    const body = { vendor: 'testvendor', user_ref: 'bo', credentials: { user: 'bo', password: 'p' } };
    assert.equal((await call('/link', { method: 'POST', body: JSON.stringify(body) })).status, 200);
    const last = before.found[0]?.id ?? '';
    const after = listen(second, caller.key, { 'last-event-id': last });
    await until('what was missed has come', () => after.found.length === 3);
    const listed = (await (await call('/events')).json()) as { events: { id: string }[] };
    const dataOf = (event: EventSourceMessage) => JSON.parse(event.data) as { id: string; type: string };
    assert.deepEqual([...before.found.slice(0, 1), ...after.found].map(dataOf), listed.events);
    for (const event of after.found) assert.equal(event.event, dataOf(event).type);

    const revoked = await second.admin('DELETE', `/admin/keys/${caller.keyId}`);
    assert.equal(revoked.status, 200);
    await until('it has ended with its key', () => after.isOver);
  });
});

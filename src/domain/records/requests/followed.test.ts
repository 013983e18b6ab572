import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MOST_WAITING, Waiting } from './followed.ts';
import type { RequestRow } from './store.ts';

const row = (id: string, status: number | null): RequestRow => ({
  ...{ account: 1, at: 1, id, request_id: id, service: 'connect', instance: 'i', key_id: null },
  ...{ method: 'POST', route: '/link', status, error_code: null, error: null, duration_ms: 1 },
  ...{ device: null, link: null, vendor: null, calls_json: '{}' },
});
const idsOf = (rows: readonly RequestRow[]) => rows.map(({ id }) => id);

describe('requests that wait to be written', () => {
  it('requests that wait to be written are taken oldest first, failures before successes', () => {
    const waiting = new Waiting(() => assert.fail('nothing is lost'));
    for (const [id, status] of [
      ['a', 200],
      ['b', 404],
      ['c', 204],
      ['d', null],
    ] as const)
      waiting.add(row(id, status));
    assert.equal(waiting.size, 4);
    assert.deepEqual(idsOf(waiting.take(3)), ['b', 'd', 'a']);
    waiting.giveBack([row('b', 404), row('a', 200)]);
    waiting.add(row('e', 502));
    assert.deepEqual(idsOf(waiting.take(10)), ['b', 'e', 'a', 'c']);
    assert.deepEqual(waiting.take(10), []);
  });

  it('requests that wait to be written lose the oldest success where there is no room, and only then the oldest failure', () => {
    let lost = 0;
    const waiting = new Waiting(() => {
      lost += 1;
    });
    for (let index = 0; index < MOST_WAITING; index += 1) waiting.add(row(`s${index}`, 200));
    waiting.add(row('s-last', 200));
    for (let index = 0; index < MOST_WAITING - 1; index += 1) waiting.add(row(`f${index}`, 500));
    assert.deepEqual([waiting.size, lost], [MOST_WAITING, MOST_WAITING]);
    const [first, ...rest] = waiting.take(MOST_WAITING);
    assert.deepEqual([first?.id, rest.at(-1)?.id], ['f0', 's-last']);
    waiting.giveBack([...(first === undefined ? [] : [first]), ...rest]);
    waiting.add(row('f-last', 500));
    waiting.add(row('s-too-late', 200));
    waiting.add(row('f-very-last', 500));
    const ids = idsOf(waiting.take(MOST_WAITING));
    assert.deepEqual(
      [ids.length, ids[0], ids.at(-2), ids.at(-1)],
      [MOST_WAITING, 'f1', 'f-last', 'f-very-last'],
    );
    assert.equal(lost, MOST_WAITING + 3);
  });
});

import assert from 'node:assert/strict';
import { request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'node:test';
import Fastify, { type FastifyInstance } from 'fastify';
import { until } from '../../test/kit/until.ts';
import { type TurnedClock, turnedClock } from '../core/clock.ts';
import { formatOf, sendRows } from './rows.ts';

type Row = Readonly<Record<'name' | 'value', string | number | boolean | null>>;
const COLUMNS = ['name', 'value'] as const;

describe('rows', () => {
  let app: FastifyInstance;
  let batches: () => AsyncGenerator<readonly Row[]>;
  let clock: TurnedClock;
  /** The responses that are open on the server. */
  let open: Set<ServerResponse>;
  beforeEach(async () => {
    clock = turnedClock();
    open = new Set();
    app = Fastify();
    app.addHook('onRequest', (_request, { raw }, done) => {
      open.add(raw);
      raw.once('close', () => open.delete(raw));
      done();
    });
    app.get('/', (request, reply) =>
      sendRows(request, reply, {
        columns: COLUMNS,
        batches: batches(),
        format: formatOf(request, (request.query as { format?: 'csv' }).format ?? ''),
        clock,
      }),
    );
    await app.listen({ host: '127.0.0.1', port: 0 });
  });
  afterEach(() => {
    app.server.closeAllConnections();
    return app.close();
  });
  const url = () => `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/`;
  const of = (...lists: readonly (readonly Row[])[]) =>
    async function* () {
      yield* lists;
    };
  /** A response whose body nobody reads yet. */
  const unread = () =>
    new Promise<IncomingMessage>((resolve, reject) => {
      ask(url(), resolve).on('error', reject).end();
    });

  const ODD = of(
    [{ name: 'a,b', value: 1.5 }],
    [],
    [
      { name: 'say "hi"\n', value: null },
      { name: 'å', value: true },
    ],
  );

  it('rows are a JSON array across batches', async () => {
    batches = ODD;
    const answer = await fetch(url());
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.deepEqual(await answer.json(), [
      { name: 'a,b', value: 1.5 },
      { name: 'say "hi"\n', value: null },
      { name: 'å', value: true },
    ]);
  });

  it('rows are CSV as in RFC 4180', async () => {
    batches = ODD;
    const answer = await fetch(`${url()}?format=csv`);
    assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
    assert.equal(await answer.text(), 'name,value\r\n"a,b",1.5\r\n"say ""hi""\n",\r\nå,true\r\n');
  });

  it('rows may be empty', async () => {
    for (const none of [of(), of([]), of([], [])]) {
      batches = none;
      assert.equal(await (await fetch(url())).text(), '[]');
      assert.equal(await (await fetch(`${url()}?format=csv`)).text(), 'name,value\r\n');
    }
  });

  for (const [accept, type] of [
    ['text/csv', 'text/csv'],
    ['text/csv;q=0.5, application/json', 'application/json'],
    ['application/json;q=0.5, text/csv', 'text/csv'],
    ['text/csv;q=0', 'application/json'],
    ['*/*', 'application/json'],
    ['text/html', 'application/json'],
  ] as const) {
    it(`rows are ${type} for Accept: ${accept}`, async () => {
      batches = ODD;
      const answer = await fetch(url(), { headers: { accept } });
      assert.equal(answer.headers.get('content-type')?.split(';')[0], type);
      await answer.text();
    });
  }

  it('rows are an error response when the first batch fails', async () => {
    // biome-ignore lint/correctness/useYield: it fails before the first batch
    batches = async function* () {
      throw new Error('no database');
    };
    assert.equal((await fetch(url())).status, 500);
  });

  it('rows break the connection when a later batch fails', async () => {
    batches = async function* () {
      yield [{ name: 'first', value: 1 }];
      throw new Error('the database is gone');
    };
    const answer = await fetch(url());
    assert.equal(answer.status, 200);
    await assert.rejects(answer.text());
  });

  it('rows stop being read when the caller disconnects', async () => {
    let isOver = false;
    batches = async function* () {
      try {
        for (;;) yield [{ name: 'x'.repeat(10_000), value: 1 }];
      } finally {
        isOver = true;
      }
    };
    (await unread()).destroy();
    await until('the reading has ended', () => isOver);
  });

  it('rows wait for a slow caller', async () => {
    let made = 0;
    batches = async function* () {
      for (; made < 1_000; made += 1) yield [{ name: 'x'.repeat(100_000), value: made }];
    };
    const answer = await unread();
    // The buffers of the system fill up; then no more batches are read.
    let idle = 0;
    let before = made;
    await until('it waits', () => {
      idle = made === before && made > 0 ? idle + 1 : 0;
      before = made;
      return idle === 2_000;
    });
    assert.ok(made < 900, `${made} of 1,000 batches were made`);
    let bytes = 0;
    for await (const part of answer) bytes += (part as Buffer).length;
    assert.equal(made, 1_000);
    assert.ok(bytes > 100_000_000);
  });

  it('rows buffer little for callers that do not read, and disconnect them after half a minute', async () => {
    // The system itself buffers some megabytes for each.
    const READERS = 24;
    const BATCH_BYTES = 30_000;
    let made = 0;
    batches = async function* () {
      for (let batch = 0; batch < 1_000; batch += 1) {
        made += BATCH_BYTES;
        yield [{ name: 'x'.repeat(BATCH_BYTES - 40), value: batch }];
      }
    };
    const answers = await Promise.all(Array.from({ length: READERS }, unread));
    for (const answer of answers) answer.on('error', () => {});
    let idle = 0;
    let before = -1;
    await until('they wait', () => {
      idle = made === before ? idle + 1 : 0;
      before = made;
      return idle === 300;
    });
    assert.equal(open.size, READERS);
    const handedOver = [...open].reduce(
      (sum, { socket, writableLength }) => sum + (socket?.bytesWritten ?? 0) - writableLength,
      0,
    );
    const held = (made - handedOver) / READERS;
    assert.ok(held < 5 * BATCH_BYTES, `${held} bytes are buffered for each`);
    clock.turn(29_999);
    assert.equal(open.size, READERS);
    clock.turn(1);
    await until('they are disconnected', () => open.size === 0);
    for (const answer of answers) answer.resume();
    await until('they have noticed', () => answers.every(({ closed, complete }) => closed && !complete));
  });

  it('rows are not cut off for a caller that reads, however slowly', async () => {
    let made = 0;
    batches = async function* () {
      for (; made < 200; made += 1) yield [{ name: 'x'.repeat(100_000), value: made }];
    };
    const answer = await unread();
    let bytes = 0;
    let before = 0;
    let turns = 0;
    for await (const part of answer) {
      bytes += (part as Buffer).length;
      if (made === before) continue;
      // A piece was read since, so a little less than the time limit passes.
      before = made;
      turns += 1;
      clock.turn(29_000);
    }
    assert.ok(turns > 4, `the clock was advanced ${turns} times`);
    assert.ok(bytes > 20_000_000);
  });

  it('rows are not read for HEAD', async () => {
    batches = ODD;
    const answer = await fetch(url(), { method: 'HEAD' });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
    // The length of the GET response is not known, and in particular not 0.
    assert.equal(answer.headers.get('content-length'), null);
    assert.equal(await answer.text(), '');
  });
});

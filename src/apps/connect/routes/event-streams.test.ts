import assert from 'node:assert/strict';
import { request as ask, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, it } from 'node:test';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import Fastify, { type FastifyInstance } from 'fastify';
import { TEST_KEYS } from '../../../../test/kit/accounts.ts';
import { type CoreWorld, makeCoreWorld } from '../../../../test/kit/core-world.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { until } from '../../../../test/kit/until.ts';
import { silentLog } from '../../../core/log.ts';
import type { Principal } from '../../../domain/access/accounts/index.ts';
import { createCursors } from '../../../domain/records/events/index.ts';
import { addEventRoutes } from './events.ts';

/** More than the systems' own buffers hold of a few events. */
const LONG = 'x'.repeat(100_000);

onEachEngine('GET /events/stream', (engine) => {
  let core: CoreWorld;
  let account: number;
  let app: FastifyInstance;
  let stopping: AbortController;
  let isOpen: () => boolean;
  beforeEach(async () => {
    core = await makeCoreWorld(engine, []);
    account = await core.newAccount();
    stopping = new AbortController();
    app = Fastify();
    app.decorateRequest('principal', null);
    app.addHook('onRequest', async (request) => {
      request.principal = { account } as Principal;
    });
    addEventRoutes(app, {
      eventLog: core.eventLog,
      eventCursors: createCursors(TEST_KEYS, core.eventLog.givenAt),
      accounts: { authenticate: () => assert.fail('no key has changed'), watchKeys: () => {} },
      consoleOf: () => assert.fail('no session has ended'),
      clock: core.clock,
      log: silentLog,
      metrics: {
        watchEventStreams: (count) => {
          isOpen = () => count() === 1;
        },
      },
      stopping: stopping.signal,
    });
    await app.listen({ host: '127.0.0.1', port: 0 });
  });
  afterEach(async () => {
    app.server.closeAllConnections();
    await app.close();
    await core.remove();
  });

  /** A response that nobody reads yet. */
  const open = (headers: Readonly<Record<string, string>> = {}) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/events/stream`;
      ask(url, { headers }, resolve).on('error', reject).end();
    });
  function read(answer: IncomingMessage) {
    const heard = { events: [] as EventSourceMessage[], comments: 0, isOver: false };
    const parser = createParser({
      onEvent: (event) => void heard.events.push(event),
      onComment: () => {
        heard.comments += 1;
      },
    });
    answer.setEncoding('utf8');
    answer.on('data', (part: string) => parser.feed(part));
    answer.on('error', () => {});
    answer.on('close', () => {
      heard.isOver = true;
    });
    return heard;
  }
  const write = (n: number) =>
    core.database.transaction((transaction) =>
      core.database.events.append(transaction, [
        {
          account,
          type: 'link.needs_relink',
          link: 'link-1',
          occurredAt: 1,
          data: { reason: `${n} ${LONG}` },
        },
      ]),
    );
  const numberOf = ({ data }: EventSourceMessage): number =>
    Number.parseInt((JSON.parse(data) as { data: { reason: string } }).data.reason, 10);

  it('GET /events/stream cuts off a caller that does not read, which goes on from its last id without a gap', async () => {
    const slow = await open();
    await until('it is open', isOpen);
    let written = 0;
    await until('it is cut off', async () => {
      await write(written);
      written += 1;
      core.clock.turn(1_000);
      return !isOpen();
    });
    const before = read(slow);
    await until('the caller has noticed', () => before.isOver);
    assert.equal(slow.complete, false);
    const received = before.events.length;
    assert.ok(received > 0 && received < written, `${received} of ${written} were received`);

    const after = read(await open({ 'last-event-id': before.events.at(-1)?.id ?? '' }));
    await until('the rest has come', () => {
      core.clock.turn(1_000);
      return after.events.length === written - received;
    });
    assert.deepEqual(
      [...before.events, ...after.events].map(numberOf),
      Array.from({ length: written }, (_, n) => n),
    );
  });

  it('GET /events/stream has a comment every 15 seconds', async () => {
    const heard = read(await open());
    await until('it is open', isOpen);
    core.clock.turn(60_000);
    stopping.abort();
    await until('it has ended', () => heard.isOver);
    assert.equal(heard.comments, 4);
    assert.deepEqual(heard.events, []);
  });
});

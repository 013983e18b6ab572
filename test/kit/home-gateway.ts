import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { systemClock } from '../../src/core/clock.ts';
import { systemRandom } from '../../src/core/ids.ts';
import type { Json } from '../../src/core/json.ts';
import { runGateway } from '../../src/gateway/gateway.ts';
import type { Answer, Question } from '../../src/gateway/wire/discovery.ts';
import { failure } from '../../src/gateway/wire/protocol.ts';
import { gatewayOf } from './gateways.ts';
import { until } from './until.ts';
import type { Caller } from './world.ts';

export const HOME = '10.9.0.0/24';

/** A gateway in this process, and a home that is not there: its addresses lead to ports of this machine. */
export interface HomeGateway {
  readonly id: string;
  /** Connections that it has opened, as `10.9.0.5:80`, in order. */
  readonly opened: string[];
  /** What it was asked to look for, in order. */
  readonly asked: Question[];
  close(): Promise<void>;
}

interface HomeOptions {
  readonly url: string;
  /** Ports of this machine, by places of the home: `10.9.0.5:80`. */
  readonly places: ReadonlyMap<string, number>;
  /** What it answers when it looks around; by default what is open of what was asked. Undefined where it has no such service. */
  readonly look?: (question: Question, usual: Answer) => Promise<unknown> | undefined;
}

/** What a gateway sees of a home. */
function seenIn(places: ReadonlyMap<string, number>, { ports, except }: Question): Answer {
  const open = [...places.keys()].flatMap((place) => {
    const [address = '', port] = place.split(':');
    const isSpared = except.some((one) => `${one.address}:${one.port}` === place);
    return ports.includes(Number(port)) && !isSpared ? [{ address, port: Number(port) }] : [];
  });
  return { networks: [HOME], instances: [], open, is_complete: true };
}

export async function homeGateway(caller: Pick<Caller, 'call'>, options: HomeOptions): Promise<HomeGateway> {
  const { url, places, look = async (_question, usual) => usual } = options;
  const made = await caller.call('POST', '/gateways', { name: 'Home' });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const { id, pairing_code: code } = made.body as { id: string; pairing_code: string };
  const stop = new AbortController();
  const opened: string[] = [];
  const asked: Question[] = [];
  const running = runGateway({
    ...{ url, code, version: 'test', networks: () => [HOME] },
    ...{ key: systemRandom(32).toString('base64url'), clock: systemClock, random: systemRandom },
    services: {
      async open({ host, port }) {
        const place = `${host}:${port}`;
        opened.push(place);
        const here = places.get(place);
        if (here === undefined) throw failure('ECONNREFUSED', `nothing is at ${place}`);
        const socket = connect({ host: '127.0.0.1', port: here, allowHalfOpen: true });
        socket.on('error', () => {});
        await once(socket, 'connect');
        return socket;
      },
      answer(path, question) {
        if (path !== '/discover') return undefined;
        const wanted = question as unknown as Question;
        asked.push(wanted);
        return look(wanted, seenIn(places, wanted)) as Promise<Json> | undefined;
      },
    },
    wills: { count: 0, connected: () => {}, heard: () => {}, lost: () => {} },
    print: () => {},
    signal: stop.signal,
  });
  await until('the gateway is connected', async () => (await gatewayOf(caller, id)).connected);
  return {
    ...{ id, opened, asked },
    async close() {
      stop.abort();
      await running;
    },
  };
}

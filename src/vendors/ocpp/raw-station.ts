import type { TestContext } from 'node:test';
import { WebSocket } from 'ws';
import { basic, HERE } from './knock.ts';
import { PASSWORD, type World } from './test-world.ts';

type Frame = readonly unknown[];

/** What a raw station answers to a call of ours: the frame after the message id. Undefined: nothing. */
type Reply = (
  action: string,
  params: unknown,
) => readonly [3, unknown] | readonly [4, string, string] | undefined;

interface Raw {
  /** Sends a call with exactly these parameters, and answers the whole frame that comes back. */
  call(action: string, params: unknown): Promise<Frame>;
  /** Sends text as it is. */
  send(text: string): void;
  /** Calls of ours, in order. */
  readonly asked: readonly { readonly action: string; readonly params: unknown }[];
  /** The code with which the connection was closed. */
  readonly closed: Promise<number>;
}

/** A station that is nothing but a socket: it sends the frames that a test tells it to, right or wrong. */
export async function rawStation(
  t: TestContext,
  world: World,
  { protocol = 'ocpp1.6', reply = () => undefined }: { protocol?: string; reply?: Reply } = {},
): Promise<Raw> {
  const socket = new WebSocket(`ws://127.0.0.1:${world.port}${HERE}`, protocol, { headers: basic(PASSWORD) });
  t.after(() => socket.terminate());
  const waiting = new Map<string, (frame: Frame) => void>();
  const asked: { action: string; params: unknown }[] = [];
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  let calls = 0;
  socket.on('message', (data) => {
    const frame = JSON.parse(String(data)) as Frame;
    const [type, id, action, params] = frame;
    if (type !== 2) return waiting.get(String(id))?.(frame);
    asked.push({ action: String(action), params });
    const answer = reply(String(action), params);
    if (answer === undefined) return;
    const [kind, ...rest] = answer;
    socket.send(JSON.stringify([kind, id, ...rest, ...(kind === 4 ? [{}] : [])]));
  });
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  return {
    call(action, params) {
      calls += 1;
      const id = `raw-${calls}`;
      const answered = new Promise<Frame>((resolve) => waiting.set(id, resolve));
      socket.send(JSON.stringify([2, id, action, params]));
      return answered;
    },
    send: (text) => socket.send(text),
    asked,
    closed,
  };
}

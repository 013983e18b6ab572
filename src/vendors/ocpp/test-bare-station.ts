import { type IncomingHttpHeaders, request } from 'node:http';
import type { Duplex } from 'node:stream';
import type { TestContext } from 'node:test';
import { WebSocket } from 'undici';
import type { Clock } from '../../core/clock.ts';
import type { StationOptions } from './options.ts';
import { IDENTITY, PASSWORD, World } from './test-world.ts';

/** A world that is closed after the test. */
export async function worldOf(t: TestContext, options: Partial<StationOptions> = {}): Promise<World> {
  const world = await new World(options).open();
  t.after(() => world.close());
  return world;
}

/** The header of HTTP Basic. */
export const basic = (password: string | Buffer, identity = IDENTITY): Record<string, string> => ({
  authorization: `Basic ${Buffer.concat([Buffer.from(`${identity}:`), Buffer.from(password)]).toString('base64')}`,
});

interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly socket: Duplex | null;
}

/** Sends a handshake, byte for byte as given; leaves an open socket to the caller. */
export function knock(world: World, path: string, headers: Record<string, string>): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const handshake = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-protocol': 'ocpp1.6',
    };
    const asked = request({ port: world.port, path, headers: { ...handshake, ...headers } });
    asked.on('upgrade', ({ statusCode = 0, headers: given }, socket) => {
      socket.on('error', () => undefined);
      resolve({ status: statusCode, headers: given, socket });
    });
    asked.on('response', (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, socket: null });
    });
    asked.on('error', reject);
    asked.end();
  });
}

export async function statusOf(world: World, path: string, headers: Record<string, string>): Promise<number> {
  const { status, socket } = await knock(world, path, headers);
  socket?.destroy();
  return status;
}

/** The path of the expected station. */
export const HERE = `/ocpp/${encodeURIComponent(IDENTITY)}`;

export type Protocol = 'ocpp1.6' | 'ocpp2.0.1';

/** A CALLERROR: its code and description. */
class Refusal {
  readonly code: string;
  readonly words: string;

  constructor(code: string, words: string) {
    this.code = code;
    this.words = words;
  }
}

export const refusal = (code: string, words = ''): Refusal => new Refusal(code, words);

/** The response to our call: a payload, a refusal, or null for none. */
type Give = object | Refusal | null | ((params: never) => object | null);

/** Responses of a station that accepts everything, and triggers nothing. */
const OBLIGING: Readonly<Record<string, Give>> = {
  RemoteStartTransaction: { status: 'Accepted' },
  RemoteStopTransaction: { status: 'Accepted' },
  RequestStartTransaction: { status: 'Accepted' },
  RequestStopTransaction: { status: 'Accepted' },
  SetChargingProfile: { status: 'Accepted' },
  ClearChargingProfile: { status: 'Accepted' },
};

/** A station that sends exactly the frames of a test, over a WebSocket without an RPC library. */
export class BareStation {
  /** The calls of the central system, in order. */
  readonly received: { readonly action: string; readonly params: Record<string, unknown> }[] = [];
  readonly answers: Record<string, Give> = { ...OBLIGING };
  /** The response to every other call. */
  otherwise: Give = refusal('NotImplemented');
  readonly #world: World;
  readonly #protocol: Protocol;
  readonly #waiting = new Map<string, (frame: unknown[]) => void>();
  #socket: WebSocket | null = null;
  #sent = 0;

  constructor(world: World, protocol: Protocol) {
    this.#world = world;
    this.#protocol = protocol;
  }

  async connect(): Promise<this> {
    const socket = new WebSocket(`ws://127.0.0.1:${this.#world.port}${HERE}`, {
      protocols: [this.#protocol],
      headers: basic(PASSWORD),
    });
    socket.addEventListener('message', ({ data }) => this.#take(JSON.parse(String(data)) as unknown[]));
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve());
      socket.addEventListener('error', () => reject(new Error('the bare station was refused')));
    });
    this.#socket = socket;
    return this;
  }

  async disconnect(): Promise<void> {
    const socket = this.#socket;
    if (socket === null) return;
    this.#socket = null;
    const closed = new Promise((resolve) => socket.addEventListener('close', resolve));
    socket.close();
    await closed;
  }

  /** Sends a call; returns the payload of its CALLRESULT, throws on a CALLERROR. */
  async call(action: string, params: object): Promise<Record<string, unknown>> {
    const [type, , ...rest] = await this.exchange(action, params);
    if (type !== 3) throw new Error(`${action} was answered with ${rest.join(' ')}`);
    return rest[0] as Record<string, unknown>;
  }

  /** Sends a call with exactly these parameters, valid or not; returns the whole response frame. */
  exchange(action: string, params: unknown): Promise<unknown[]> {
    this.#sent += 1;
    const id = `bare-${this.#sent}`;
    const answered = new Promise<unknown[]>((resolve) => this.#waiting.set(id, resolve));
    this.#send([2, id, action, params]);
    return answered;
  }

  /** The calls of this action. */
  calls(action: string): Record<string, unknown>[] {
    return this.received.filter((call) => call.action === action).map(({ params }) => params);
  }

  #take(frame: unknown[]): void {
    const [type, id] = frame;
    if (type !== 2) {
      this.#waiting.get(String(id))?.(frame);
      this.#waiting.delete(String(id));
      return;
    }
    const [, , action, params] = frame as [number, string, string, Record<string, unknown>];
    this.received.push({ action, params });
    const given = action in this.answers ? this.answers[action] : this.otherwise;
    const give = typeof given === 'function' ? given(params as never) : given;
    if (give instanceof Refusal) this.#send([4, id, give.code, give.words, {}]);
    else if (give !== null && give !== undefined) this.#send([3, id, give]);
  }

  #send(frame: unknown[]): void {
    if (this.#socket === null) throw new Error('the bare station is not connected');
    this.#socket.send(JSON.stringify(frame));
  }
}

/** A world with a bare station that has not connected yet; no configuration is requested unless it boots or waits long. */
export async function bare(
  t: TestContext,
  protocol: Protocol,
  { options = {}, clock }: { options?: Partial<StationOptions>; clock?: Clock } = {},
): Promise<{ readonly world: World; readonly station: BareStation }> {
  const world = await new World({ bootMs: 60_000, ...options }, clock).open();
  const station = new BareStation(world, protocol);
  t.after(async () => {
    await station.disconnect();
    await world.close();
  });
  return { world, station };
}

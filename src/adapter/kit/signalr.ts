import Type, { type Static } from 'typebox';
import { AppError } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { vendorFailure } from '../failures.ts';
import type { VendorSocket } from '../http.ts';
import type { StreamSession } from '../stream.ts';
import { fits, notUnderstood, type TranslateFailure } from './calls.ts';
import { repeat } from './repeating.ts';

/*
 * ASP.NET Core SignalR over a WebSocket, JSON protocol: records of JSON, each ended by 0x1E; a WebSocket message holds whole records
 * (github.com/dotnet/aspnetcore, src/SignalR/docs/specs).
 */

const END = '\u001e';
/** The server takes a client for dead after 30 s. */
const PING_MS = 15_000;

/** The server pings every 15 s: `Stream.silenceSeconds` for a hub. */
export const HUB_SILENCE_SECONDS = 45;

/** Numbers of the messages that we know. */
export const MESSAGE = { invocation: 1, completion: 3, ping: 6, close: 7 } as const;

const HubMessage = Type.Object({
  type: Type.Optional(Type.Integer()),
  target: Type.Optional(Type.String()),
  arguments: Type.Optional(Type.Array(Type.Unknown())),
  invocationId: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  /** Why a call or the connection failed. */
  error: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});
type HubMessage = Static<typeof HubMessage>;

const Id = Type.Optional(Type.String({ maxLength: 512 }));
const Negotiation = Type.Object({ connectionId: Id, connectionToken: Id });

export const asRecord = (message: JsonObject): string => `${JSON.stringify(message)}${END}`;

/** The messages of a frame; one of another shape is an empty one: new kinds must not end the stream. Throws for what is not JSON. */
export function messagesIn(frame: string): HubMessage[] {
  const records = frame.split(END);
  if (records.pop() !== '') throw new Error('a record has no end');
  return records.map((record) => {
    let message: unknown;
    try {
      message = JSON.parse(record);
    } catch {
      // The parser's own words quote the record.
      throw new Error('a record is not JSON');
    }
    return fits(HubMessage, message) ? message : {};
  });
}

interface Hub {
  /** The vendor's name, for sentences. */
  readonly vendor: string;
  /** Which of the adapter's `hosts`. */
  readonly host: string;
  readonly path: string;
  readonly failure?: TranslateFailure;
  /** The hub takes calls now: the place to subscribe. */
  opened(invoke: (target: string, args: readonly Json[]) => void): void;
  /** The hub calls us. */
  invoked(target: string, args: readonly unknown[]): void;
  /** Everything that came together has been handed over. */
  settled(): void;
  /** Called every 15 seconds. */
  ticked(): void;
}

/** Connects to a hub and hands over what it says, until the connection ends or `session.signal` fires: for `Stream.run`. */
export async function followHub(session: StreamSession, hub: Hub): Promise<void> {
  const socket = await connect(session, hub);
  const close = () => socket.close();
  session.signal.addEventListener('abort', close, { once: true });
  const stopTicking = repeat(session, PING_MS, () => {
    socket.send(asRecord({ type: MESSAGE.ping }));
    hub.ticked();
  });
  try {
    socket.send(asRecord({ protocol: 'json', version: 1 }));
    let isReady = false;
    for await (const frame of socket.frames) {
      if (session.signal.aborted) return;
      for (const message of messagesOf(frame, hub)) {
        if (isReady) {
          if (take(session, hub, message) === 'closed') return;
          continue;
        }
        // The first record answers the handshake.
        if (typeof message.error === 'string') throw ended(hub, 'refused the handshake');
        isReady = true;
        let count = 0;
        hub.opened((target, args) => {
          const call = {
            type: MESSAGE.invocation,
            target,
            arguments: [...args],
            invocationId: String(count),
          };
          count += 1;
          socket.send(asRecord(call));
        });
      }
      hub.settled();
    }
  } finally {
    session.signal.removeEventListener('abort', close);
    stopTicking();
    socket.close();
  }
}

/** Agrees on a connection and opens it. The cookie keeps it at the server that made the connection's id. */
async function connect(session: StreamSession, hub: Hub): Promise<VendorSocket> {
  const { vendor, host, path, failure } = hub;
  try {
    const response = await session.http.send({
      method: 'POST',
      host,
      path: `${path}/negotiate`,
      query: { negotiateVersion: '1' },
      use: 'login',
    });
    const agreed: unknown = response.json();
    const id = fits(Negotiation, agreed) ? (agreed.connectionToken ?? agreed.connectionId) : undefined;
    if (id === undefined) throw notUnderstood(vendor, 'the stream');
    const cookie = cookiesIn(response.headers['set-cookie'] ?? '');
    return await session.connect({
      host,
      path,
      query: { id },
      // As agreeing on it is.
      use: 'login',
      ...(cookie === '' ? {} : { headers: { cookie } }),
    });
  } catch (cause) {
    throw failure?.(cause, 'the stream') ?? vendorFailure(vendor, cause);
  }
}

/** `name=value` pairs of one or several Set-Cookie headers, joined by commas; the comma in a date is followed by no `=`. */
export function cookiesIn(header: string): string {
  const pairs = header.matchAll(/(?:^|,\s*)([\w.-]{1,100}=[^;,\s]{0,4096})/g);
  return [...pairs].map((pair) => pair[1]).join('; ');
}

function messagesOf(frame: string, { vendor }: Hub): HubMessage[] {
  try {
    return messagesIn(frame);
  } catch (cause) {
    throw new AppError('vendor.answer_invalid', `the stream of ${vendor} was not understood`, { cause });
  }
}

const ended = ({ vendor }: Hub, how: string): AppError =>
  new AppError('vendor.unreachable', `${vendor} ${how} of the stream`);

function take(session: StreamSession, hub: Hub, message: HubMessage): 'closed' | undefined {
  const { type, target, error } = message;
  if (type === MESSAGE.close) {
    if (typeof error === 'string') throw ended(hub, 'closed the connection');
    return 'closed';
  }
  if (type === MESSAGE.completion && typeof error === 'string')
    session.log.warn({ link: session.link }, `the stream of ${hub.vendor} refused a call`);
  if (type === MESSAGE.invocation && target !== undefined) hub.invoked(target, message.arguments ?? []);
  return undefined;
}

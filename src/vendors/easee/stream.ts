import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { Stream, StreamSession, VendorSocket } from '../../adapter/stream.ts';
import { vendorFailure } from '../../adapter/vendor-failure.ts';
import { AppError } from '../../core/errors.ts';
import { tickName } from './client.ts';
import { type Chargers, createChargers } from './followed.ts';
import { createRecords, HANDSHAKE, type HubMessage, invocation, MESSAGE, PING } from './hub.ts';

const HUB = '/hubs/chargers';
/** The server takes a client for dead after 30 s. */
const PING_MS = 15_000;

const negotiations = Compile(
  Type.Object({
    connectionId: Type.Optional(Type.String({ maxLength: 512 })),
    connectionToken: Type.Optional(Type.String({ maxLength: 512 })),
  }),
);
const responses = Compile(
  Type.Object({
    ticks: Type.Number(),
    wasAccepted: Type.Boolean(),
    resultCode: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
  }),
);

/** Easee's SignalR hub: what chargers observe, and what became of commands. */
export const stream: Stream = {
  // The server pings every 15 s.
  silenceSeconds: 45,
  async run(session, devices, opened) {
    const socket = await connect(session);
    const chargers = createChargers(session, devices);
    const close = () => socket.close();
    session.signal.addEventListener('abort', close, { once: true });
    const cancelPings = repeat(session, PING_MS, () => socket.send(PING));
    let cancelSeeding = () => {};
    try {
      socket.send(HANDSHAKE);
      const records = createRecords();
      let isReady = false;
      for await (const frame of socket.frames) {
        if (session.signal.aborted) return;
        for (const message of recordsIn(records, frame)) {
          if (isReady) {
            if (take(session, chargers, message) === 'closed') return;
            continue;
          }
          // The first record answers the handshake.
          if (typeof message.error === 'string') throw ended('refused the handshake');
          isReady = true;
          for (const [index, { id }] of devices.entries())
            socket.send(invocation('SubscribeWithCurrentState', [id, true], String(index)));
          cancelSeeding = chargers.seedLater();
          opened();
        }
        chargers.flush();
      }
    } finally {
      session.signal.removeEventListener('abort', close);
      cancelPings();
      cancelSeeding();
      socket.close();
    }
  },
};

/** Agrees on a connection and opens it. The cookie keeps it at the server that knows the connection's id. */
async function connect(session: StreamSession): Promise<VendorSocket> {
  try {
    const answer = await session.http.send({
      method: 'POST',
      host: 'streams',
      path: `${HUB}/negotiate`,
      query: { negotiateVersion: '1' },
      use: 'login',
    });
    const agreed = answer.json();
    const id = negotiations.Check(agreed) ? (agreed.connectionToken ?? agreed.connectionId) : undefined;
    if (id === undefined)
      throw new AppError(
        'vendor.answer_invalid',
        'the response of Easee about the stream was not understood',
      );
    const cookie = cookiesIn(answer.headers['set-cookie'] ?? '');
    return await session.connect({
      host: 'streams',
      path: HUB,
      query: { id },
      ...(cookie === '' ? {} : { headers: { cookie } }),
    });
  } catch (cause) {
    throw vendorFailure('Easee', cause);
  }
}

/** `name=value` pairs of one or several Set-Cookie headers, joined by commas; the comma in a date is followed by no `=`. */
export function cookiesIn(header: string): string {
  const pairs = header.matchAll(/(?:^|,\s*)([\w.-]{1,100}=[^;,\s]{0,4096})/g);
  return [...pairs].map((pair) => pair[1]).join('; ');
}

function recordsIn(records: (frame: string) => HubMessage[], frame: string): HubMessage[] {
  try {
    return records(frame);
  } catch (cause) {
    throw new AppError('vendor.answer_invalid', 'the stream of Easee was not understood', { cause });
  }
}

const ended = (how: string): AppError => new AppError('vendor.unreachable', `Easee ${how} of the stream`);

function take(session: StreamSession, chargers: Chargers, message: HubMessage): 'closed' | undefined {
  switch (message.type) {
    case MESSAGE.invocation:
      for (const argument of message.arguments ?? []) {
        if (message.target === 'ProductUpdate' || message.target === 'ChargerUpdate') chargers.take(argument);
        if (message.target === 'CommandResponse' && responses.Check(argument))
          session.tell(`command:${tickName(argument.ticks)}`, {
            wasAccepted: argument.wasAccepted,
            resultCode: argument.resultCode ?? null,
          });
      }
      return undefined;
    case MESSAGE.completion:
      if (typeof message.error === 'string')
        session.log.warn(
          { vendor: 'easee', link: session.link },
          'the stream refused to tell of a charger; it is read instead',
        );
      return undefined;
    case MESSAGE.close:
      if (typeof message.error === 'string') throw ended('closed the connection');
      return 'closed';
    default:
      return undefined;
  }
}

function repeat({ clock }: StreamSession, ms: number, work: () => void): () => void {
  let cancel = () => {};
  const plan = () => {
    cancel = clock.after(ms, () => {
      try {
        work();
      } catch {
        // The connection is gone; its frames end, or throw, by themselves.
        return;
      }
      plan();
    });
  };
  plan();
  return () => cancel();
}

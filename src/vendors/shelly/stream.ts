import { vendorFailure } from '../../adapter/failures.ts';
import type { VendorSocket } from '../../adapter/http.ts';
import {
  type Challenge,
  cnonceOf,
  digestOf,
  figure,
  jsonIn,
  lenient,
  messageIn,
  objectIn,
  refused,
  repeat,
  word,
} from '../../adapter/kit/index.ts';
import type { DeviceRef } from '../../adapter/session.ts';
import type { Stream, StreamSession } from '../../adapter/stream.ts';
import type { JsonObject } from '../../core/json.ts';
import { failureOf, frameOf, readStatus, USER } from './client.ts';
import { kept, readingIn } from './translate.ts';

/*
 * A device reports changes over a WebSocket to whoever has called it there. It reports what has changed and no more, so the status is asked
 * for when the connection is there, and each minute: that also shows that the connection lives, where nothing changes.
 */

const BEAT_MS = 60_000;

const Message = lenient({}, 'id', 'method', 'params', 'result', 'error');

/** What stands in place of the method and the address in digests of frames. */
const OF_FRAMES = 'dummy_method:dummy_uri';

/** The challenge in the error of a frame: JSON in a text. */
function challengeOf(error: unknown): (Challenge & { readonly count: string }) | undefined {
  const { code, message } = objectIn(error);
  if (code !== 401) return undefined;
  const { realm, nonce, nc } = objectIn(jsonIn(String(message)));
  const named = word(realm, 200);
  const given = typeof nonce === 'number' ? String(nonce) : word(nonce);
  return named === null || given === null
    ? undefined
    : { realm: named, nonce: given, count: String(figure(nc, 0, 1e9) ?? 1) };
}

/** The sign-in of one frame. */
function signed(
  password: unknown,
  { count, ...challenge }: NonNullable<ReturnType<typeof challengeOf>>,
): JsonObject {
  const user = { name: USER, password: String(password ?? '') };
  // Devices read it as a number.
  const cnonce = String(Number.parseInt(cnonceOf(user, challenge, count).slice(0, 8), 16));
  return {
    realm: challenge.realm,
    username: user.name,
    nonce: Number(challenge.nonce),
    cnonce: Number(cnonce),
    response: digestOf(user, challenge, { count, cnonce, of: OF_FRAMES }),
    algorithm: 'SHA-256',
  };
}

/** A status with what a report has of it: fields that it does not name stay. */
export function merged(status: JsonObject, report: JsonObject): JsonObject {
  const all: Record<string, JsonObject[string]> = { ...status };
  for (const [name, value] of Object.entries(report)) {
    const isPart = Object.keys(objectIn(value)).length > 0 && Object.keys(objectIn(all[name])).length > 0;
    if (value !== undefined) all[name] = isPart ? merged(objectIn(all[name]), objectIn(value)) : value;
  }
  return all;
}

async function connect(session: StreamSession): Promise<VendorSocket> {
  try {
    return await session.connect({ path: '/rpc' });
  } catch (cause) {
    throw vendorFailure('Shelly', cause);
  }
}

/** Follows one device: what it reports, and each part of it that is one of ours. */
function follow(session: StreamSession, devices: readonly DeviceRef[], first: JsonObject) {
  let status = first;
  const tell = (isMeant: (part: string) => boolean) => {
    for (const device of devices) {
      const part = kept(device)?.part;
      const reading = part === undefined || !isMeant(part) ? undefined : readingIn(status, part);
      if (reading !== undefined) session.observed(device.id, reading);
    }
  };
  return {
    whole(now: JsonObject) {
      status = now;
      tell(() => true);
    },
    changed(report: JsonObject) {
      status = merged(status, report);
      const names = Object.keys(report);
      tell((part) => names.some((name) => name === part || name === part.replace(/^em1?/, '$&data')));
    },
  };
}

const isSettingsChanged = (params: unknown): boolean => {
  const { events } = objectIn(params);
  return Array.isArray(events) && events.some((event) => objectIn(event).event === 'config_changed');
};

export const stream: Stream = {
  silenceSeconds: 150,
  async run(session, devices, opened) {
    // Over HTTP, so that a password that is no longer right is told as that.
    const device = follow(session, devices, await readStatus(session));
    const socket = await connect(session);
    const close = () => socket.close();
    session.signal.addEventListener('abort', close, { once: true });
    let challenge: ReturnType<typeof challengeOf>;
    let count = 0;
    let refusals = 0;
    const ask = () => {
      count += 1;
      const auth = challenge === undefined ? {} : { auth: signed(session.credentials.password, challenge) };
      socket.send(JSON.stringify({ ...frameOf(count, 'Shelly.GetStatus'), ...auth }));
    };
    const stop = repeat(session, BEAT_MS, ask);
    try {
      ask();
      for await (const frame of socket.frames) {
        if (session.signal.aborted) return;
        const message = messageIn(frame, Message);
        if (message === undefined) continue;
        const { method, params, result, error } = message;
        const wanted = challengeOf(error);
        if (wanted !== undefined) {
          refusals += 1;
          if (refusals > 2) throw refused('Shelly refuses the sign-in of its stream');
          challenge = wanted;
          ask();
        } else if (error !== undefined)
          throw failureOf(error, 'its status') ?? refused('Shelly refused its status');
        else if (method === 'NotifyStatus') device.changed(objectIn(params));
        else if (method === 'NotifyFullStatus') device.whole(objectIn(params));
        else if (method === 'NotifyEvent' && isSettingsChanged(params)) session.listChanged();
        else if (Object.keys(objectIn(result)).length > 0) {
          refusals = 0;
          opened();
          device.whole(objectIn(result));
        }
      }
    } finally {
      session.signal.removeEventListener('abort', close);
      stop();
      socket.close();
    }
  },
};

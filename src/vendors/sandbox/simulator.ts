import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { Command } from '../../adapter/commands.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import type { JsonObject } from '../../core/json.ts';
import { MODELS } from './models/index.ts';
import { Refusal } from './models/model.ts';

export const FAULTS = ['timeout', 'refuse', 'rate_limited', 'garbage'] as const;
type Fault = (typeof FAULTS)[number];

/** The last possible date (ECMA-262, 21.4.1.1); a clock that runs 3,600 times too fast stops a little before it. */
const LAST_MS = 8.6e15;

/** A simulated device at one moment; every later state is computed from it. */
const Anchor = Type.Object({
  /** The clock of the platform at the anchor, ms since 1970. */
  real_ms: Type.Number(),
  /** The device's own clock at the anchor, ms since 1970; it runs `time_scale` times as fast. */
  simulated_ms: Type.Number(),
  time_scale: Type.Integer({ minimum: 1, maximum: 3_600 }),
  online: Type.Boolean(),
  fail: Type.Union([Type.Enum([...FAULTS]), Type.Null()]),
});
type Anchor = Type.Static<typeof Anchor>;

interface Twin extends Anchor {
  readonly state: JsonObject;
}

const anchors = Compile(Anchor);
const documents = Compile(Type.Object({ state: Type.Unknown() }));
const states = Object.fromEntries(
  Object.entries(MODELS).map(([type, { schema }]) => [type, Compile(schema)]),
);

const nameOf = (device: DeviceRef) => `device/${device.id}`;

/** The device as it is now, from the stored anchor or one derived from the link; stores nothing. */
export async function twinNow(session: Session, device: DeviceRef): Promise<Twin> {
  const twin = (await stored(session, device)) ?? fresh(session, device);
  const now = session.clock.now();
  const elapsed = Math.max(0, now - twin.real_ms);
  const to = Math.min(LAST_MS, twin.simulated_ms + elapsed * twin.time_scale);
  const state = MODELS[device.type].advance(twin.state, { from: twin.simulated_ms, to }, device.id);
  return { ...twin, real_ms: now, simulated_ms: to, state };
}

const turns = new Map<string, Promise<unknown>>();

/** Queues changes of a device, so that each starts from the result of the one before. */
export function queued<T>(session: Session, device: DeviceRef, work: () => Promise<T>): Promise<T> {
  const key = `${session.account}/${session.link}/${device.id}`;
  const done = (turns.get(key) ?? Promise.resolve()).then(work);
  const settled = done.then(
    () => {},
    () => {},
  );
  turns.set(key, settled);
  void settled.then(() => turns.get(key) === settled && turns.delete(key));
  return done;
}

/** Stores the twin as the device's new anchor. */
export async function keep(session: Session, device: DeviceRef, twin: Twin): Promise<void> {
  const { real_ms, simulated_ms, time_scale, online, fail, state } = twin;
  await session.documents.put(nameOf(device), { real_ms, simulated_ms, time_scale, online, fail, state });
}

function fresh(session: Session, device: DeviceRef): Twin {
  const at = session.linkedAt;
  const state = MODELS[device.type].initial(device.id, at);
  return { real_ms: at, simulated_ms: at, time_scale: 1, online: true, fail: null, state };
}

/** The stored anchor. One that an older version wrote in another format is ignored, so that the simulation starts over. */
async function stored(session: Session, device: DeviceRef): Promise<Twin | undefined> {
  const document = await session.documents.get(nameOf(device));
  if (document === undefined) return undefined;
  if (anchors.Check(document) && documents.Check(document) && states[device.type]?.Check(document.state))
    return { ...document, state: document.state as JsonObject };
  session.log.warn({ device: device.id }, 'sandbox: the stored device has an unknown format and starts over');
  return undefined;
}

/** A response of the simulated cloud, as an HTTP client receives it. */
export interface CloudAnswer {
  readonly status: number;
  readonly retryAfterSeconds?: number;
  readonly body: unknown;
}

type Order = (state: JsonObject, command: Command, at: number) => JsonObject;

/** Requests a device's reading from the simulated cloud, or sends it a command. Never resolves while `timeout` is set. */
export async function ask(session: Session, device: DeviceRef, command?: Command): Promise<CloudAnswer> {
  const answer =
    command === undefined
      ? await answerNow(session, device)
      : await queued(session, device, () => answerNow(session, device, command));
  return typeof answer === 'string' ? failing(session, answer) : answer;
}

async function answerNow(
  session: Session,
  device: DeviceRef,
  command?: Command,
): Promise<CloudAnswer | Fault> {
  const twin = await twinNow(session, device);
  if (twin.fail !== null) return twin.fail;
  if (command !== undefined) return obey(session, device, { twin, command });
  if (!twin.online) return { status: 200, body: { reachable: false, reading: null } };
  const reading = MODELS[device.type].reading(twin.state, twin.simulated_ms, device.id);
  return { status: 200, body: { reachable: true, reading } };
}

async function obey(
  session: Session,
  device: DeviceRef,
  { twin, command }: { twin: Twin; command: Command },
): Promise<CloudAnswer> {
  if (!twin.online) return { status: 503, body: { reason: 'unreachable', message: 'it is offline' } };
  const order = MODELS[device.type].orders[command.type] as Order | undefined;
  try {
    if (order === undefined) throw new Refusal('refused', `it has no command ${command.type}`);
    const state = order(twin.state, command, twin.simulated_ms);
    await keep(session, device, { ...twin, state });
    return { status: 202, body: { accepted: true } };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { status: 409, body: { reason: error.reason, message: error.message } };
  }
}

function failing(session: Session, fault: Fault): CloudAnswer | Promise<CloudAnswer> {
  switch (fault) {
    case 'timeout':
      return silence(session.signal);
    case 'refuse':
      return { status: 409, body: { reason: 'refused', message: 'its conditions say "fail": "refuse"' } };
    case 'rate_limited':
      return { status: 429, retryAfterSeconds: 30, body: null };
    case 'garbage':
      return { status: 200, body: { reachable: 'perhaps', reading: '\u00ff\u00fe<html>' } };
  }
}

/** Rejects when the platform gives up, and never resolves. */
function silence(signal: AbortSignal): Promise<never> {
  const gaveUp = () => new Error('the platform gave up waiting', { cause: signal.reason });
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(gaveUp());
    else signal.addEventListener('abort', () => reject(gaveUp()), { once: true });
  });
}

import type { Command } from '../../adapter/commands.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import type { JsonObject } from '../../core/json.ts';
import { MODELS } from './models/index.ts';
import { Refusal } from './models/model.ts';
import { type Fault, keep, queued, type Twin, twinNow } from './twin.ts';

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

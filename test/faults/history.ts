import { isDeepStrictEqual } from 'node:util';

/** One request that a client sent, and its outcome as far as the client knows. */
export interface Sent {
  readonly kind: 'link' | 'command';
  readonly key: string;
  readonly userRef: string;
  readonly deviceId: string | null;
  readonly body: unknown;
  /** The commanded state of the device; each command of a history has its own. */
  readonly value: string | null;
  /** The response, or null when the connection broke before it. */
  answer: { readonly status: number; readonly body: unknown } | null;
}

/** The state that is found afterwards. */
export interface Found {
  readonly userRefs: ReadonlySet<string>;
  /** The present value of each device. */
  readonly values: ReadonlyMap<string, string>;
  /** How often each value was sent to a device. */
  readonly runs: ReadonlyMap<string, number>;
  /** The response for each key when the request is repeated. */
  readonly replays: ReadonlyMap<
    string,
    { status: number; body: unknown; code: string | null; replayed: boolean }
  >;
}

/** Every contradiction between the state and the responses. Requests to one device are in the order of sending. */
export function contradictions(history: readonly Sent[], found: Found): string[] {
  return [...lostLinks(history, found), ...lostValues(history, found), ...wrongReplays(history, found)];
}

function lostLinks(history: readonly Sent[], { userRefs }: Found): string[] {
  return history
    .filter((sent) => sent.kind === 'link' && sent.answer?.status === 200 && !userRefs.has(sent.userRef))
    .map((sent) => `the link of ${sent.userRef} was acknowledged and is gone`);
}

function lostValues(history: readonly Sent[], { values, runs }: Found): string[] {
  const faults: string[] = [];
  const possible = new Map<string, Set<string>>();
  for (const { kind, deviceId, value, answer } of history) {
    if (kind !== 'command' || deviceId === null || value === null) continue;
    // An acknowledged command leaves one possible value; one without a response adds its own.
    const before = answer?.status === 200 ? new Set<string>() : (possible.get(deviceId) ?? new Set<string>());
    possible.set(deviceId, before.add(value));
    const times = runs.get(value) ?? 0;
    if (times > 1) faults.push(`${value} was handed to ${deviceId} ${times} times`);
    if (times === 0 && answer?.status === 200) faults.push(`${value} was acknowledged and is not in the log`);
  }
  for (const [deviceId, permitted] of possible) {
    const acknowledged = history.some((sent) => sent.deviceId === deviceId && sent.answer?.status === 200);
    const value = values.get(deviceId);
    if (acknowledged && (value === undefined || !permitted.has(value))) {
      faults.push(`${deviceId} has ${value}, and may have ${[...permitted].join(' or ')}`);
    }
  }
  return faults;
}

function wrongReplays(history: readonly Sent[], { replays }: Found): string[] {
  const faults: string[] = [];
  for (const { key, answer, kind } of history) {
    const replay = replays.get(key);
    if (replay === undefined) {
      faults.push(`${key} was not sent again`);
    } else if (answer === null) {
      const isUnknownOutcome =
        replay.code === 'command.outcome_unknown' || replay.code === 'idempotency.in_progress';
      if (replay.status !== 200 && !isUnknownOutcome)
        faults.push(`${kind} ${key} had no answer, and then ${replay.status} ${JSON.stringify(replay.body)}`);
    } else if (
      !replay.replayed ||
      replay.status !== answer.status ||
      !isDeepStrictEqual(replay.body, answer.body)
    ) {
      faults.push(`${kind} ${key} answered ${JSON.stringify(answer)}, and then ${JSON.stringify(replay)}`);
    }
  }
  return faults;
}

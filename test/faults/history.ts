import { isDeepStrictEqual } from 'node:util';

/** One request that a client sent, and what it knows of it. */
export interface Sent {
  readonly kind: 'link' | 'command';
  readonly key: string;
  readonly userRef: string;
  readonly deviceId: string | null;
  readonly body: unknown;
  /** What the device is to be like; each command of a history has its own. */
  readonly value: string | null;
  /** The answer, or null when the connection broke before there was one. */
  answer: { readonly status: number; readonly body: unknown } | null;
}

/** What is found afterwards. */
export interface Found {
  readonly userRefs: ReadonlySet<string>;
  /** The value that each device has now. */
  readonly values: ReadonlyMap<string, string>;
  /** How often each value was handed to a device. */
  readonly runs: ReadonlyMap<string, number>;
  /** What each key answers when the request is sent again. */
  readonly replays: ReadonlyMap<
    string,
    { status: number; body: unknown; code: string | null; replayed: boolean }
  >;
}

/** Every way in which what is found contradicts what was answered. Requests to one device are in the order of sending. */
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
    // An acknowledged command leaves one possible value; one without an answer adds its own.
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
      const isUnknown =
        replay.code === 'command.outcome_unknown' || replay.code === 'idempotency.in_progress';
      if (replay.status !== 200 && !isUnknown)
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

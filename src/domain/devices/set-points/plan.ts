import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../core/durations.ts';

/** A set-point that the device keeps is sent again so often: a device that has forgotten it holds it again, and it is known whether it is reachable. */
const KEPT_PERIOD_MS = MINUTE_MS;
/** A set-point that could not be renewed for so long is not taken up again: whoever sent it may have other plans by then. */
export const LAPSE_MS = 3 * MINUTE_MS;
/** A release is tried again for so long at a device that would keep the set-point for ever. */
export const RELEASE_MS = DAY_MS;
const FIRST_RETRY_MS = 5 * SECOND_MS;
const MOST_RETRY_MS = 5 * MINUTE_MS;

/**
 * `sending`: nothing was in force before the command that is being sent. `paused`: released because the process stopped. `released`: nothing
 * is left to do but to delete its link.
 */
export type State = 'sending' | 'held' | 'paused' | 'releasing' | 'released';

/** What the next step of a set-point depends on; moments in ms since 1970. */
export interface Planned {
  readonly state: State;
  /** A command was being sent, and nobody knows what became of it. */
  readonly isInDoubt: boolean;
  readonly renewedAt: number;
  readonly until: number | null;
  /** The device ends it at `until`, with nothing more of ours. */
  readonly endsByItself: boolean;
  /** How long after it was last sent the device ends it. */
  readonly revertMs: number | null;
  readonly releasingSince: number | null;
}

export type ReleaseReason = 'over' | 'lapsed' | 'unknown' | 'requested' | 'unlinked' | 'stopping' | 'gateway';

export type Step =
  | { readonly step: 'wait'; readonly ms: number }
  | { readonly step: 'renew' }
  | { readonly step: 'release'; readonly reason: ReleaseReason | undefined }
  /** The device runs by itself by now, or nothing more can be done; `isAbandoned`: it may hold the set-point for ever. */
  | { readonly step: 'forget'; readonly isAbandoned: boolean }
  | { readonly step: 'unlink' };

/** How often a set-point is sent again. */
const periodMs = (revertMs: number | null): number => (revertMs === null ? KEPT_PERIOD_MS : revertMs / 3);

/** When the device ends the set-point with nothing more of ours; undefined where it does not. */
export function endsAt({ endsByItself, until, revertMs, renewedAt }: Planned): number | undefined {
  if (endsByItself && until !== null) return until;
  return revertMs === null ? undefined : renewedAt + revertMs;
}

/** When its release is given up. */
export const givenUpAt = (planned: Planned): number =>
  endsAt(planned) ?? (planned.releasingSince ?? planned.renewedAt) + RELEASE_MS;

/** What is to be done about a set-point now. */
export function nextStep(planned: Planned, now: number): Step {
  const { state, until, renewedAt, revertMs, endsByItself } = planned;
  if (state === 'released') return { step: 'unlink' };
  // control: a set-point of unknown outcome is released, not sent again [set-points/plan]
  if (planned.isInDoubt) return { step: 'release', reason: 'unknown' };
  if (state === 'releasing') {
    if (now >= givenUpAt(planned)) return { step: 'forget', isAbandoned: endsAt(planned) === undefined };
    return { step: 'release', reason: undefined };
  }
  // control: a set-point ends with its time [set-points/plan] => false
  const isOver = until !== null && now >= until;
  if (endsByItself && !isOver) return { step: 'wait', ms: (until ?? now) - now };
  const hasLapsed = now - renewedAt > Math.max(revertMs ?? 0, LAPSE_MS);
  // control: a set-point that was not renewed for long is not taken up again [set-points/plan] => !isOver
  if (!isOver && !hasLapsed) return { step: 'renew' };
  // Whoever paused it has released it.
  if (endsByItself || state === 'paused') return { step: 'forget', isAbandoned: false };
  return { step: 'release', reason: isOver ? 'over' : 'lapsed' };
}

/** When a set-point that was just sent is looked at next, in ms. */
export function dueMs({ until, endsByItself, revertMs }: Planned, now: number): number {
  const left = until === null ? Number.POSITIVE_INFINITY : Math.max(0, until - now);
  return Math.round(endsByItself ? left : Math.min(left, periodMs(revertMs)));
}

/** How long to wait after so many failures in a row: no longer than a set-point that is renewed can wait. */
export function retryMs({ state, revertMs }: Planned, failures: number): number {
  const most = state === 'releasing' ? MOST_RETRY_MS : periodMs(revertMs);
  return Math.round(Math.min(most, FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 10)));
}

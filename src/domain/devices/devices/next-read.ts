import type { Adapter } from '../../../adapter/adapter.ts';
import { rfc3339 } from '../../../core/clock.ts';

/** A due moment further than any that comes: only a hint calls for a read. */
export const NEVER = Number.MAX_SAFE_INTEGER;

/** Why no read of a device is planned. */
export const UNPLANNED = ['reports_itself', 'on_request', 'needs_relink', 'not_planned_yet'] as const;
type Unplanned = (typeof UNPLANNED)[number];

/** What is stored of the background reads of a device. */
export interface ReadPlan {
  readonly isLinkLost: boolean;
  /** Null where the device, or its link, has no poll. */
  readonly poll: {
    /** ms since 1970 UTC; of a poll that is under way: when it was due. */
    readonly dueAt: number;
    readonly isUnderWay: boolean;
    readonly intervalSeconds: number;
    readonly hintedAt: number | null;
    readonly activeUntil: number | null;
  } | null;
}

interface NextRead {
  readonly next_read_at: string | null;
  readonly next_read_missing: Unplanned | null;
}

type ReadAdapter = Pick<Adapter, 'pace' | 'pollSeconds' | 'sweep' | 'stream' | 'webhook' | 'dialIn'>;

/** When a device that was fetched at a moment is read next in the background, or why it is not. */
export function nextReadOf(plan: ReadPlan, fetchedAt: number, adapter: ReadAdapter): NextRead {
  const without = (why: Unplanned): NextRead => ({ next_read_at: null, next_read_missing: why });
  if (plan.isLinkLost) return without('needs_relink');
  if (plan.poll !== null && plan.poll.dueAt < NEVER)
    return {
      next_read_at: rfc3339(nextReadAt(plan.poll, fetchedAt, adapter)),
      next_read_missing: null,
    };
  if (adapter.pace !== undefined) return without('not_planned_yet');
  const { stream, webhook, dialIn } = adapter;
  const isTold = [stream, webhook, dialIn].some((way) => way !== undefined);
  return without(isTold ? 'reports_itself' : 'on_request');
}

/** A device that was read since its poll was planned is not read again when the poll comes, but an interval later. */
function nextReadAt(
  { dueAt, isUnderWay, intervalSeconds, hintedAt, activeUntil }: NonNullable<ReadPlan['poll']>,
  fetchedAt: number,
  { sweep, pollSeconds }: ReadAdapter,
): number {
  if (hintedAt !== null && hintedAt >= fetchedAt) return Math.max(dueAt, fetchedAt + pollSeconds * 1_000);
  // Others that are read with it may be due earlier; one that was commanded is read more often than before.
  const isBySelf = isUnderWay || (sweep === undefined && (activeUntil ?? 0) < dueAt);
  return isBySelf ? Math.max(dueAt, fetchedAt + intervalSeconds * 1_000) : dueAt;
}

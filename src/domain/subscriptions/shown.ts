import { rfc3339 } from '../../core/clock.ts';
import type { AttemptRow, ListedRow } from './store.ts';

/** A subscription as its owner sees it. */
export interface Listed {
  readonly id: string;
  readonly url: string;
  readonly status: string;
  readonly reason: string | null;
  readonly types: readonly string[] | null;
  readonly device: string | null;
  readonly user_ref: string | null;
  readonly version: number;
  readonly signature: string;
  readonly public_key: string | null;
  readonly created_at: string;
  readonly lag_seconds: number;
  readonly failures: number;
  readonly failing_since: string | null;
  readonly next_attempt_at: string | null;
  readonly lost: { readonly from: string; readonly until: string } | null;
}

export interface ListedAttempt {
  readonly at: string;
  readonly duration_ms: number;
  readonly webhook_id: string;
  readonly events: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly response: string | null;
}

export function shown(row: ListedRow, now: number): Listed {
  const { waiting_since: since, lost_from: from, lost_until: until } = row;
  const isRetried = row.status === 'active' && row.failures > 0;
  return {
    id: row.id,
    url: row.url,
    status: row.status,
    reason: row.reason,
    types: row.types_json === null ? null : (JSON.parse(row.types_json) as string[]),
    device: row.device_id,
    user_ref: row.user_ref,
    version: row.version,
    signature: row.signature,
    public_key: row.public_key,
    created_at: rfc3339(row.created_at),
    lag_seconds: since === null ? 0 : Math.max(0, now - since) / 1_000,
    failures: row.failures,
    failing_since: row.failing_since === null ? null : rfc3339(row.failing_since),
    next_attempt_at: isRetried ? rfc3339(row.retry_at) : null,
    lost: from === null || until === null ? null : { from: rfc3339(from), until: rfc3339(until) },
  };
}

export const shownAttempt = (row: AttemptRow): ListedAttempt => ({
  at: rfc3339(row.at),
  duration_ms: row.duration_ms,
  webhook_id: row.message_id,
  events: row.events,
  status: row.status,
  error: row.error,
  response: row.response,
});

import { valuesOf } from '../history/index.ts';
import type { Prices } from '../prices/index.ts';
import { areaIn, costsOf, type SessionCost } from './costs.ts';
import { advanced, LONGEST_SILENCE_MS, overSince, type Progress } from './fold.ts';
import { type Figures, figuresOf, type Session } from './session.ts';

/** A session as it is stored, with what is known of its device while it runs. */
interface SessionRow {
  readonly id: string;
  readonly vendor: string;
  readonly device_id: string;
  readonly session_json: string;
  readonly progress_json: string | null;
  readonly state_json: string | null;
  readonly fetched_at: number | null;
  readonly price_area: string | null;
}

/** A session as it is listed; times are ms since 1970 UTC. */
export interface ListedSession extends Figures, Pick<Session, 'id' | 'userRef' | 'startedAt' | 'endedAt'> {
  readonly device: string;
  readonly vendor: string;
  readonly cost: SessionCost;
}

/** Sessions as they are at a moment, with what they have cost, in the order of their rows. */
export async function listed(
  rows: readonly SessionRow[],
  { now, prices }: { readonly now: number; readonly prices: Pick<Prices, 'energyCosts'> },
): Promise<ListedSession[]> {
  const sessions = rows.map((row) => {
    const session = shown(row, now);
    return { row, session, figures: figuresOf(session), area: areaIn(row.price_area) };
  });
  const costs = await costsOf(sessions, prices);
  return sessions.map(({ row, session, figures }, index) => {
    const { id, userRef, startedAt, endedAt } = session;
    return {
      ...{ id, device: row.device_id, vendor: row.vendor, userRef, startedAt, endedAt },
      ...{ ...figures, cost: costs[index] ?? { cost: null, missing: null } },
    };
  });
}

/** A session that runs is counted until its device was last confirmed to be so. */
function shown(row: SessionRow, now: number): Session {
  const stored = JSON.parse(row.session_json) as Session;
  if (stored.endedAt !== null || row.progress_json === null) return stored;
  const progress = JSON.parse(row.progress_json) as Progress;
  if (progress.session?.id !== stored.id) return stored;
  const until = Math.max(progress.at, Math.min(now, confirmedAt(row, progress)));
  const session = advanced(progress, until).session ?? stored;
  const isUnheard = session.transaction === null && now - until > LONGEST_SILENCE_MS;
  const over = overSince(progress, now) ?? (isUnheard ? until : null);
  return over === null ? session : { ...session, endedAt: over, isLost: session.idleSince === null };
}

/** When a device was last confirmed to be as the session has it; what the session does not have yet confirms nothing. */
function confirmedAt({ state_json, fetched_at }: SessionRow, { at, values }: Progress): number {
  if (state_json === null || fetched_at === null || values === null) return at;
  const state = JSON.parse(state_json) as Readonly<Record<string, unknown>>;
  const now = valuesOf(state);
  const isSame = (['connected', 'charging', 'power_w', 'energy_wh'] as const).every(
    (field) => now[field] === values[field],
  );
  return isSame && state.online !== false ? fetched_at : at;
}

import { QUARTER_MS } from '../../../core/durations.ts';
import { PRICE_AREAS, type PriceArea } from '../../../sources/contract/market.ts';
import { type Energy, type Prices, whyUnpriced } from '../../market/prices/index.ts';
import { valuesOf } from '../history/index.ts';
import { advanced, LONGEST_SILENCE_MS, overSince, type Progress } from './fold.ts';
import { type Figures, figuresOf, type Session } from './session.ts';

/** What a session has cost. */
interface SessionCost {
  /** Kronor at spot prices, plain decimal text; null where `missing` says why. */
  readonly cost: string | null;
  readonly missing: string | null;
}

interface Charged {
  readonly figures: Figures;
  /** That of the link; null where it has none, or is gone. */
  readonly area: PriceArea | null;
}

const areaIn = (text: string | null): PriceArea | null => PRICE_AREAS.find((area) => area === text) ?? null;

/** What sessions have cost at stored prices, in their order. */
async function costsOf(
  sessions: readonly Charged[],
  prices: Pick<Prices, 'energyCosts'>,
): Promise<SessionCost[]> {
  const costs: SessionCost[] = sessions.map((session) => ({ cost: null, missing: unpriceable(session) }));
  for (const area of PRICE_AREAS) {
    const own = sessions.flatMap((session, index) =>
      session.area === area && costs[index]?.missing === null ? [index] : [],
    );
    if (own.length === 0) continue;
    const energies = own.map((index) => energiesOf(sessions[index]?.figures.quarters ?? {}));
    const found = await prices.energyCosts({ area, energies });
    for (const [place, index] of own.entries()) {
      const cost = found[place];
      if (cost !== undefined) costs[index] = { cost: cost.cost, missing: whyUnpriced(area, cost) };
    }
  }
  return costs;
}

function unpriceable({ figures, area }: Charged): string | null {
  if (figures.energyWh === null) return 'energy_wh is not known';
  if (!figures.isComplete) return 'energy_wh is not all that was charged';
  if (figures.quarters === null) return 'some energy was counted in a gap, so when is not known';
  return area === null ? 'link has no price_area' : null;
}

const energiesOf = (quarters: NonNullable<Figures['quarters']>): Energy[] =>
  Object.entries(quarters).map(([quarter, wh]) => {
    const start = Number(quarter) * QUARTER_MS;
    return { start, end: start + QUARTER_MS, wh: Math.round(wh * 1_000) / 1_000 };
  });

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

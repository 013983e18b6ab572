import { AppError } from '../../../core/errors.ts';
import { dayAt, dayBounds } from '../../../core/swedish-days.ts';
import { PRICE_AREAS, type PriceArea } from '../../../sources/contract/market.ts';
import { addDays, minuteText } from './calendar.ts';
import { isLate } from './fetcher.ts';
import type { Memory } from './memory.ts';
import type { PricesHealth, SourceHealth } from './shapes.ts';

export interface Situation {
  readonly now: number;
  readonly memory: Memory;
  readonly sources: readonly SourceHealth[];
  /** Whether fetching is enabled in this process's settings. */
  readonly isOn: boolean;
  readonly isFetching: boolean;
  readonly nextAttemptAt: number | null;
}

/** Health of the prices, for `/readyz`. */
export function healthOf(situation: Situation): PricesHealth {
  const { now, memory, sources } = situation;
  const today = dayAt(now);
  const untilOf = (area: PriceArea): number | null => {
    const stored = memory.day(area, today);
    if (stored === undefined) return null;
    return (memory.day(area, addDays(today, 1)) ?? stored).end;
  };
  const until = { SE1: untilOf('SE1'), SE2: untilOf('SE2'), SE3: untilOf('SE3'), SE4: untilOf('SE4') };
  const without = PRICE_AREAS.filter((area) => until[area] === null);
  const endOfToday = dayBounds(today).end;
  const late = isLate(now) ? PRICE_AREAS.filter((area) => until[area] === endOfToday) : [];
  const failing = sources
    .filter(({ failures_in_row }) => failures_in_row > 0)
    .map(({ sentence }) => sentence);

  const faults = [
    ...(without.length === 0 ? [] : [`today's prices are missing for ${without.join(', ')}`]),
    ...(late.length === 0 ? [] : [`tomorrow's prices are missing for ${late.join(', ')}`]),
    ...(without.length > 0 && memory.view().isSample ? ['the sample day is served instead'] : []),
    ...(situation.isOn || without.length === 0 ? [] : ['fetching is disabled: ELNAV_FETCH is off']),
  ];
  const status = faults.length === 0 ? 'ok' : 'degraded';
  const byEnd = Map.groupBy(PRICE_AREAS, (area) => until[area]);
  const reaches = [...byEnd].flatMap(([end, areas]) =>
    end === null ? [] : [`${areaText(areas)} until ${minuteText(end)}`],
  );
  const sentence = [...(status === 'ok' ? [`ok: ${reaches.join(', ')}`] : faults), ...failing].join('; ');
  return {
    status,
    sentence,
    until,
    missing: without,
    late,
    sources,
    is_on: situation.isOn,
    is_fetching: situation.isFetching,
    next_attempt_at: situation.nextAttemptAt,
  };
}

/** Used while another process fetches and has not published its next attempt. */
const UNKNOWN_DELAY_S = 60;

/** Error for missing prices: what was tried, and when the next attempt is. */
export function unavailable(
  areas: readonly PriceArea[],
  { now, sources, isOn, nextAttemptAt }: Situation,
): AppError {
  const tried = sources.map(({ sentence }) => sentence);
  const what = `the current spot price of ${areaText(areas)} is missing`;
  if (!isOn)
    return new AppError('prices.unavailable', `${what}, and fetching is disabled (ELNAV_FETCH is off)`);
  const next =
    nextAttemptAt === null
      ? 'the sources are retried within minutes'
      : `the next attempt is at ${secondText(nextAttemptAt)}`;
  return new AppError(
    'prices.unavailable',
    [what, ...(tried.length === 0 ? ['no source has been asked yet'] : tried), next].join('; '),
    {
      retryAfterSeconds:
        nextAttemptAt === null ? UNKNOWN_DELAY_S : Math.max(1, Math.ceil((nextAttemptAt - now) / 1000)),
    },
  );
}

function areaText(areas: readonly PriceArea[]): string {
  return areas.length === PRICE_AREAS.length ? 'SE1–SE4' : areas.join(', ');
}

function secondText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

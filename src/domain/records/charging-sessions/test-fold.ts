import assert from 'node:assert/strict';
import { MINUTE_MS, QUARTER_MS } from '../../../core/durations.ts';
import { applied, type FoldOptions, type Happening, NOTHING_KNOWN } from './fold.ts';
import { figuresOf, type Session } from './session.ts';
import type { ChargeValues, MeterKind } from './tally.ts';

/** Ten o'clock UTC. */
export const TEN = Date.UTC(2026, 10, 21, 10);
export const minute = (minutes: number) => TEN + minutes * MINUTE_MS;
const NONE: ChargeValues = { connected: null, charging: null, power_w: null, energy_wh: null };
export const state = (minutes: number, values: Partial<ChargeValues> | null): Happening => ({
  kind: 'state',
  at: minute(minutes),
  values: values === null ? null : { ...NONE, ...values },
});
export const OUT = { connected: 0, charging: 0 };
export const IN = { connected: 1, charging: 0 };
export const ON = { connected: 1, charging: 1 };

interface Run {
  readonly meter?: MeterKind;
  readonly hasTransactions?: boolean;
}

/** The sessions that follow from what happens, in the order of their beginning, and what is known at the end. */
export function run(
  happenings: readonly Happening[],
  { meter = 'register', hasTransactions = false }: Run = {},
) {
  const sessions = new Map<string, Session>();
  const ofTransaction = (id: string) => [...sessions.values()].find(({ transaction }) => transaction === id);
  let count = 0;
  const options: FoldOptions = {
    ...{ link: 'l', userRef: 'anna', meter, hasTransactions, ofTransaction },
    newId() {
      count += 1;
      return `s${count}`;
    },
    changed: (session) => void sessions.set(session.id, session),
  };
  let progress = NOTHING_KNOWN;
  // As it is stored between two batches.
  for (const one of happenings)
    progress = JSON.parse(JSON.stringify(applied(progress, one, options))) as typeof progress;
  if (progress.session !== null && sessions.has(progress.session.id))
    sessions.set(progress.session.id, progress.session);
  return { sessions: [...sessions.values()], progress };
}

const minutesOf = (at: number | null) => (at === null ? null : (at - TEN) / MINUTE_MS);
/** Start, end, energy, how it was measured, whether that is all, and the greatest power. */
export function shown(happenings: readonly Happening[], how?: Run) {
  return run(happenings, how).sessions.map((session) => {
    const { energyWh, energyBy, isComplete, maxPowerW } = figuresOf(session);
    return [
      ...[minutesOf(session.startedAt), minutesOf(session.endedAt)],
      ...[energyWh, energyBy, isComplete, maxPowerW],
    ];
  });
}
export function quartersOf(happenings: readonly Happening[], how?: Run) {
  const [session] = run(happenings, how).sessions;
  assert.ok(session !== undefined);
  const { quarters } = figuresOf(session);
  return quarters === null
    ? null
    : Object.entries(quarters).map(([quarter, wh]) => [
        (Number(quarter) * QUARTER_MS - TEN) / MINUTE_MS,
        Math.round(wh),
      ]);
}

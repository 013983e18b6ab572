/** A period with one price. */
export interface Slot {
  /** ms since 1970 */
  readonly start: number;
  readonly end: number;
  /** kr/kWh at the spot market, a decimal. */
  readonly price: string;
}

const MINUTE_MS = 60_000;
/** The length of a slot of the day-ahead market. */
export const QUARTER_MS = 15 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;

export const minutesOf = ({ start, end }: Slot): number => (end - start) / MINUTE_MS;

/** The slots of a response that named an area. Each ends where the next one begins; the last is as long as the one before. */
export function slotsOf(
  answered: readonly { readonly start?: string; readonly price: string }[],
): readonly Slot[] {
  const starts = answered.map(({ start = '' }) => Date.parse(start));
  return answered.map(({ price }, index) => {
    const start = starts[index] ?? Number.NaN;
    const before = starts[index - 1];
    const next = starts[index + 1] ?? start + (before === undefined ? QUARTER_MS : start - before);
    return { start, end: next, price };
  });
}

/** The slots from the one that a moment is in; all where it is before them. */
export const slotsFrom = (slots: readonly Slot[], from: number): readonly Slot[] =>
  slots.filter(({ end }) => end > from);

/** The last slot that ends by a moment; -1 where none does. */
export const lastEndingBy = (slots: readonly Slot[], deadline: number): number =>
  slots.findLastIndex(({ end }) => end <= deadline);

/** The deadlines that can be chosen: the end of every slot. */
export const deadlinesOf = (slots: readonly Slot[]): readonly number[] => slots.map(({ end }) => end);

/** Keys that move a deadline: by a slot, by an hour, to the ends. */
const MOVES: Readonly<Record<string, number>> = {
  ArrowRight: QUARTER_MS,
  ArrowUp: QUARTER_MS,
  ArrowLeft: -QUARTER_MS,
  ArrowDown: -QUARTER_MS,
  PageUp: HOUR_MS,
  PageDown: -HOUR_MS,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/** Where a key moves a deadline among those that can be chosen; undefined where it is no such key. */
export function movedBy(key: string, from: number, deadlines: readonly number[]): number | undefined {
  const by = MOVES[key];
  if (by === undefined) return undefined;
  const [first = from] = deadlines;
  const last = deadlines.at(-1) ?? from;
  const wanted = Math.min(Math.max(from + by, first), last);
  const later = deadlines.find((one) => one >= wanted) ?? last;
  // Hours are longer than a step: no key stays where it is.
  return by < 0 && later > wanted ? (deadlines.findLast((one) => one <= wanted) ?? first) : later;
}

/** The deadline that can be chosen nearest to a moment. */
export function nearest(moment: number, deadlines: readonly number[]): number {
  let best = deadlines[0] ?? moment;
  for (const one of deadlines) if (Math.abs(one - moment) < Math.abs(best - moment)) best = one;
  return best;
}

/** The next time that a clock of the browser shows an hour. */
export function nextHourOfDay(after: number, hour: number): number {
  const at = new Date(after);
  at.setHours(hour, 0, 0, 0);
  if (at.getTime() <= after) {
    at.setDate(at.getDate() + 1);
    at.setHours(hour, 0, 0, 0);
  }
  return at.getTime();
}

/** Members that may be recruited, by index. */
export interface Candidates {
  readonly count: number;
  /** How far each member can go in the wanted direction, watts, at least 0; 0 leaves it out. */
  readonly rooms: Float64Array;
  /** Whole numbers; ascending ones are recruited first. */
  readonly priorities: Float64Array;
}

export interface Recruited {
  /** Indexes of the recruited members, in the order of recruiting. */
  readonly order: Uint32Array;
  /** Share of each, watts, above 0; only the last one may be less than its room. */
  readonly shares: Float64Array;
  /** At most the requested amount. */
  readonly delivered: number;
}

/** Widest range of priorities for counting; wider ones are sorted. */
const WIDEST = 65_536;

/**
 * Recruits in ascending priority, equal ones in the order given, until `amount` watts are met.
 * A room or a sum of rooms past 2^53 may be rounded, but never to below 2^53, and so never to below what remains of an
 * amount within 2^53 − 1: every share, and the sum of the shares, is exact.
 */
export function recruit(candidates: Candidates, amount: number): Recruited {
  const { count, rooms, priorities } = candidates;
  let lowest = Number.POSITIVE_INFINITY;
  let highest = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < count; index += 1) {
    if ((rooms[index] ?? 0) === 0) continue;
    const priority = priorities[index] ?? 0;
    if (priority < lowest) lowest = priority;
    if (priority > highest) highest = priority;
  }
  if (amount === 0 || lowest > highest)
    return { order: new Uint32Array(0), shares: new Float64Array(0), delivered: 0 };
  return highest - lowest < WIDEST
    ? recruitByCounting(candidates, amount, { lowest, highest })
    : recruitBySorting(candidates, amount);
}

/** Counts members and watts by priority, finds the priority in which the amount is met, and assigns in one pass. */
export function recruitByCounting(
  { count, rooms, priorities }: Candidates,
  amount: number,
  { lowest, highest }: { readonly lowest: number; readonly highest: number },
): Recruited {
  const range = highest - lowest + 1;
  const watts = new Float64Array(range);
  const members = new Uint32Array(range);
  for (let index = 0; index < count; index += 1) {
    const room = rooms[index] ?? 0;
    if (room === 0) continue;
    const bucket = (priorities[index] ?? 0) - lowest;
    watts[bucket] = (watts[bucket] ?? 0) + room;
    members[bucket] = (members[bucket] ?? 0) + 1;
  }
  // From here `members` holds the next write position of each priority.
  let last = 0;
  let before = 0;
  let left = amount;
  for (let size = members[0] ?? 0; ; size = members[last] ?? 0) {
    members[last] = before;
    before += size;
    if ((watts[last] ?? 0) >= left || last === range - 1) break;
    left -= watts[last] ?? 0;
    last += 1;
  }
  const order = new Uint32Array(before);
  const shares = new Float64Array(before);
  for (let index = 0; index < count; index += 1) {
    const room = rooms[index] ?? 0;
    const bucket = (priorities[index] ?? 0) - lowest;
    if (room === 0 || bucket > last || (bucket === last && left === 0)) continue;
    const share = bucket === last && room > left ? left : room;
    if (bucket === last) left -= share;
    const place = members[bucket] ?? 0;
    members[bucket] = place + 1;
    order[place] = index;
    shares[place] = share;
  }
  const recruited = members[last] ?? 0;
  return {
    order: order.subarray(0, recruited),
    shares: shares.subarray(0, recruited),
    delivered: amount - left,
  };
}

/** The same for any priorities, by sorting. */
export function recruitBySorting({ count, rooms, priorities }: Candidates, amount: number): Recruited {
  const order = new Uint32Array(count);
  let size = 0;
  for (let index = 0; index < count; index += 1) {
    if ((rooms[index] ?? 0) === 0) continue;
    order[size] = index;
    size += 1;
  }
  // The sign of a difference is right even if the difference is rounded.
  const sorted = order.subarray(0, size).sort((a, b) => (priorities[a] ?? 0) - (priorities[b] ?? 0) || a - b);
  const shares = new Float64Array(size);
  let left = amount;
  let recruited = 0;
  while (recruited < size && left > 0) {
    const share = Math.min(rooms[sorted[recruited] ?? 0] ?? 0, left);
    shares[recruited] = share;
    left -= share;
    recruited += 1;
  }
  return {
    order: sorted.subarray(0, recruited),
    shares: shares.subarray(0, recruited),
    delivered: amount - left,
  };
}

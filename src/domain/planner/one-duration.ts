/** The problem for slots of one duration; sizes are whole Wh, or whole ampere-slots. */
interface OneDuration {
  /** Slots, in order of (price, index). */
  readonly count: number;
  /** Least and largest size of a slot that is on. */
  readonly min: number;
  readonly max: number;
  readonly need: number;
  /** Most energy when the need cannot be hit exactly; Infinity when the device stops by itself. */
  readonly room: number;
}

/**
 * Slots of one duration: the closed form, O(n) once they are sorted.
 *
 * Lemma. Let every slot take 0 or a whole number from l to h, let the sum be D with k = ⌈D/h⌉ and k·l ≤ D ≤ n·h. Then this is
 * a cheapest choice: the k cheapest slots are on, each takes l, and the rest D − k·l goes to them in order of price, at most
 * h − l each.
 *
 * Proof. Fewer than k slots cannot hold D. With more than k on, the dearest can be dropped: the others hold k·h ≥ D, their
 * minimum has only become less, and its energy moves to slots that cost no more. So k are on. Slots of one duration have
 * the same l and h, so a slot that is on can be exchanged for a cheaper one that is off: the k cheapest are on. With these
 * fixed, energy moves from a dearer slot above l to a cheaper one below h without raising the cost, until none is left to move.
 * Every step also keeps or improves the order of (price, index), so ties go to the earlier slot. ∎
 *
 * If k·l > D, then D lies in the gap between (k−1)·h and k·l, which no choice reaches: j slots hold j·l … j·h. The next totals are
 * k·l above and (k−1)·h below, and the lemma holds for either.
 */
export function planOneDuration({ count, min, max, need, room }: OneDuration): Float64Array {
  const sizes = new Float64Array(count);
  if (count * max <= need) return sizes.fill(max);
  let on = Math.ceil(need / max);
  let total = need;
  if (on * min > need) {
    const overshoots = on * min <= room;
    if (!overshoots) on -= 1;
    total = overshoots ? on * min : on * max;
  }
  let rest = total - on * min;
  for (let rank = 0; rank < on; rank += 1) {
    const more = Math.min(max - min, rest);
    sizes[rank] = min + more;
    rest -= more;
  }
  return sizes;
}

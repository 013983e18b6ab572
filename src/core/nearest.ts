/** The name that a misspelt one probably means: at most three letters different, the nearest first. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  let best: { name: string; apart: number } | undefined;
  for (const other of names) {
    const apart = distance(name, other);
    // A short name is near to almost any other.
    if (apart > 3 || apart >= other.length) continue;
    if (best === undefined || apart < best.apart) best = { name: other, apart };
  }
  return best?.name;
}

/** Levenshtein distance, one row at a time. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substituted = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

import { type Prepared, prepared } from '../../../http/cacheable.ts';

/** Answers that were written once for all callers, while the version of what they tell stays the same. */
export function createVersionedResponses(version: () => unknown) {
  const kept = new Map<string, Prepared>();
  let keptVersion: unknown;
  /** The answer of a key, of which there are few; what `make` throws is not kept. */
  return (key: string, make: () => unknown): Prepared => {
    const current = version();
    if (current !== keptVersion) {
      kept.clear();
      keptVersion = current;
    }
    const known = kept.get(key);
    if (known !== undefined) return known;
    const text = JSON.stringify(make());
    const made = { ...prepared(text), body: Buffer.from(text) };
    kept.set(key, made);
    return made;
  };
}

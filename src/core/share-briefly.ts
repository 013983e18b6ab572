import type { Clock } from './clock.ts';

/** Shares a result among callers: while it is made, and for `sharedMs` afterwards. A failure is not kept. */
export function shareBriefly<T>(clock: Clock, sharedMs: number, make: () => Promise<T>): () => Promise<T> {
  let last: { readonly made: Promise<T>; until: number } | undefined;
  return () => {
    if (last !== undefined && clock.now() < last.until) return last.made;
    const own = { made: make(), until: Number.POSITIVE_INFINITY };
    const keep = (ms: number) => {
      own.until = clock.now() + ms;
    };
    own.made.then(
      () => keep(sharedMs),
      () => keep(0),
    );
    last = own;
    return own.made;
  };
}

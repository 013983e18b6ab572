import type { Clock } from '../../core/clock.ts';

/** Does something again and again on a connection, until it throws, or the function that is returned is called. */
export function repeat({ clock }: { readonly clock: Clock }, everyMs: number, work: () => void): () => void {
  let cancel = () => {};
  const plan = () => {
    cancel = clock.after(everyMs, () => {
      try {
        work();
      } catch {
        // The connection is gone; its frames end, or throw, by themselves.
        return;
      }
      plan();
    });
  };
  plan();
  return () => cancel();
}

import type { LinkKey, Signals } from '../../adapter/session.ts';
import type { Clock } from '../../core/clock.ts';

/** What the streams of this process tell to the commands that wait for it. */
export interface LinkSignals {
  of(link: LinkKey): Signals;
  tell(link: LinkKey, name: string, value: unknown): void;
  /** A stream of the link is open here: only then is there something to wait for. */
  opened(link: LinkKey): void;
  closed(link: LinkKey): void;
}

/** A signal may come before the command that it is about has had its answer; it is kept for so long. */
const KEPT_MS = 15_000;

export function createSignals(clock: Clock): LinkSignals {
  const open = new Set<string>();
  const early = new Map<string, unknown>();
  const waiting = new Map<string, (value: unknown) => void>();
  const linkOf = ({ account, link }: LinkKey) => `${account}/${link}`;
  return {
    of: (link) => ({
      wait(name, ms) {
        if (!open.has(linkOf(link))) return Promise.resolve(undefined);
        const key = `${linkOf(link)}/${name}`;
        if (early.has(key)) {
          const value = early.get(key);
          early.delete(key);
          return Promise.resolve(value);
        }
        return new Promise((resolve) => {
          const cancel = clock.after(ms, () => {
            waiting.delete(key);
            resolve(undefined);
          });
          waiting.set(key, (value) => {
            cancel();
            waiting.delete(key);
            resolve(value);
          });
        });
      },
    }),
    tell(link, name, value) {
      const key = `${linkOf(link)}/${name}`;
      const waiter = waiting.get(key);
      if (waiter !== undefined) {
        waiter(value);
        return;
      }
      early.set(key, value);
      clock.after(KEPT_MS, () => early.delete(key));
    },
    opened: (link) => void open.add(linkOf(link)),
    closed: (link) => void open.delete(linkOf(link)),
  };
}

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
/** Of those that nobody has asked for, in all; the oldest give way. */
const MOST_KEPT = 10_000;

interface Early {
  readonly value: unknown;
  readonly until: number;
}

export function createSignals(clock: Clock): LinkSignals {
  const linkOf = ({ account, link }: LinkKey) => `${account}/${link}`;
  const open = new Set<string>();
  /** By link and name, the oldest first. */
  const early = new Map<string, Early>();
  /** Who waits, by link and then by name. */
  const waiting = new Map<string, Map<string, Set<(value: unknown) => void>>>();

  function keep(key: string, value: unknown): void {
    const now = clock.now();
    for (const [oldest, { until }] of early) {
      if (until > now && early.size < MOST_KEPT) break;
      early.delete(oldest);
    }
    early.delete(key);
    early.set(key, { value, until: now + KEPT_MS });
  }

  /** Takes out what was signalled before anybody waited for it. */
  function kept(key: string): Early | undefined {
    const one = early.get(key);
    early.delete(key);
    return one !== undefined && one.until > clock.now() ? one : undefined;
  }

  function waitFor(link: string, name: string, ms: number): Promise<unknown> {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const names = waiting.get(link) ?? new Map<string, Set<(value: unknown) => void>>();
    const waiters = names.get(name) ?? new Set();
    waiting.set(link, names.set(name, waiters));
    const end = (value: unknown): void => {
      cancel();
      waiters.delete(end);
      if (waiters.size === 0 && names.get(name) === waiters) names.delete(name);
      if (names.size === 0 && waiting.get(link) === names) waiting.delete(link);
      resolve(value);
    };
    const cancel = clock.after(ms, () => end(undefined));
    waiters.add(end);
    return promise;
  }

  return {
    of: (key) => ({
      wait(name, ms) {
        const link = linkOf(key);
        if (!open.has(link)) return Promise.resolve(undefined);
        const signal = kept(`${link}/${name}`);
        return signal === undefined ? waitFor(link, name, ms) : Promise.resolve(signal.value);
      },
    }),
    tell(key, name, value) {
      const link = linkOf(key);
      const waiters = waiting.get(link)?.get(name);
      if (waiters === undefined) keep(`${link}/${name}`, value);
      else for (const end of [...waiters]) end(value);
    },
    opened: (link) => void open.add(linkOf(link)),
    closed(key) {
      const link = linkOf(key);
      open.delete(link);
      // Nothing comes any more: those who wait ask the vendor instead.
      for (const waiters of [...(waiting.get(link)?.values() ?? [])])
        for (const end of [...waiters]) end(undefined);
    },
  };
}

import type { LinkKey, LinkOf, Signals } from '../../../adapter/session.ts';
import type { Clock } from '../../../core/clock.ts';
import type { Log } from '../../../core/log.ts';

/** What happens to links, and to their devices outside a read. */
interface LinkEventMap {
  /** It was linked, for the first time or again, or its devices are others now. */
  readonly linked: LinkOf;
  /** A list of the vendor account has other devices than were known; ids. */
  readonly relisted: LinkOf & {
    readonly added: readonly string[];
    readonly changed: readonly string[];
    readonly removed: readonly string[];
  };
  /** The vendor does not know one of its devices any more, or names one that is not listed. */
  readonly listOutdated: LinkOf;
  /** The vendor says that devices were added to the account, or removed from it. */
  readonly listChanged: LinkOf;
  /** The same of every link of a vendor account; `isTrusted` where nobody else can have said so. */
  readonly accountListChanged: {
    readonly vendor: string;
    readonly vendorAccount: string;
    readonly isTrusted: boolean;
  };
  /** It is about to be removed; `isLast` when no other link shares its vendor account. */
  readonly unlinking: LinkOf & { readonly isLast: boolean };
  /** It is gone. */
  readonly unlinked: LinkOf;
  /** It works again, and was thought to need linking again: what had been given up for it begins again. */
  readonly healed: LinkOf;
  /** The user of the vendor account took the permission back, at this moment. */
  readonly loginLost: { readonly vendor: string; readonly vendorAccount: string; readonly at: number };
  /** Its gateway is connected again: what was given up for it begins again. */
  readonly reachable: LinkOf;
  /** No call of it goes well any more, or it must be linked again: what is known of its devices may be wrong by now. */
  readonly unreachable: LinkOf;
  /** Its stream reports changes from now on. */
  readonly streamOpened: LinkOf;
  /** What its stream would have reported must be asked for again. */
  readonly streamEnded: LinkOf;
  /** Something says that these devices have changed. */
  readonly hinted: readonly DeviceOf[];
  /** It was to be deleted when nothing of ours is in force at its devices any more: it is so now. */
  readonly released: LinkOf & { readonly linkedAt: number };
  /** A device was commanded. */
  readonly commanded: DeviceOf;
}

/** A device, as far as events name it. */
export interface DeviceOf extends LinkOf {
  readonly id: string;
}

type Listener<E> = (event: E) => Promise<void> | void;

/** Tells domains what happens to links, in the order in which they subscribed. */
export interface LinkEvents {
  on<N extends keyof LinkEventMap>(name: N, listener: Listener<LinkEventMap[N]>): void;
  /** Best effort: resolves when all were told. What happened is done already, and listeners look again on their own schedule. */
  emit<N extends keyof LinkEventMap>(name: N, event: LinkEventMap[N]): Promise<void>;
  /** Resolves when all have done what follows, durably; rejects with the first failure. */
  emitOrThrow<N extends keyof LinkEventMap>(name: N, event: LinkEventMap[N]): Promise<void>;
}

export function createLinkEvents(log: Log): LinkEvents {
  const listeners: { readonly [N in keyof LinkEventMap]: Listener<LinkEventMap[N]>[] } = {
    linked: [],
    relisted: [],
    listOutdated: [],
    listChanged: [],
    accountListChanged: [],
    unlinking: [],
    unlinked: [],
    healed: [],
    reachable: [],
    unreachable: [],
    loginLost: [],
    streamOpened: [],
    streamEnded: [],
    hinted: [],
    released: [],
    commanded: [],
  };
  return {
    on: (name, listener) => void listeners[name].push(listener),
    async emit(name, event) {
      for (const listener of listeners[name]) {
        try {
          await listener(event);
        } catch (error) {
          log.warn({ err: error, event: name }, 'what follows from an event of a link was not done');
        }
      }
    },
    async emitOrThrow(name, event) {
      for (const listener of listeners[name]) await listener(event);
    },
  };
}

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

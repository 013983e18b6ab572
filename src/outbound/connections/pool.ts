import type { LinkKey } from '../../adapter/session.ts';
import type { Clock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import type { Random } from '../../core/ids.ts';
import { createSemaphore, type Semaphore } from '../../core/semaphore.ts';
import { lost, type Named, notOpened, timedOut, tooMany } from './failures.ts';

/** An open connection, as the pool keeps it. */
export interface Channel {
  readonly isAlive: boolean;
  close(): void;
  /** Called once it is no longer alive, at once where it is not. */
  onClosed(tell: () => void): void;
}

/** One connection of one link: everything that is to share it says the same. */
export interface Place extends Named {
  readonly owner: LinkKey;
  /** Tells connections of a link to one address apart: protocol, user name. */
  readonly identity: string;
  readonly idleMs: number;
  /** What opening it may take, ms; 5,000 unless it is said. */
  readonly openingMs?: number;
}

interface Slot {
  readonly place: Place;
  /** One exchange at a time. */
  readonly semaphore: Semaphore;
  readonly ending: AbortController;
  channel: Channel | undefined;
  opening: Promise<Channel> | undefined;
  uses: number;
  /** When it was used last, ms since 1970. */
  usedAt: number;
  failures: number;
  /** Nothing is dialled before then. */
  notBefore: number;
  cancelIdle: () => void;
}

export interface Lease<C> {
  readonly channel: C;
  /** It was open before it was asked for: the other end may have gone without telling. */
  readonly isReused: boolean;
}

interface PoolOptions {
  readonly clock: Clock;
  readonly random: Random;
}

/** What opening a connection may take unless it is said. */
export const OPENING_MS = 5_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
const MOST_OF_ACCOUNT = 100;
const MOST = 5_000;
const MOST_WAITING = 50;

const keyOf = ({ owner, address, identity }: Place) =>
  JSON.stringify([owner.account, owner.link, address, identity]);

const newSlot = (place: Place, now: number): Slot => ({
  place,
  semaphore: createSemaphore({ places: 1, waiting: MOST_WAITING }),
  ending: new AbortController(),
  channel: undefined,
  opening: undefined,
  uses: 0,
  usedAt: now,
  failures: 0,
  notBefore: 0,
  cancelIdle: () => {},
});

/** Opens the connection of a slot; after a failure not before a while has passed. */
async function opened(
  slot: Slot,
  open: (signal: AbortSignal) => Promise<Channel>,
  { clock, random }: PoolOptions,
): Promise<Channel> {
  const { place, ending } = slot;
  const waitMs = slot.notBefore - clock.now();
  if (waitMs > 0)
    throw new AppError('vendor.unreachable', `${place.name} is unreachable at ${place.address}`, {
      retryAfterSeconds: Math.ceil(waitMs / 1_000),
    });
  const late = new AbortController();
  const cancel = clock.after(place.openingMs ?? OPENING_MS, () => late.abort(timedOut(place)));
  try {
    const channel = await open(AbortSignal.any([late.signal, ending.signal]));
    if (ending.signal.aborted) {
      channel.close();
      throw lost(place);
    }
    slot.failures = 0;
    slot.channel = channel;
    channel.onClosed(() => {
      if (slot.channel === channel) slot.channel = undefined;
    });
    return channel;
  } catch (error) {
    // Nothing was dialled: the next try may be after the operator has permitted it.
    if (error instanceof AppError && error.code === 'vendor.address_not_permitted') throw error;
    slot.failures += 1;
    const full = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (slot.failures - 1));
    slot.notBefore = clock.now() + full * (0.5 + random(4).readUInt32BE() / 2 ** 33);
    throw ending.signal.aborted ? lost(place) : notOpened(place, error);
  } finally {
    cancel();
  }
}

/**
 * Connections that outlive the call that opened them: one for each place, opened when it is needed, closed when nobody has used it for a
 * while, and left alone for longer and longer while it cannot be opened.
 */
export function createPool({ clock, random }: PoolOptions) {
  const slots = new Map<string, Slot>();
  let isClosed = false;

  function slotOf(place: Place): Slot {
    const key = keyOf(place);
    const known = slots.get(key);
    if (known !== undefined) return known;
    makeRoom(place);
    const slot = newSlot(place, clock.now());
    slots.set(key, slot);
    return slot;
  }

  /** Closes what was unused for longest where there are too many; throws where all are in use. */
  function makeRoom({ owner, name }: Place): void {
    const ofAccount = [...slots.values()].filter(({ place }) => place.owner.account === owner.account);
    const isFull = slots.size >= MOST;
    if (
      !isFull &&
      // control: an account has a bounded number of connections [connections/tcp]
      ofAccount.length < MOST_OF_ACCOUNT
    )
      return;
    const [unused] = (isFull ? [...slots.values()] : ofAccount)
      .filter(({ uses }) => uses === 0)
      .toSorted((one, other) => one.usedAt - other.usedAt);
    if (unused === undefined) throw tooMany(`too many connections are in use to open one to ${name}`);
    end(unused);
  }

  function end(slot: Slot): void {
    slot.cancelIdle();
    slot.ending.abort();
    slot.channel?.close();
    slot.channel = undefined;
    if (slots.get(keyOf(slot.place)) === slot) slots.delete(keyOf(slot.place));
  }

  function rest(slot: Slot): void {
    slot.cancelIdle();
    const restMs = Math.max(slot.place.idleMs, slot.notBefore - clock.now());
    slot.cancelIdle = clock.after(restMs, () => end(slot));
  }

  /** What `work` makes of the connection of a place; the connection is there for as long as the work takes. */
  async function use<C extends Channel, T>(
    place: Place,
    open: (signal: AbortSignal) => Promise<C>,
    { signal, work }: { readonly signal: AbortSignal; readonly work: (lease: Lease<C>) => Promise<T> },
  ): Promise<T> {
    if (isClosed) throw lost(place);
    if (signal.aborted) throw timedOut(place);
    const slot = slotOf(place);
    slot.uses += 1;
    slot.cancelIdle();
    try {
      const isReused = slot.channel?.isAlive === true;
      if (slot.channel !== undefined && !isReused) slot.channel = undefined;
      slot.opening ??=
        slot.channel === undefined
          ? opened(slot, open, { clock, random }).finally(() => {
              slot.opening = undefined;
            })
          : undefined;
      // A caller that stops waiting does not end it for the others.
      const channel = slot.channel ?? (await unlessAborted(slot.opening, signal, place));
      return await work({ channel: channel as C, isReused });
    } finally {
      slot.uses -= 1;
      slot.usedAt = clock.now();
      if (slot.uses === 0) rest(slot);
    }
  }

  return {
    use,

    /** Does the work alone: one after the other over the connection of a place, in the order of coming. */
    async alone<T>(place: Place, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
      if (isClosed) throw lost(place);
      const slot = slotOf(place);
      if (slot.semaphore.isFull)
        throw tooMany(`too many requests wait for ${place.name} at ${place.address}`);
      slot.uses += 1;
      try {
        const leave = await slot.semaphore.acquire(signal).catch(() => {
          throw timedOut(place);
        });
        try {
          return await work();
        } finally {
          leave();
        }
      } finally {
        slot.uses -= 1;
        if (slot.uses === 0) rest(slot);
      }
    },

    closeLink({ account, link }: LinkKey): void {
      for (const slot of [...slots.values()])
        if (slot.place.owner.account === account && slot.place.owner.link === link) end(slot);
    },

    /** How many are open. */
    get count(): number {
      return slots
        .values()
        .filter(({ channel }) => channel !== undefined)
        .toArray().length;
    },

    close(): void {
      isClosed = true;
      for (const slot of [...slots.values()]) end(slot);
    },
  };
}

export type Pool = ReturnType<typeof createPool>;

function unlessAborted<T>(work: Promise<T> | undefined, signal: AbortSignal, named: Named): Promise<T> {
  if (work === undefined) throw new Error('nothing is being opened');
  const { promise, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(timedOut(named));
  signal.addEventListener('abort', giveUp, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', giveUp));
}

/** Answers the messages as soon as they may come, and keeps the connection in use until they end. */
export function held<T>(
  work: (hold: (messages: AsyncIterable<T>, ended: Promise<void>) => Promise<void>) => Promise<void>,
): Promise<AsyncIterable<T>> {
  const begun = Promise.withResolvers<AsyncIterable<T>>();
  const hold = (messages: AsyncIterable<T>, ended: Promise<void>) => {
    begun.resolve(messages);
    return ended;
  };
  work(hold).catch((error: unknown) => begun.reject(error));
  return begun.promise;
}

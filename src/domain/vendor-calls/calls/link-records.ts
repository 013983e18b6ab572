import type { LinkKey } from '../../../adapter/session.ts';
import { BoundedMap } from '../../../core/bounded-map.ts';
import type { Clock } from '../../../core/clock.ts';
import { DAY_MS } from '../../../core/durations.ts';
import type { Bus } from '../../../db/bus.ts';
import { topic } from '../../../db/topic.ts';
import type { Interventions } from '../interventions/index.ts';
import type { LinkRow, LinkRowStore, LinkStatus } from './store-links.ts';

const NOTED = topic<LinkKey>('links.noted');
const CACHED_LINKS = 5_000;
/** Incidents of vendors are over by then. */
const REFUSED_MS = DAY_MS;

interface RecordsOptions {
  readonly bus: Bus;
  readonly store: LinkRowStore;
  /** A link works again that was thought to need linking again. */
  readonly healed: (row: LinkRow) => Promise<void>;
  /** Calls of a link failed twice in a row, or it must be linked again: once for each time that this happens. */
  readonly unreachable: (row: LinkRow) => Promise<void>;
  readonly clock: Clock;
  readonly interventions: Pick<Interventions, 'withSignIn'>;
}

/** The links that are called, in memory, with the status that follows from how their calls go. */
export function createLinkRecords(options: RecordsOptions) {
  const { bus, store, healed, unreachable, clock, interventions } = options;
  const rows = new BoundedMap<string, LinkRow>(CACHED_LINKS);
  /** Since when the links are unreachable of which that was said. */
  const reportedUnreachable = new BoundedMap<string, number>(CACHED_LINKS);
  /** Counts what was forgotten: a row that was read before must not be kept after. */
  let forgotten = 0;
  const keyOf = ({ account, link }: LinkKey) => `${account}/${link}`;
  const forget = (link: LinkKey) => {
    forgotten += 1;
    rows.delete(keyOf(link));
  };
  const forgetAll = () => {
    forgotten += 1;
    rows.clear();
  };
  NOTED.on(bus, forget);
  bus.onGap(forgetAll);

  async function write(
    row: LinkRow,
    { status, reason, refusedSince }: Pick<LinkRow, 'status' | 'refusedSince'> & { reason: string | null },
  ): Promise<void> {
    const kept = rows.get(keyOf(row));
    if (kept !== undefined && kept.linkedAt !== row.linkedAt) return;
    const known = kept ?? row;
    // That a vendor cannot be reached is no news of a link that has to be linked again: only a call that goes well is.
    if (known.status === 'needs_relink' && status === 'unreachable') return;
    // One failure may be of one device; the next one, with nothing that went well in between, is of the link.
    const isFailingAgain = status === 'unreachable' && known.status === 'unreachable';
    if (isFailingAgain && reportedUnreachable.get(keyOf(row)) !== known.statusSince) {
      reportedUnreachable.set(keyOf(row), known.statusSince);
      await unreachable(known);
    }
    if (known.status === status && known.statusReason === reason && known.refusedSince === refusedSince)
      return;
    const statusSince = known.status === status ? known.statusSince : clock.now();
    const written = { status, statusSince, statusReason: reason, refusedSince };
    if (kept !== undefined) rows.set(keyOf(row), { ...kept, ...written });
    const isLost = status === 'needs_relink';
    if (isLost === (known.status === 'needs_relink')) await store.setStatusAlone(row, written);
    else await interventions.withSignIn(row, isLost, (on) => store.setStatus(on, row, written));
    // With the old status in memory, other processes would not store that their own calls go well again.
    await NOTED.publish(bus, { account: row.account, link: row.link });
    if (known.status === 'needs_relink' && status === 'active') await healed({ ...known, ...written });
    if (isLost && known.status !== 'needs_relink') await unreachable({ ...known, ...written });
  }

  return {
    /** The link, with its credentials still sealed; undefined when it is gone. */
    async find(link: LinkKey): Promise<LinkRow | undefined> {
      const known = rows.get(keyOf(link));
      if (known !== undefined) return known;
      const before = forgotten;
      const row = await store.find(link);
      if (row === undefined || forgotten !== before) return row;
      rows.set(keyOf(link), row);
      return row;
    },

    /** Remembers how the last call went; writes only what changed. */
    async note(row: LinkRow, status: LinkStatus, reason: string | null): Promise<void> {
      const { refusedSince } = rows.get(keyOf(row)) ?? row;
      await write(row, { status, reason, refusedSince: status === 'active' ? null : refusedSince });
    },

    /** Remembers that the vendor refuses tokens that it has just issued: after a day of nothing else the user has to link again. */
    async noteRefused(row: LinkRow, reason: string): Promise<void> {
      const now = clock.now();
      const refusedSince = (rows.get(keyOf(row)) ?? row).refusedSince ?? now;
      const status = now - refusedSince >= REFUSED_MS ? 'needs_relink' : 'unreachable';
      await write(row, { status, reason, refusedSince });
    },

    forget,
    forgetAll,
  };
}

export type LinkRecords = ReturnType<typeof createLinkRecords>;

import type { DeviceState } from '../../../adapter/device.ts';
import { READ_CAPABILITIES, READS, STATUS_FIELDS } from '../../../adapter/fields.ts';
import { saidByState } from '../../../adapter/interventions.ts';
import type { LinkOf } from '../../../adapter/session.ts';
import type { Clock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import type { Lookup } from './lookup.ts';
import { type CachedDevice, cachedOf } from './memory.ts';
import type { Reader } from './reader.ts';
import type { SnapshotWriter } from './snapshot-writer.ts';
import type { Snapshots } from './snapshots.ts';
import type { DeviceRow, DeviceStore, Snapshot } from './store.ts';

/** Some fields of a state, as the vendor reported them by itself. */
export interface Report {
  readonly state: Partial<DeviceState>;
  /** When it was so, ms since 1970. */
  readonly at: number;
  /** Values that the adapter does not recognize. */
  readonly unrecognized?: readonly string[];
}

/**
 * What is known once a report is in; `older` when more recent things are known of each of its fields, and `unknown` when there is nothing
 * that they could be added to. Each field has its own moment: vendors that push report them one by one, and not in order. Fields that the
 * device has no capability for are left out.
 */
function withReport(
  row: Pick<DeviceRow, 'capabilities'>,
  before: Snapshot | null,
  report: Report,
): Snapshot | 'older' | 'unknown' {
  if (before === null) return 'unknown';
  const { whole, fields } = before.reported ?? { whole: before.observedAt, fields: {} };
  const newer = fieldsIn(row, report).filter((field) => report.at >= (fields[field] ?? whole));
  if (newer.length === 0) return 'older';
  const state: DeviceState = { ...before.state };
  for (const field of newer) setField(state, report.state, field);
  // What reports anything can be reached.
  if (before.reported?.isUnreachable === true && report.state.online === undefined) state.online = true;
  const at = Object.fromEntries(newer.map((field) => [field, report.at]));
  // The rest of the state is as old as it was: a caller that wants the whole of it still asks the vendor.
  return {
    ...before,
    state,
    reported: { whole, fields: { ...fields, ...at } },
    observedAt: Math.max(before.observedAt, report.at),
  };
}

/** The fields of a report that the device can have. */
function fieldsIn({ capabilities }: Pick<DeviceRow, 'capabilities'>, report: Report): (keyof DeviceState)[] {
  const read = READ_CAPABILITIES.filter((capability) => capabilities.includes(capability));
  return ['online' as const, ...STATUS_FIELDS, ...read.map((capability) => READS[capability])].filter(
    (field) => report.state[field] !== undefined,
  );
}

function setField<F extends keyof DeviceState>(
  state: DeviceState,
  reported: Partial<DeviceState>,
  field: F,
): void {
  const value = reported[field];
  if (value === undefined) return;
  if (typeof value !== 'number') {
    state[field] = value as DeviceState[F];
    return;
  }
  if (!Number.isFinite(value))
    throw new AppError('vendor.answer_invalid', `the vendor's ${field} is not a number`);
  state[field] = Math.round(value) as DeviceState[F];
}

interface ReportsOptions {
  readonly store: Pick<DeviceStore, 'ofLink' | 'rowsOfLink'>;
  readonly writer: Pick<SnapshotWriter, 'flush'>;
  readonly clock: Clock;
  readonly lookup: Pick<Lookup, 'byId' | 'newest'>;
  readonly reader: Pick<Reader, 'logUnrecognized' | 'offline'>;
  readonly snapshots: Snapshots;
}

/** Takes what is learnt of the devices of a link without asking for it. */
export function createReports({ store, writer, clock, lookup, reader, snapshots }: ReportsOptions) {
  async function ofLinkById(link: LinkOf, id: string, from = lookup.byId): Promise<CachedDevice | undefined> {
    return (await from(link.account, id)).find(
      ({ row }) => row.vendor === link.vendor && row.link === link.link,
    );
  }

  return {
    /**
     * Takes fields that a vendor reported by itself. `unknown` when the device has never been read, `older` when more recent things
     * are known, `gone` when the link has it no longer.
     */
    async report(link: LinkOf, id: string, report: Report): Promise<'taken' | 'unknown' | 'older' | 'gone'> {
      // The fields that it does not say are written with it, so they must be the newest.
      const cached = await ofLinkById(link, id, lookup.newest);
      if (cached === undefined) return 'gone';
      reader.logUnrecognized(cached, report.unrecognized);
      const snapshot = withReport(cached.row, cached.snapshot, report);
      if (typeof snapshot === 'string') return snapshot;
      snapshots.record(cached, snapshot);
      await snapshots.intervene(cached, saidByState(snapshot.state));
      return 'taken';
    },

    /** A stream or a station sent the state of a device; false when the link does not have it. */
    async observe(link: LinkOf, id: string, raw: unknown): Promise<boolean> {
      const cached = await ofLinkById(link, id);
      if (cached === undefined) return false;
      await snapshots.take(cached, raw);
      return true;
    },

    /** The devices of a link cannot be reached: they are offline until one is read or reports again. */
    async offline(link: LinkOf): Promise<void> {
      for (const { id } of await store.ofLink(link)) {
        const cached = await ofLinkById(link, id, lookup.newest);
        if (cached !== undefined && cached.snapshot?.state.online !== false)
          snapshots.record(cached, reader.offline(cached));
      }
    },

    /** Nothing of a link can be asked: what was last known of its devices stays, and they are offline until one is read or reports again. */
    async unreachable(link: LinkOf): Promise<void> {
      const began = clock.now();
      await writer.flush();
      for (const row of await store.rowsOfLink(link)) snapshots.markUnreachable(cachedOf(row, began), began);
    },
  };
}

import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { MeterReading, RunningTransaction } from '../../../adapter/charging.ts';
import type { StationHost } from '../../../adapter/dial-in.ts';
import type { Documents, LinkKey } from '../../../adapter/session.ts';
import { BoundedMap } from '../../../core/bounded-map.ts';
import { METER_SECONDS } from '../options.ts';
import { beginTransaction, type Connector, isStill, powerIn, takeLimit, takeRegister } from './connector.ts';
import { figuresOf } from './meter.ts';
import { deviceIdOf, type StoredStation } from './roster.ts';
import { keptOf as keptLimitOf, limitOf, StoredLimit } from './schedule.ts';

const NAME = 'connectors';

const orNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** The last reported status of a connector. */
const Word = Type.Object({
  status: orNull(Type.String()),
  /** 2.0.1 only: by connector id. */
  plugs: Type.Record(Type.String(), Type.String()),
  idle_since: Type.Number(),
  is_still: Type.Boolean(),
  /** When it was reported, ms since 1970; readings may be newer. */
  told_at: orNull(Type.Number()),
});

/** What a connector reported, will not report again by itself, and no record holds. */
const KeptConnector = Type.Object({
  /** The last limit of ours above 0. */
  last_limit: orNull(StoredLimit),
  /** The register when a transaction last began or ended, and when that was, ms. */
  mark: orNull(Type.Object({ register_wh: Type.Number(), at: Type.Number() })),
  ended: orNull(Type.String()),
  word: Type.Optional(Word),
  running: orNull(
    Type.Object({
      transaction_id: Type.String(),
      charging_state: orNull(Type.String()),
      doubted: Type.Optional(Type.Boolean()),
      session_wh: orNull(Type.Number()),
    }),
  ),
});
const Kept = Type.Object({
  connectors: Type.Record(Type.String(), KeptConnector),
  /** Tags of our remote starts by `remoteStartId` (2.0.1): the transaction names only the number. */
  remote_starts: Type.Record(Type.String(), Type.String()),
});
type Kept = Type.Static<typeof Kept>;

const check = Compile(Kept);

/** All that is stored of a station when it connects. */
export interface Recalled {
  readonly kept: Kept;
  readonly running: readonly RunningTransaction[];
  /** The newest readings, by device. */
  readonly readings: ReadonlyMap<string, readonly MeterReading[]>;
}

/** Loads what a station reported on earlier connections. */
export async function recall(
  host: StationHost,
  key: LinkKey,
  { identity, stored }: { readonly identity: string; readonly stored: StoredStation },
): Promise<Recalled> {
  const records = host.records(key);
  const kept = await host.documents(key).get(NAME);
  const running = await records.running();
  const devices = stored.connectors.map((connector) => deviceIdOf(identity, stored, connector));
  const readings = await Promise.all(
    devices.map(async (deviceId) => [deviceId, await records.latest(deviceId)] as const),
  );
  return {
    kept: check.Check(kept) ? kept : { connectors: {}, remote_starts: {} },
    running,
    readings: new Map(readings),
  };
}

/** An older power sample is not current. */
const FRESH_MS = 3 * METER_SECONDS * 1000;

interface Place {
  readonly deviceId: string;
  /** Whether a transaction runs on this connector, also when its device had another id when it began. */
  readonly isHere: (transaction: RunningTransaction) => boolean;
  readonly now: number;
}

/** Restores the state in which a connector was when the connection ended. */
export function restore(
  connector: Connector,
  {
    recalled: { kept, running, readings },
    stored,
  }: { readonly recalled: Recalled; readonly stored: StoredStation },
  { deviceId, isHere, now }: Place,
): void {
  const before = kept.connectors[connector.number];
  const transaction = running.findLast(isHere);
  const pastReadings = readings.get(deviceId) ?? [];
  const standing = stored.default_limits[connector.number];
  if (standing !== undefined) takeLimit(connector, { defaultLimit: limitOf(standing) }, now);
  const last = before?.last_limit ?? null;
  if (last !== null) connector.lastLimit = limitOf(last);
  restoreRegister(connector, pastReadings);
  connector.mark = before?.mark ?? null;
  connector.ended = before?.ended ?? null;
  if (connector.mark !== null) takeRegister(connector, connector.mark.register_wh, connector.mark.at);
  const newest = pastReadings.at(-1)?.at ?? 0;
  const lastReportAt = Math.max(before?.word?.told_at ?? 0, newest);
  if (lastReportAt > 0) connector.at = Math.min(lastReportAt, now);
  if (before?.word !== undefined) restoreWord(connector, before.word);
  if (transaction === undefined) {
    // Without a transaction no power flows; a transaction that was running when this was stored has ended since.
    if (before?.word?.is_still === true || (before?.running ?? null) !== null) connector.power_w = 0;
    connector.measuredAt = Math.max(connector.idleSince, newest);
    return;
  }
  beginTransaction(connector, transaction);
  const limited = stored.transaction_limits?.[connector.number];
  if (limited?.transaction_id === transaction.transactionId) {
    takeLimit(connector, { transactionLimit: limitOf(limited.limit) }, now);
  }
  if (before?.running?.transaction_id === transaction.transactionId) {
    connector.chargingState = before.running.charging_state;
    connector.session_wh = before.running.session_wh;
    connector.transactionStale = before.running.doubted === true;
  }
  restoreSamples(
    connector,
    pastReadings.filter(({ transactionId }) => transactionId === transaction.transactionId),
    now,
  );
}

function restoreWord(connector: Connector, word: Type.Static<typeof Word>): void {
  connector.status = word.status;
  for (const [plug, status] of Object.entries(word.plugs)) connector.plugs.set(Number(plug), status);
  connector.idleSince = word.idle_since;
  connector.recalled = word.status !== null;
}

function restoreRegister(connector: Connector, readings: readonly MeterReading[]): void {
  let before: { id: string | null; wh: number } | null = null;
  for (const { registerWh, samples, at, transactionId: id } of readings) {
    const wh = registerWh ?? figuresOf(samples).register_wh;
    if (wh === null) continue;
    const isFault = before !== null && id !== null && before.id === id && wh < before.wh;
    if (isFault) continue;
    takeRegister(connector, wh, at);
    before = { id, wh };
  }
}

function restoreSamples(connector: Connector, readings: readonly MeterReading[], now: number): void {
  for (const { at, samples } of readings) {
    const figures = figuresOf(samples);
    const { phases, register_wh } = figures;
    const power_w = powerIn(connector, figures, at);
    connector.measuredAt = at;
    connector.intervalAt = at;
    connector.phases = phases ?? connector.phases;
    if (register_wh !== null) connector.counted = true;
    if (power_w !== null && at >= connector.idleSince && at >= now - FRESH_MS) connector.power_w = power_w;
  }
}

/** The state of the connectors to store for the next connection. */
function keptOf(connectors: readonly Connector[], remoteStarts: ReadonlyMap<number, string>): Kept {
  return {
    connectors: Object.fromEntries(
      connectors.map((connector) => [connector.number, keptConnector(connector)]),
    ),
    remote_starts: Object.fromEntries(remoteStarts),
  };
}

/** The part that decides whether to store: a repeated report changes only `told_at`. */
function comparableText(kept: Kept): string {
  return JSON.stringify(kept, (name, value) => (name === 'told_at' ? undefined : value));
}

function keptConnector(connector: Connector): Kept['connectors'][string] {
  const { transaction, lastLimit } = connector;
  return {
    last_limit: lastLimit === null ? null : keptLimitOf(lastLimit),
    mark: connector.mark,
    ended: connector.ended,
    word: {
      status: connector.status,
      plugs: Object.fromEntries(connector.plugs),
      idle_since: connector.idleSince,
      is_still: isStill(connector),
      told_at: connector.at,
    },
    running:
      transaction === null
        ? null
        : {
            transaction_id: transaction.transactionId,
            charging_state: connector.chargingState,
            doubted: connector.transactionStale,
            session_wh: connector.session_wh,
          },
  };
}

/** The maximum number of remote starts that wait for their transaction. */
const MOST_STARTS = 8;

/** Stores what must outlive a station's connection, when it has changed. */
export class Memory {
  readonly #documents: Documents;
  readonly #connectors: () => readonly Connector[];
  /** Tags of our remote starts: the transaction that follows names only the number of its start. */
  readonly #remoteStarts = new BoundedMap<number, string>(MOST_STARTS);
  #kept: string;
  #keeping: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(documents: Documents, connectors: () => readonly Connector[], { kept }: Recalled) {
    this.#documents = documents;
    this.#connectors = connectors;
    for (const [id, tag] of Object.entries(kept.remote_starts)) this.#remoteStarts.set(Number(id), tag);
    this.#kept = comparableText(kept);
  }

  /** Call when the station is asked to start a transaction with this tag. */
  startRequested(remoteStartId: number, idTag: string): Promise<void> {
    this.#remoteStarts.set(remoteStartId, idTag);
    return this.store();
  }

  tagOfStart(remoteStartId: number | undefined): string | null {
    return (remoteStartId === undefined ? undefined : this.#remoteStarts.get(remoteStartId)) ?? null;
  }

  store(): Promise<void> {
    this.#keeping = this.#keeping
      .catch(() => undefined)
      .then(async () => {
        const kept = keptOf(this.#connectors(), this.#remoteStarts);
        const text = comparableText(kept);
        if (this.#closed || text === this.#kept) return;
        await this.#documents.put(NAME, kept);
        this.#kept = text;
      });
    return this.#keeping;
  }

  /** Stops storing: another connection of the station takes over. */
  close(): void {
    this.#closed = true;
  }
}

import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { MeterReading, RunningTransaction } from '../../adapter/charging.ts';
import type { StationHost } from '../../adapter/dial-in.ts';
import type { LinkKey } from '../../adapter/session.ts';
import { beginTransaction, type Connector, isStill, takeLimit, takeRegister } from './connector.ts';
import { figuresOf } from './figures.ts';
import { deviceIdOf, type Known } from './known.ts';
import { METER_SECONDS } from './options.ts';
import { KeptLimit, keptOf as keptLimitOf, limitOf } from './schedule.ts';

export const NAME = 'connectors';

const orNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** What a connector said last. */
const Word = Type.Object({
  status: orNull(Type.String()),
  /** 2.0.1 only: by connector id. */
  plugs: Type.Record(Type.String(), Type.String()),
  idle_since: Type.Number(),
  is_still: Type.Boolean(),
  /** When it was told, ms since 1970; readings may be newer. */
  told_at: orNull(Type.Number()),
});

/** What a connector has told that it does not tell again by itself, and that no record holds. */
const KeptConnector = Type.Object({
  /** The last limit of ours above 0. */
  last_limit: orNull(KeptLimit),
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
  /** Tags of starts of ours by `remoteStartId` (2.0.1): the transaction names the number only. */
  remote_starts: Type.Record(Type.String(), Type.String()),
});
export type Kept = Type.Static<typeof Kept>;

const check = Compile(Kept);

/** All that is known of a station before it says a word. */
export interface Recalled {
  readonly kept: Kept;
  readonly running: readonly RunningTransaction[];
  /** The newest readings, by device. */
  readonly readings: ReadonlyMap<string, readonly MeterReading[]>;
}

/** Looks up what a station told on earlier connections. */
export async function recall(
  host: StationHost,
  key: LinkKey,
  { identity, known }: { readonly identity: string; readonly known: Known },
): Promise<Recalled> {
  const records = host.records(key);
  const kept = await host.documents(key).get(NAME);
  const running = await records.running();
  const devices = known.connectors.map((connector) => deviceIdOf(identity, known, connector));
  const readings = await Promise.all(
    devices.map(async (deviceId) => [deviceId, await records.latest(deviceId)] as const),
  );
  return {
    kept: check.Check(kept) ? kept : { connectors: {}, remote_starts: {} },
    running,
    readings: new Map(readings),
  };
}

/** A sample that is older says nothing of now. */
const FRESH_MS = 3 * METER_SECONDS * 1000;

interface Place {
  readonly deviceId: string;
  /** Whether a transaction runs on the connector, whatever its device was called when it began. */
  readonly isHere: (transaction: RunningTransaction) => boolean;
  readonly now: number;
}

/** Puts a connector back into the state in which the station left it. */
export function restore(
  connector: Connector,
  { recalled: { kept, running, readings }, known }: { readonly recalled: Recalled; readonly known: Known },
  { deviceId, isHere, now }: Place,
): void {
  const before = kept.connectors[connector.number];
  const transaction = running.findLast(isHere);
  const told = readings.get(deviceId) ?? [];
  const standing = known.default_limits[connector.number];
  if (standing !== undefined) takeLimit(connector, { defaultLimit: limitOf(standing) }, now);
  const last = before?.last_limit ?? null;
  if (last !== null) connector.lastLimit = limitOf(last);
  restoreRegister(connector, told);
  connector.mark = before?.mark ?? null;
  connector.ended = before?.ended ?? null;
  if (connector.mark !== null) takeRegister(connector, connector.mark.register_wh, connector.mark.at);
  const newest = told.at(-1)?.at ?? 0;
  const saidAt = Math.max(before?.word?.told_at ?? 0, newest);
  if (saidAt > 0) connector.at = Math.min(saidAt, now);
  if (before?.word !== undefined) restoreWord(connector, before.word);
  if (transaction === undefined) {
    // Without a transaction nothing flows, as far as is known; one that was running when this was kept has ended.
    if (before?.word?.is_still === true || (before?.running ?? null) !== null) connector.power_w = 0;
    connector.measuredAt = Math.max(connector.idleSince, newest);
    return;
  }
  beginTransaction(connector, transaction);
  const limited = known.transaction_limits?.[connector.number];
  if (limited?.transaction_id === transaction.transactionId) {
    takeLimit(connector, { transactionLimit: limitOf(limited.limit) }, now);
  }
  if (before?.running?.transaction_id === transaction.transactionId) {
    connector.chargingState = before.running.charging_state;
    connector.session_wh = before.running.session_wh;
    connector.doubted = before.running.doubted === true;
  }
  restoreSamples(
    connector,
    told.filter(({ transactionId }) => transactionId === transaction.transactionId),
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
    const { power_w, phases, register_wh } = figuresOf(samples);
    connector.measuredAt = at;
    connector.intervalAt = at;
    connector.phases = phases ?? connector.phases;
    if (register_wh !== null) connector.counted = true;
    if (power_w !== null && at >= connector.idleSince && at >= now - FRESH_MS) connector.power_w = power_w;
  }
}

/** What is to be kept of the connectors for the next connection. */
export function keptOf(connectors: readonly Connector[], remoteStarts: ReadonlyMap<number, string>): Kept {
  return {
    connectors: Object.fromEntries(
      connectors.map((connector) => [connector.number, keptConnector(connector)]),
    ),
    remote_starts: Object.fromEntries(remoteStarts),
  };
}

/** What of it is worth storing: that the same was told again is not. */
export function newsIn(kept: Kept): string {
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
            doubted: connector.doubted,
            session_wh: connector.session_wh,
          },
  };
}

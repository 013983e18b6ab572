import type { RunningTransaction } from '../../../adapter/charging.ts';
import { judgeCard, loadCards, type Verdict } from '../../../adapter/charging.ts';
import { AppError } from '../../../core/errors.ts';
import { isMeasurable, soundTime } from '../wire/values.ts';
import { beginTransaction, type Connector, endTransaction } from './connector.ts';
import type { Station } from './station.ts';

/** 1.6 §7.2 AuthorizationStatus, 2.0.1 AuthorizationStatusEnumType: both have these values. */
const WORDS = {
  accepted: 'Accepted',
  unknown: 'Invalid',
  blocked: 'Blocked',
  expired: 'Expired',
} as const satisfies Record<Verdict, string>;

type Status = (typeof WORDS)[Verdict];

async function verdictOf({ host, key }: Station, card: string): Promise<Verdict> {
  return judgeCard(await loadCards(host.documents(key)), card, host.clock.now());
}

const statusOf = async (station: Station, card: string): Promise<Status> =>
  WORDS[await verdictOf(station, card)];

/** Authorization status of a 1.6 idTag. The tag of our own remote starts is always accepted; no card has it. */
export async function idTagStatus(station: Station, idTag: string): Promise<Status> {
  return idTag === station.options.idTag ? 'Accepted' : statusOf(station, idTag);
}

/** The fields of a 2.0.1 IdTokenType that are used here. */
export interface IdToken {
  readonly idToken: string;
  readonly type?: string;
}

/** Authorization status of a 2.0.1 idToken. Ours has the type `Central`, which no card reader sends. */
export async function idTokenStatus(station: Station, { idToken, type }: IdToken): Promise<Status> {
  const isOurs = idToken === station.options.idTag && type === 'Central';
  // NoAuthorization (a button, the plug) has no card to judge: the station's own settings decide.
  return isOurs || type === 'NoAuthorization' ? 'Accepted' : statusOf(station, idToken);
}

const WHY: Readonly<Record<Exclude<Verdict, 'accepted'>, string>> = {
  unknown: 'is not in the list of the link',
  blocked: 'is blocked in the list of the link',
  expired: 'has expired in the list of the link',
};

/** Throws unless a reader of the station would accept the card. Our own tag is no card. */
export async function checkCard(station: Station, card: string): Promise<void> {
  if (card === station.options.idTag) return;
  const verdict = await verdictOf(station, card);
  if (verdict !== 'accepted') throw new AppError('command.card_refused', `the card ${WHY[verdict]}`);
}

/** Whether some cards are refused at the station. */
export const refusesCards = async ({ host, key }: Station): Promise<boolean> =>
  (await loadCards(host.documents(key))).accept !== 'all';

/** Stops a transaction whose card was refused, where the station goes on with it: whether it stops by itself is a setting of its own. */
export function stopRefused(station: Station, connector: Connector): void {
  const { host, identity, options } = station;
  const { transaction } = connector;
  if (transaction === null) return;
  const { transactionId } = transaction;
  host.clock.after(options.refusedMs, () => {
    if (!station.online || connector.transaction?.transactionId !== transactionId) return;
    host.log.warn(
      { identity, transaction: transactionId },
      'a transaction goes on although its card was refused',
    );
    station.dialect
      .stop(connector, transactionId)
      .catch((err: unknown) =>
        host.log.warn({ err, identity }, 'a charge with a refused card was not stopped'),
      );
  });
}

/** A meter register, watt-hours; null for a value that no meter can show. */
export const meterWh = (value: number): number | null => (isMeasurable(value) ? value : null);

/** Connector statuses without a transaction; a car may be plugged in. */
const NONE_RUNS: ReadonlySet<string | null> = new Set(['Available', 'Preparing']);

interface Start {
  readonly connector: Connector;
  readonly timestamp: string;
  readonly meterStart: number;
  readonly idTag: string;
}

const UNDATED = 'undated_start';

/**
 * When a 1.6 transaction started, ms since 1970. A repeated start must get the same time. Where the station's clock is wrong,
 * our own time of the first attempt is stored together with the fields that identify that start.
 */
export async function startTime(station: Station, start: Start): Promise<number> {
  const now = station.host.clock.now();
  const sound = soundTime(start.timestamp, now);
  if (sound !== null) return sound;
  const mark = `${start.connector.number} ${start.timestamp} ${start.meterStart} ${start.idTag}`;
  const documents = station.host.documents(station.key);
  const kept = await documents.get(UNDATED);
  const isKept = typeof kept === 'object' && kept !== null && !Array.isArray(kept) && kept.mark === mark;
  if (isKept && typeof kept.at === 'number') return kept.at;
  await documents.put(UNDATED, { mark, at: now });
  return now;
}

/**
 * Makes a stored transaction the running one, unless it has ended already or a newer one runs (the station is delivering what
 * it buffered). Ends earlier transactions of its connector, whose ends were lost.
 */
export async function hasBegun(
  station: Station,
  connector: Connector,
  transaction: RunningTransaction,
): Promise<void> {
  const { transactionId, deviceId, startedAt } = transaction;
  if (connector.transaction?.transactionId === transactionId) return;
  const open = (await station.records.running()).filter((other) => other.deviceId === deviceId);
  const isOld = open.some((other) => other.transactionId !== transactionId && other.startedAt > startedAt);
  if (isOld || !open.some((other) => other.transactionId === transactionId)) return;
  for (const other of open) {
    if (other.transactionId !== transactionId) await giveUp(station, other, startedAt);
  }
  beginTransaction(connector, transaction);
}

/** Ends a transaction that the station has lost. */
async function giveUp(station: Station, transaction: RunningTransaction, by: number): Promise<void> {
  const { bootedAt } = station.setup;
  const lostPower = bootedAt !== null && bootedAt > transaction.startedAt;
  const reason = lostPower ? 'PowerLoss' : 'Unknown';
  const { transactionId } = transaction;
  await station.records.giveUp({ transactionId, by, reason });
  station.host.log.warn(
    { identity: station.identity, transaction: transactionId },
    'a transaction was ended because the station never ended it',
  );
}

/**
 * A station that booted and keeps reporting that no transaction runs has lost the one before. It gets some time, since it may
 * still deliver a buffered end.
 */
export function watchForgotten(station: Station, connector: Connector): void {
  const { transaction } = connector;
  const { bootedAt } = station.setup;
  const seemsForgotten = () =>
    connector.transaction === transaction &&
    connector.transactionStale &&
    NONE_RUNS.has(connector.status) &&
    station.online;
  if (transaction === null || bootedAt === null || !seemsForgotten()) return;
  const since = station.host.clock.now();
  station.host.clock.after(station.options.forgottenMs, () => {
    if (!seemsForgotten() || connector.measuredAt > since) return;
    giveUp(station, transaction, since)
      .then(() => {
        if (connector.transaction !== transaction) return;
        endTransaction(connector, since);
        return station.recordChange(connector);
      })
      .catch((error: unknown) =>
        station.host.log.error(
          { err: error, identity: station.identity },
          'a transaction that the station lost could not be ended',
        ),
      );
  });
}

/** The connector of a message that names none, if the station has only one. */
export function onlyConnector(station: Station): Connector | undefined {
  const [first, ...others] = station.connectors();
  return others.length === 0 ? first : undefined;
}

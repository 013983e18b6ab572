import { type Connector, endTransaction, takeStatus } from '../station/connector.ts';
import { figuresOf, type MeterValue, samplesOf } from '../station/meter.ts';
import type { Station } from '../station/station.ts';
import { hasBegun, type IdToken, meterWh, onlyConnector } from '../station/transactions.ts';

import { callError } from '../wire/rpc.ts';
import { momentOf } from '../wire/values.ts';

/** The fields of a 2.0.1 TransactionEventRequest that are used here. */
interface TransactionEvent {
  readonly eventType: 'Started' | 'Updated' | 'Ended';
  readonly timestamp: string;
  readonly triggerReason: string;
  readonly transactionInfo: {
    readonly transactionId: string;
    readonly chargingState?: string;
    readonly stoppedReason?: string;
    readonly remoteStartId?: number;
  };
  readonly evse?: { readonly id: number };
  readonly idToken?: IdToken;
  readonly meterValue?: readonly MeterValue[];
  readonly numberOfPhasesUsed?: number;
  readonly cableMaxCurrent?: number;
}

/**
 * Applies one transaction event (2.0.1 E01–E06). Only the first event names the EVSE, and any event may be the first that we
 * receive of its transaction. Sequence numbers are not used, since some stations always send 0.
 */
export async function takeTransactionEvent(station: Station, event: TransactionEvent): Promise<void> {
  const { transactionId } = event.transactionInfo;
  const running = station.withTransaction(transactionId);
  const connector = running ?? evseOf(station, event);
  switch (event.eventType) {
    case 'Started':
    case 'Updated':
      if (connector === undefined) {
        throw callError('PropertyConstraintViolation', 'the first event of a transaction must name its EVSE');
      }
      if (running === undefined) await begin(station, connector, event);
      else await identify(station, connector, event);
      // A past transaction that the station buffered while offline does not change the present state.
      if (connector.transaction?.transactionId === transactionId) takeState(station, connector, event);
      if (event.meterValue !== undefined) await station.measured(connector, event.meterValue, transactionId);
      break;
    case 'Ended':
      if (connector !== undefined && event.meterValue !== undefined) {
        await station.measured(connector, event.meterValue, transactionId);
      }
      await station.records.end(
        {
          transactionId,
          endedAt: station.timeOf(event.timestamp),
          meterStopWh: registerOf(event, 'last'),
          // Absent means stopped by the user at the station (TransactionType.stoppedReason).
          reason: event.transactionInfo.stoppedReason ?? 'Local',
        },
        connector === undefined ? null : station.deviceId(connector),
      );
      if (running !== undefined) endTransaction(running, station.timeOf(event.timestamp));
      break;
  }
  if (connector !== undefined) await station.recordChange(connector);
}

function evseOf(station: Station, { evse }: TransactionEvent): Connector | undefined {
  return evse === undefined || evse.id === 0 ? onlyConnector(station) : station.connector(evse.id);
}

function takeState(station: Station, connector: Connector, event: TransactionEvent): void {
  connector.transactionStale = false;
  connector.phases = event.numberOfPhasesUsed ?? connector.phases;
  connector.cable_a = event.cableMaxCurrent ?? connector.cable_a;
  const { chargingState } = event.transactionInfo;
  if (chargingState !== undefined) takeStatus(connector, { chargingState }, station.timeOf(event.timestamp));
}

async function begin(station: Station, connector: Connector, event: TransactionEvent): Promise<void> {
  const started = {
    deviceId: station.deviceId(connector),
    transactionId: event.transactionInfo.transactionId,
    startedAt: station.timeOf(event.timestamp),
    meterStartWh: event.eventType === 'Started' ? registerOf(event, 'first') : null,
    idTag: tagOf(station, event),
  };
  await station.records.begin(started);
  await hasBegun(station, connector, started);
}

/** The tag that charges: the presented card, or that of our remote start, which the event names by number. */
function tagOf(
  station: Station,
  { idToken, triggerReason, transactionInfo }: TransactionEvent,
): string | null {
  // The card that stops a transaction need not be the one that started it (2.0.1 C01, group id).
  const presented = triggerReason === 'StopAuthorized' ? undefined : idToken?.idToken;
  return presented ?? station.memory.tagOfStart(transactionInfo.remoteStartId);
}

/** Stores the card that is presented after the cable was plugged in (E02). */
async function identify(station: Station, connector: Connector, event: TransactionEvent): Promise<void> {
  const { transaction } = connector;
  const idTag = tagOf(station, event);
  if (transaction === null || transaction.idTag !== null || idTag === null) return;
  await station.records.identify(transaction.transactionId, idTag);
  connector.transaction = { ...transaction, idTag };
}

/** The import register among the event's readings, watt-hours. */
function registerOf(event: TransactionEvent, which: 'first' | 'last'): number | null {
  const registers = (event.meterValue ?? [])
    .toSorted((a, b) => momentOf(a.timestamp) - momentOf(b.timestamp))
    .map((value) => figuresOf(samplesOf(value)).register_wh)
    .filter((register) => register !== null);
  const register = registers.at(which === 'first' ? 0 : -1);
  return register === undefined ? null : meterWh(register);
}

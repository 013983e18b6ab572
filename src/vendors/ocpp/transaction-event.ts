import type { IdToken } from './cards.ts';
import { beginTransaction, type Connector, endTransaction, tell } from './connector.ts';
import { figuresOf } from './figures.ts';
import { type MeterValue, samplesOf } from './meter.ts';
import { callError } from './rpc.ts';
import type { Station } from './station.ts';
import { momentOf } from './time.ts';
import { meterWh, onlyConnector } from './transactions.ts';

/** 2.0.1 TransactionEventRequest, as far as it matters here. */
interface TransactionEvent {
  readonly eventType: 'Started' | 'Updated' | 'Ended';
  readonly timestamp: string;
  readonly transactionInfo: {
    readonly transactionId: string;
    readonly chargingState?: string;
    readonly stoppedReason?: string;
  };
  readonly evse?: { readonly id: number };
  readonly idToken?: IdToken;
  readonly meterValue?: readonly MeterValue[];
  readonly numberOfPhasesUsed?: number;
  readonly cableMaxCurrent?: number;
}

/**
 * Takes one event of a transaction (2.0.1 E01–E06). The EVSE is named in the first event only, and an event may be the
 * first that we see of its transaction; sequence numbers are not relied on, since stations send 0 throughout.
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
      if (event.meterValue !== undefined) await station.measured(connector, event.meterValue, transactionId);
      connector.phases = event.numberOfPhasesUsed ?? connector.phases;
      connector.cable_a = event.cableMaxCurrent ?? connector.cable_a;
      if (event.transactionInfo.chargingState !== undefined) {
        tell(connector, { chargingState: event.transactionInfo.chargingState });
      }
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
          // Left out means stopped by the user at the station (TransactionType.stoppedReason).
          reason: event.transactionInfo.stoppedReason ?? 'Local',
        },
        connector === undefined ? null : station.deviceId(connector),
      );
      if (running !== undefined) endTransaction(running);
      break;
  }
  if (connector !== undefined) station.changed(connector);
}

function evseOf(station: Station, { evse }: TransactionEvent): Connector | undefined {
  return evse === undefined || evse.id === 0 ? onlyConnector(station) : station.connector(evse.id);
}

async function begin(station: Station, connector: Connector, event: TransactionEvent): Promise<void> {
  const started = {
    deviceId: station.deviceId(connector),
    transactionId: event.transactionInfo.transactionId,
    startedAt: station.timeOf(event.timestamp),
    meterStartWh: event.eventType === 'Started' ? registerOf(event, 'first') : null,
  };
  await station.records.begin({ ...started, idTag: event.idToken?.idToken ?? null });
  beginTransaction(connector, started);
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

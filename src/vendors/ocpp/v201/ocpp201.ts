import { rfc3339 } from '../../../core/clock.ts';
import { HEARTBEAT_SECONDS } from '../options.ts';
import { type Connector, takeStatus } from '../station/connector.ts';
import { wordOrNull } from '../station/details.ts';
import type { Dialect } from '../station/dialect.ts';
import { profileIdOf } from '../station/limits.ts';
import type { MeterValue } from '../station/meter.ts';
import type { Station } from '../station/station.ts';
import { type IdToken, idTokenStatus, stopRefused, watchForgotten } from '../station/transactions.ts';

import { type Answer, answer } from '../wire/calls.ts';
import { refusedUnlessAccepted } from '../wire/rpc.ts';
import { textIn } from '../wire/values.ts';
import { operations201 } from './operations201.ts';
import { setUp201 } from './setup201.ts';
import { takeTransactionEvent } from './transaction-event.ts';

/** Only one plug of an EVSE can be in use; the first status in this list stands for the EVSE. */
const BY_WEIGHT = ['Occupied', 'Faulted', 'Reserved', 'Available', 'Unavailable'];

const MOST_PLUGS = 8;

/** IdTokenType.idToken. */
const LONGEST_TOKEN = 36;

/** Applies the status of one plug of a 2.0.1 EVSE. */
export function evseStatus(
  evse: Connector,
  { plug, status, at }: { readonly plug: number; readonly status: string; readonly at: number },
): void {
  if (evse.plugs.has(plug) || evse.plugs.size < MOST_PLUGS) evse.plugs.set(plug, status);
  const reported = new Set(evse.plugs.values());
  takeStatus(evse, { status: BY_WEIGHT.find((word) => reported.has(word)) ?? status }, at);
}

interface Boot {
  readonly reason?: string;
  readonly chargingStation?: {
    readonly vendorName?: string;
    readonly model?: string;
    readonly serialNumber?: string;
    readonly firmwareVersion?: string;
    readonly modem?: { readonly iccid?: string };
  };
}
/** The fields of a 2.0.1 EventDataType that are used here. */
interface StationEvent {
  readonly trigger?: string;
  readonly cleared?: boolean;
  readonly techCode?: string;
  readonly techInfo?: string;
  readonly actualValue?: string;
  readonly component?: { readonly name?: string; readonly evse?: { readonly id?: number } };
  readonly variable?: { readonly name?: string };
}
interface StatusNotification {
  readonly evseId: number;
  readonly connectorId: number;
  /** Absent: an unknown status. */
  readonly connectorStatus?: string;
  readonly timestamp?: string;
}
interface MeterValues {
  readonly evseId: number;
  readonly meterValue: readonly MeterValue[];
}
interface Outcome {
  readonly status: string;
  readonly statusInfo?: { readonly reasonCode: string; readonly additionalInfo?: string };
}

const PURPOSES = {
  transaction: 'TxProfile',
  default: 'TxDefaultProfile',
  station: 'ChargingStationMaxProfile',
} as const;

const reasonOf = ({ statusInfo }: Outcome): string =>
  [statusInfo?.reasonCode, statusInfo?.additionalInfo].filter((part) => part !== undefined).join(' ');

/** The serial number of an ISO 14443 card: 4, 7 or 10 bytes. */
const UID = /^([0-9a-f]{8}|[0-9a-f]{14}|[0-9a-f]{20})$/i;

/** OCPP 2.0.1. The use cases are those of part 2. */
export function ocpp201(station: Station): Dialect {
  let remoteStartId = Math.floor(station.host.clock.now() / 1000) % 1_000_000_000;
  return {
    answers: { ...ACKNOWLEDGED_ONLY, ...core(station) },
    setUp: () => setUp201(station),

    /** F01, F02: acknowledged only; a TransactionEvent follows. */
    async start(connector, idTag) {
      remoteStartId += 1;
      await station.memory.startRequested(remoteStartId, idTag);
      const outcome = await station.command<Outcome>('RequestStartTransaction', {
        evseId: connector.number,
        remoteStartId,
        idToken: { idToken: idTag, type: UID.test(idTag) ? 'ISO14443' : 'Central' },
      });
      refusedUnlessAccepted('RequestStartTransaction', outcome.status, reasonOf(outcome));
    },

    /** F03 */
    async stop(_connector, transactionId) {
      const outcome = await station.command<Outcome>('RequestStopTransaction', { transactionId });
      refusedUnlessAccepted('RequestStopTransaction', outcome.status, reasonOf(outcome));
    },

    /** F06 */
    async measure(connector) {
      const outcome = await station.tryCommand<Outcome>('TriggerMessage', {
        requestedMessage: 'MeterValues',
        evse: { id: connector.number },
      });
      return outcome?.status === 'Accepted';
    },

    /** K01 */
    limit(connector, limit, purpose) {
      const id = profileIdOf(connector.number, purpose, station.mostProfiles);
      const transaction = purpose === 'transaction' ? connector.transaction : null;
      return station.profileForm.limit(limit, purpose, (kind) =>
        station.command('SetChargingProfile', {
          evseId: purpose === 'station' ? 0 : connector.number,
          chargingProfile: {
            id,
            ...(transaction !== null && { transactionId: transaction.transactionId }),
            stackLevel: station.stackLevel,
            chargingProfilePurpose: PURPOSES[purpose],
            chargingProfileKind: kind,
            chargingSchedule: [{ id, ...station.scheduleOf(connector, limit, kind) }],
          },
        }),
      );
    },

    operate: operations201(station),

    /** K10 */
    async clear(what) {
      const { status } = await station.command<Outcome>(
        'ClearChargingProfile',
        'on' in what
          ? { chargingProfileCriteria: { evseId: what.on.number } }
          : { chargingProfileId: profileIdOf(what.of.number, what.purpose, station.mostProfiles) },
      );
      return status;
    },
  };
}

/** N07: stores the newest alert that is not cleared; a later `cleared` does not remove it, it stays the last fault. */
function takeAlert(station: Station, events: readonly StationEvent[]): void {
  const alert = events.findLast(({ trigger, cleared }) => trigger === 'Alerting' && cleared !== true);
  if (alert === undefined) return;
  const name = [alert.component?.name, alert.variable?.name].filter((part) => part !== undefined).join('.');
  const code = wordOrNull(alert.techCode) ?? wordOrNull(name) ?? 'Alerting';
  const info = wordOrNull(alert.techInfo) ?? wordOrNull(alert.actualValue);
  const at = station.host.clock.now();
  station.details.update({ last_fault: { code, info, connector: alert.component?.evse?.id ?? null, at } });
}

/** A token that is too long is stored cut, and judged whole: it is another card than the one that it begins with. */
const whole = (token: IdToken, sent: unknown): IdToken =>
  token.idToken.length < LONGEST_TOKEN
    ? token
    : { ...token, idToken: textIn(sent, 'idToken', 'idToken') ?? token.idToken };

function core(station: Station): Record<string, Answer> {
  const now = () => rfc3339(station.host.clock.now());
  return {
    BootNotification: answer(({ reason, chargingStation }: Boot) => {
      station.hasBooted({ maker: chargingStation?.vendorName, model: chargingStation?.model, reason });
      station.details.update({
        manufacturer: wordOrNull(chargingStation?.vendorName),
        model: wordOrNull(chargingStation?.model),
        serial_number: wordOrNull(chargingStation?.serialNumber),
        firmware_version: wordOrNull(chargingStation?.firmwareVersion),
        iccid: wordOrNull(chargingStation?.modem?.iccid),
      });
      return { status: 'Accepted', currentTime: now(), interval: HEARTBEAT_SECONDS };
    }),
    Authorize: answer(async ({ idToken }: { readonly idToken: IdToken }, sent) => ({
      idTokenInfo: { status: await idTokenStatus(station, whole(idToken, sent)) },
    })),
    Heartbeat: () => ({ currentTime: now() }),
    StatusNotification: answer(async (notification: StatusNotification) => {
      if (notification.connectorStatus === 'Faulted') {
        const at = station.host.clock.now();
        const connector = notification.evseId === 0 ? null : notification.evseId;
        station.details.update({ last_fault: { code: 'Faulted', info: null, connector, at } });
      }
      if (notification.evseId === 0) return {};
      const evse = station.connector(notification.evseId);
      const { connectorId: plug, connectorStatus: status, timestamp } = notification;
      if (status !== undefined) evseStatus(evse, { plug, status, at: station.timeOf(timestamp) });
      watchForgotten(station, evse);
      await station.recordChange(evse);
      return {};
    }),
    NotifyEvent: answer(({ eventData = [] }: { readonly eventData?: readonly StationEvent[] }) => {
      takeAlert(station, eventData);
      return {};
    }),
    TransactionEvent: answer(async (event: Parameters<typeof takeTransactionEvent>[1], sent) => {
      await takeTransactionEvent(station, event);
      const { idToken } = event;
      if (idToken === undefined) return {};
      const status = await idTokenStatus(station, whole(idToken, sent));
      const charging = station.withTransaction(event.transactionInfo.transactionId);
      // Only the card that charges: others may be held to the reader meanwhile.
      if (status !== 'Accepted' && charging?.transaction?.idTag === idToken.idToken)
        stopRefused(station, charging);
      return { idTokenInfo: { status } };
    }),
    MeterValues: answer(async ({ evseId, meterValue }: MeterValues) => {
      // EVSE 0 is the meter of the whole station, which is not a device here.
      if (evseId === 0) return {};
      const evse = station.connector(evseId);
      await station.measured(evse, meterValue, evse.transaction?.transactionId ?? null);
      await station.recordChange(evse);
      return {};
    }),
  };
}

/** Notifications that are only acknowledged, and requests that are not supported. */
const ACKNOWLEDGED_ONLY: Readonly<Record<string, Answer>> = {
  DataTransfer: () => ({ status: 'UnknownVendorId' }),
  ClearedChargingLimit: () => ({}),
  FirmwareStatusNotification: () => ({}),
  Get15118EVCertificate: () => ({ status: 'Failed', exiResponse: '' }),
  GetCertificateStatus: () => ({ status: 'Failed' }),
  LogStatusNotification: () => ({}),
  NotifyChargingLimit: () => ({}),
  NotifyCustomerInformation: () => ({}),
  NotifyDisplayMessages: () => ({}),
  NotifyEVChargingNeeds: () => ({ status: 'Rejected' }),
  NotifyEVChargingSchedule: () => ({ status: 'Accepted' }),
  NotifyMonitoringReport: () => ({}),
  NotifyReport: () => ({}),
  PublishFirmwareStatusNotification: () => ({}),
  ReportChargingProfiles: () => ({}),
  ReservationStatusUpdate: () => ({}),
  SecurityEventNotification: () => ({}),
  SignCertificate: () => ({ status: 'Rejected' }),
};

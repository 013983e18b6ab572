import { rfc3339 } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import { HEARTBEAT_SECONDS, METER_SECONDS } from '../options.ts';
import {
  beginTransaction,
  type Connector,
  endTransaction,
  takeRegister,
  takeStatus,
} from '../station/connector.ts';
import { wordOrNull } from '../station/details.ts';
import type { Dialect } from '../station/dialect.ts';
import { profileIdOf } from '../station/limits.ts';
import type { MeterValue } from '../station/meter.ts';
import { ALIGNED, listOf, measureAlso, RUNNING } from '../station/setup.ts';
import type { Station } from '../station/station.ts';
import {
  hasBegun,
  idTagStatus,
  meterWh,
  onlyConnector,
  refusesCards,
  startTime,
  stopRefused,
  watchForgotten,
} from '../station/transactions.ts';

import { type Answer, answer } from '../wire/calls.ts';
import { refusedUnlessAccepted } from '../wire/rpc.ts';
import { countIn, textIn } from '../wire/values.ts';
import { operations16 } from './operations16.ts';

interface Boot {
  readonly chargePointVendor?: string;
  readonly chargePointModel?: string;
  readonly chargePointSerialNumber?: string;
  readonly chargeBoxSerialNumber?: string;
  readonly firmwareVersion?: string;
  readonly iccid?: string;
}
interface Fault {
  readonly errorCode?: string;
  readonly info?: string;
  readonly vendorErrorCode?: string;
}
interface StatusNotification extends Fault {
  readonly connectorId: number;
  /** Absent: an unknown status. */
  readonly status?: string;
  readonly timestamp?: string;
}
interface StartTransaction {
  readonly connectorId: number;
  readonly idTag: string;
  readonly meterStart: number;
  readonly timestamp: string;
}
interface StopTransaction {
  readonly transactionId: number;
  readonly meterStop: number;
  readonly timestamp: string;
  readonly reason?: string;
  readonly transactionData?: readonly MeterValue[];
}
interface MeterValues {
  readonly connectorId: number;
  readonly transactionId?: number;
  readonly meterValue: readonly MeterValue[];
}

const PURPOSES = {
  transaction: 'TxProfile',
  default: 'TxDefaultProfile',
  station: 'ChargePointMaxProfile',
} as const;

/** Statuses during a transaction: with one of these, an unknown transaction id is that of a running one. */
const RUNNING_WORDS: ReadonlySet<string | null> = new Set(['Charging', 'SuspendedEV', 'SuspendedEVSE']);

/** CiString20Type. */
const LONGEST_TAG = 20;

/** OCPP 1.6J. Section numbers refer to the 1.6 edition 2 specification. */
export function ocpp16(station: Station): Dialect {
  return {
    answers: { ...ACKNOWLEDGED_ONLY, ...core(station), ...metering(station) },
    setUp: () => setUp16(station),

    /** §5.11: acknowledged only; StartTransaction follows, perhaps after Authorize. */
    async start(connector, idTag) {
      if (idTag.length > LONGEST_TAG)
        throw new AppError(
          'command.out_of_range',
          `id_tag has at most ${LONGEST_TAG} characters in OCPP 1.6, not ${idTag.length}`,
        );
      const { status } = await station.command<{ status: string }>('RemoteStartTransaction', {
        connectorId: connector.number,
        idTag,
      });
      refusedUnlessAccepted('RemoteStartTransaction', status);
    },

    /** §5.12 */
    async stop(_connector, transactionId) {
      const { status } = await station.command<{ status: string }>('RemoteStopTransaction', {
        transactionId: Number(transactionId),
      });
      refusedUnlessAccepted('RemoteStopTransaction', status);
    },

    /** §5.17 */
    async measure(connector) {
      const answer = await station.tryCommand<{ status: string }>('TriggerMessage', {
        requestedMessage: 'MeterValues',
        connectorId: connector.number,
      });
      return answer?.status === 'Accepted';
    },

    /** §5.16 */
    limit(connector, limit, purpose) {
      const transaction = purpose === 'transaction' ? connector.transaction : null;
      return station.profileForm.limit(limit, purpose, (kind) =>
        station.command('SetChargingProfile', {
          connectorId: purpose === 'station' ? 0 : connector.number,
          csChargingProfiles: {
            chargingProfileId: profileIdOf(connector.number, purpose, station.mostProfiles),
            ...(transaction !== null && { transactionId: Number(transaction.transactionId) }),
            stackLevel: station.stackLevel,
            chargingProfilePurpose: PURPOSES[purpose],
            chargingProfileKind: kind,
            chargingSchedule: station.scheduleOf(connector, limit, kind),
          },
        }),
      );
    },

    operate: operations16(station),

    /** §5.5 */
    async clear(what) {
      const { status } = await station.command<{ status: string }>(
        'ClearChargingProfile',
        'on' in what
          ? { connectorId: what.on.number }
          : { id: profileIdOf(what.of.number, what.purpose, station.mostProfiles) },
      );
      return status;
    },
  };
}

/** Notifications that are only acknowledged, and requests that are not supported. */
const ACKNOWLEDGED_ONLY: Readonly<Record<string, Answer>> = {
  DataTransfer: () => ({ status: 'UnknownVendorId' }),
  DiagnosticsStatusNotification: () => ({}),
  FirmwareStatusNotification: () => ({}),
  SignedFirmwareStatusNotification: () => ({}),
  LogStatusNotification: () => ({}),
  SecurityEventNotification: () => ({}),
  SignCertificate: () => ({ status: 'Rejected' }),
};

/** §7.6: stores the fault of a connector, or of the station (0). */
function takeFault(station: Station, connectorId: number, { errorCode, info, vendorErrorCode }: Fault): void {
  const code = wordOrNull(errorCode);
  if (code === null || code === 'NoError') return;
  const words = [wordOrNull(vendorErrorCode), wordOrNull(info)].filter((word) => word !== null);
  const at = station.host.clock.now();
  station.details.update({
    last_fault: {
      code,
      info: words.join(' ') || null,
      connector: connectorId === 0 ? null : connectorId,
      at,
    },
  });
}

/** A tag that is too long is stored cut, and judged whole: it is another card than the one that it begins with. */
const wholeTag = (idTag: string, sent: unknown): string =>
  idTag.length < LONGEST_TAG ? idTag : (textIn(sent, 'idTag') ?? idTag);

function core(station: Station): Record<string, Answer> {
  const now = () => rfc3339(station.host.clock.now());
  return {
    BootNotification: answer((boot: Boot) => {
      station.hasBooted({ maker: boot.chargePointVendor, model: boot.chargePointModel });
      station.details.update({
        manufacturer: wordOrNull(boot.chargePointVendor),
        model: wordOrNull(boot.chargePointModel),
        serial_number: wordOrNull(boot.chargePointSerialNumber ?? boot.chargeBoxSerialNumber),
        firmware_version: wordOrNull(boot.firmwareVersion),
        iccid: wordOrNull(boot.iccid),
      });
      return { status: 'Accepted', currentTime: now(), interval: HEARTBEAT_SECONDS };
    }),
    Authorize: answer(async ({ idTag }: Pick<StartTransaction, 'idTag'>, sent) => ({
      idTagInfo: { status: await idTagStatus(station, wholeTag(idTag, sent)) },
    })),
    Heartbeat: () => ({ currentTime: now() }),
    StatusNotification: answer(async ({ connectorId, status, timestamp, ...fault }: StatusNotification) => {
      takeFault(station, connectorId, fault);
      // Connector 0 is the station's main controller; the connectors report their own status.
      if (connectorId === 0) return {};
      const connector = station.connector(connectorId);
      if (status !== undefined) takeStatus(connector, { status }, station.timeOf(timestamp));
      if (RUNNING_WORDS.has(connector.status)) connector.transactionStale = false;
      watchForgotten(station, connector);
      await station.recordChange(connector);
      return {};
    }),
  };
}

function metering(station: Station): Record<string, Answer> {
  return {
    StartTransaction: answer(async (start: StartTransaction, sent) => {
      const connector = station.connector(start.connectorId);
      const startedAt = await startTime(station, { ...start, connector });
      const meterStartWh = meterWh(start.meterStart);
      const deviceId = station.deviceId(connector);
      const started = { deviceId, startedAt, meterStartWh, idTag: start.idTag };
      const transactionId = await station.records.begin(started);
      await hasBegun(station, connector, { ...started, transactionId });
      await station.recordChange(connector);
      // The transaction has begun and is stored; a station that receives another status than Accepted ends it (§4.8).
      const status = await idTagStatus(station, wholeTag(start.idTag, sent));
      if (status !== 'Accepted' && connector.transaction?.transactionId === transactionId)
        stopRefused(station, connector);
      return { transactionId: Number(transactionId), idTagInfo: { status } };
    }),

    /** §4.10: always accepted, even for an unknown id; otherwise the station repeats it for ever. */
    StopTransaction: answer(async (stop: StopTransaction) => {
      const transactionId = String(stop.transactionId);
      const running = station.withTransaction(transactionId);
      const connector = running ?? onlyConnector(station);
      if (connector !== undefined && stop.transactionData !== undefined) {
        await station.measured(connector, stop.transactionData, transactionId);
      }
      const meterStopWh = meterWh(stop.meterStop);
      const endedAt = station.timeOf(stop.timestamp);
      await station.records.end(
        {
          transactionId,
          endedAt,
          meterStopWh,
          // Absent means stopped by the user at the station (§7.36).
          reason: stop.reason ?? 'Local',
        },
        connector === undefined ? null : station.deviceId(connector),
      );
      if (running !== undefined) {
        if (meterStopWh !== null) takeRegister(running, meterStopWh, endedAt);
        endTransaction(running, endedAt);
        await station.recordChange(running);
      }
      return {};
    }),

    MeterValues: answer(async ({ connectorId, transactionId, meterValue }: MeterValues) => {
      // Connector 0 is the meter of the whole station, which is not a device here.
      if (connectorId === 0) return {};
      const connector = station.connector(connectorId);
      // Some stations send 0 or -1 when no transaction runs.
      const id = transactionId === undefined || transactionId <= 0 ? null : String(transactionId);
      if (id !== null) adopt(station, connector, id);
      await station.measured(connector, meterValue, id ?? connector.transaction?.transactionId ?? null);
      await station.recordChange(connector);
      return {};
    }),
  };
}

/** A station that moves here from another central system may continue a transaction whose start we did not receive. */
function adopt(station: Station, connector: Connector, transactionId: string): void {
  if (connector.transaction?.transactionId === transactionId) connector.transactionStale = false;
  if (connector.transaction !== null || connector.ended === transactionId) return;
  // A restored status may belong to a transaction that has ended since.
  if (connector.recalled || !RUNNING_WORDS.has(connector.status)) return;
  beginTransaction(connector, {
    transactionId,
    deviceId: station.deviceId(connector),
    startedAt: station.host.clock.now(),
    meterStartWh: null,
    idTag: null,
  });
}

interface Configuration {
  readonly configurationKey?: readonly { key: string; readonly: boolean; value?: string }[];
}

const KEYS = [
  'NumberOfConnectors',
  'SupportedFeatureProfiles',
  'ChargingScheduleAllowedChargingRateUnit',
  'ChargingScheduleMaxPeriods',
  'ChargeProfileMaxStackLevel',
  'MaxChargingProfilesInstalled',
  'MeterValueSampleInterval',
  'MeterValuesSampledData',
  'MeterValuesAlignedData',
  'StopTransactionOnInvalidId',
];

/** Asks a 1.6 station for its configuration (§9 keys), configures its metering, and has it report its state (§5.17). */
async function setUp16(station: Station): Promise<void> {
  let connectors: number | null = null;
  let smartCharging: boolean | null = null;
  try {
    const answer = await station.tryCommand<Configuration>('GetConfiguration', { key: KEYS });
    const settings = new Map(answer?.configurationKey?.map((setting) => [setting.key, setting]));
    connectors = countIn(settings.get('NumberOfConnectors')?.value);
    const profiles = settings.get('SupportedFeatureProfiles')?.value;
    if (profiles !== undefined) smartCharging = listOf(profiles).includes('SmartCharging');
    const units = listOf(settings.get('ChargingScheduleAllowedChargingRateUnit')?.value ?? '');
    station.rateUnit = units.length > 0 && !units.some((unit) => /^(current|a)$/i.test(unit)) ? 'W' : 'A';

    station.schedulePeriods = countIn(settings.get('ChargingScheduleMaxPeriods')?.value);
    station.stackLevel = countIn(settings.get('ChargeProfileMaxStackLevel')?.value) ?? 0;
    station.mostProfiles = countIn(settings.get('MaxChargingProfilesInstalled')?.value);

    const change = async (key: string, value: string): Promise<boolean> => {
      const setting = settings.get(key);
      if (setting === undefined || setting.readonly) return false;
      const answer = await station.tryCommand<{ status: string }>('ChangeConfiguration', { key, value });
      return station.isSet(answer?.status);
    };
    const interval = Number(settings.get('MeterValueSampleInterval')?.value);
    if (!(interval > 0 && interval <= METER_SECONDS)) {
      await change('MeterValueSampleInterval', String(METER_SECONDS));
    }
    for (const [key, wanted] of [
      ['MeterValuesSampledData', RUNNING],
      ['MeterValuesAlignedData', ALIGNED],
    ] as const) {
      const now = settings.get(key)?.value ?? '';
      await measureAlso({ now, wanted, set: (list) => change(key, list) });
    }

    if (
      (await refusesCards(station)) &&
      settings.get('StopTransactionOnInvalidId')?.value?.toLowerCase() !== 'true'
    )
      await change('StopTransactionOnInvalidId', 'true');

    await station.tryCommand('TriggerMessage', { requestedMessage: 'StatusNotification' });
    await station.tryCommand('TriggerMessage', { requestedMessage: 'MeterValues' });
    await station.askWhatItIs();
  } finally {
    station.configured({ connectors, smartCharging });
  }
}

import { periodsOf, type Schedule, type SimulatedPlug, valuesOf } from './simulated-plug.ts';

import type { SimulatedProtocol, SimulatedStation } from './simulator.ts';

const PURPOSES = {
  TxProfile: 'transaction',
  TxDefaultProfile: 'default',
  ChargePointMaxProfile: 'station',
} as const;

interface Profile {
  readonly chargingProfileId: number;
  readonly chargingProfilePurpose: keyof typeof PURPOSES;
  readonly chargingSchedule: Schedule;
}

/** The station's side of OCPP 1.6J. */
export function speak16(station: SimulatedStation): SimulatedProtocol {
  const { quirks } = station;
  const stamped = () => (quirks.bareStatus === true ? {} : { timestamp: station.now });
  const statusOf = (plug: SimulatedPlug): string => {
    if (!plug.plugged) return 'Available';
    if (plug.transaction === null) return 'Preparing';
    return plug.amperes > 0 || quirks.staysCharging === true ? 'Charging' : 'SuspendedEVSE';
  };
  const sendStatus = async (plug: SimulatedPlug, status: string): Promise<void> => {
    await station.call('StatusNotification', {
      connectorId: plug.number,
      errorCode: 'NoError',
      status,
      ...stamped(),
    });
  };
  const protocol: SimulatedProtocol = {
    handlers: handlersOf(station),

    async boot() {
      await station.call('BootNotification', {
        chargePointVendor: 'elnav',
        chargePointModel: 'Simulated 16',
        chargePointSerialNumber: 'SIM-1',
        firmwareVersion: '1.2.3',
      });
      if (quirks.bareStatus === true) return;
      await station.call('StatusNotification', {
        connectorId: 0,
        errorCode: 'NoError',
        status: 'Available',
        ...stamped(),
      });
    },
    status: (plug) => sendStatus(plug, statusOf(plug)),
    turned: (plug) => sendStatus(plug, statusOf(plug)),

    async authorize(idTag) {
      const { idTagInfo } = await station.call('Authorize', { idTag });
      return (idTagInfo as { status: string }).status;
    },

    async begin(plug, idTag) {
      const { transactionId, idTagInfo } = await station.call('StartTransaction', {
        connectorId: plug.number,
        idTag,
        meterStart: Math.round(plug.meterWh),
        timestamp: station.now,
      });
      plug.transaction = { id: String(transactionId), idTag, seqNo: 0 };
      await protocol.status(plug);
      await protocol.meter(plug);
      if ((idTagInfo as { status: string }).status !== 'Accepted') station.end(plug, 'DeAuthorized');
    },

    async end(plug, reason) {
      if (plug.transaction === null) return;
      await station.call('StopTransaction', {
        transactionId: Number(plug.transaction.id),
        meterStop: Math.round(plug.meterWh),
        timestamp: station.now,
        reason,
      });
      plug.transaction = null;
      await sendStatus(plug, 'Finishing');
    },

    async meter(plug) {
      await station.call('MeterValues', {
        connectorId: plug.number,
        ...(plug.transaction !== null && { transactionId: Number(plug.transaction.id) }),
        meterValue: [
          {
            timestamp: station.now,
            sampledValue: valuesOf(plug, quirks).map((sample) => ({
              ...sample,
              value: String(sample.value),
            })),
          },
        ],
      });
    },
  };
  return protocol;
}

function handlersOf(station: SimulatedStation): SimulatedProtocol['handlers'] {
  const { quirks, plugs } = station;
  const configuration = new Map([
    ['NumberOfConnectors', String(plugs.length)],
    [
      'SupportedFeatureProfiles',
      quirks.noSmartCharging === true ? 'Core' : 'Core,SmartCharging,RemoteTrigger',
    ],
    ['ChargingScheduleAllowedChargingRateUnit', quirks.wattsOnly === true ? 'Power' : 'Current,Power'],
    ['ChargingScheduleMaxPeriods', String(station.mostPeriods)],
    ['MeterValueSampleInterval', '0'],
    ['AuthorizationKey', station.options.password],
    ['MeterValuesSampledData', 'Energy.Active.Import.Register'],
  ]);
  return {
    GetConfiguration: ({ key }: { key?: string[] }) => ({
      configurationKey: [...configuration]
        .filter(([name]) => key?.includes(name) !== false)
        .map(([name, value]) => ({ key: name, value, readonly: name === 'NumberOfConnectors' })),
      unknownKey: key?.filter((name) => !configuration.has(name)) ?? [],
    }),
    ChangeConfiguration: ({ key, value }: { key: string; value: string }) => {
      if (!configuration.has(key)) return { status: 'NotSupported' };
      configuration.set(key, value);
      if (key === 'MeterValueSampleInterval') station.meterSeconds = Number(value);
      return { status: 'Accepted' };
    },
    TriggerMessage: ({ requestedMessage }: { requestedMessage: string }) => {
      if (requestedMessage === 'BootNotification') station.boot();
      else if (requestedMessage === 'StatusNotification') station.reportStatus();
      else if (requestedMessage === 'MeterValues') station.reportMeters();
      else return { status: 'NotImplemented' };
      return { status: 'Accepted' };
    },
    RemoteStartTransaction: async ({ connectorId = 1, idTag }: { connectorId?: number; idTag: string }) => {
      const plug = station.plug(connectorId);
      if (quirks.authorizesFirst === true) await station.call('Authorize', { idTag });
      if (plug.transaction !== null) return { status: 'Rejected' };
      station.begin(plug, idTag);
      return { status: 'Accepted' };
    },
    RemoteStopTransaction: ({ transactionId }: { transactionId: number }) => {
      const plug = plugs.find(({ transaction }) => transaction?.id === String(transactionId));
      if (plug === undefined) return { status: 'Rejected' };
      station.end(plug, 'Remote');
      return { status: 'Accepted' };
    },
    SetChargingProfile: (request: { connectorId: number; csChargingProfiles: Profile }) => {
      const { connectorId, csChargingProfiles: profile } = request;
      const concerned = connectorId === 0 ? plugs : [station.plug(connectorId)];
      const purpose = PURPOSES[profile.chargingProfilePurpose];
      if (purpose === 'transaction' && concerned[0]?.transaction === null) return { status: 'Rejected' };
      if (quirks.wattsOnly === true && profile.chargingSchedule.chargingRateUnit === 'A') {
        return { status: 'Rejected' };
      }
      if (profile.chargingSchedule.chargingSchedulePeriod.length > station.mostPeriods) {
        return { status: 'Rejected' };
      }
      const periods = periodsOf(profile.chargingSchedule, station.options.clock.now());
      station.limit(concerned, { id: profile.chargingProfileId, purpose }, periods);
      return { status: 'Accepted' };
    },
    Reset: () => {
      station.boot();
      return { status: 'Accepted' };
    },
    // §5.18: an unknown connector is not supported, and a transaction ends before its connector is unlocked.
    UnlockConnector: ({ connectorId }: { connectorId: number }) => {
      const plug = plugs.find(({ number }) => number === connectorId);
      if (plug === undefined) return { status: 'NotSupported' };
      if (plug.transaction !== null) station.end(plug, 'UnlockCommand');
      return { status: 'Unlocked' };
    },
    ChangeAvailability: ({ connectorId, type }: { connectorId: number; type: string }) => {
      const [plug] = connectorId === 0 ? plugs : [station.plug(connectorId)];
      return { status: type === 'Inoperative' && plug?.transaction != null ? 'Scheduled' : 'Accepted' };
    },
    GetCompositeSchedule: ({ connectorId, duration }: { connectorId: number; duration: number }) => ({
      status: 'Accepted',
      connectorId,
      scheduleStart: station.now,
      chargingSchedule: {
        duration,
        chargingRateUnit: 'A',
        chargingSchedulePeriod: station.plug(connectorId).composite(duration),
      },
    }),
    ClearChargingProfile: ({ id, connectorId }: { id?: number; connectorId?: number }) => ({
      status: station.clear(connectorId, id) ? 'Accepted' : 'Unknown',
    }),
  };
}

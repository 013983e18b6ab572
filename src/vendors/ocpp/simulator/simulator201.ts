import { randomUUID } from 'node:crypto';
import { periodsOf, type Schedule, type SimulatedPlug, valuesOf } from './simulated-plug.ts';

import type { SimulatedProtocol, SimulatedStation } from './simulator.ts';

const PURPOSES = {
  TxProfile: 'transaction',
  TxDefaultProfile: 'default',
  ChargingStationMaxProfile: 'station',
} as const;

interface Profile {
  readonly id: number;
  readonly chargingProfilePurpose: keyof typeof PURPOSES;
  readonly chargingSchedule: readonly Schedule[];
}

interface Event {
  readonly eventType: 'Started' | 'Updated' | 'Ended';
  readonly triggerReason: string;
  readonly chargingState: string;
  readonly stoppedReason?: string;
}

const chargingStateOf = (plug: SimulatedPlug): string => (plug.amperes > 0 ? 'Charging' : 'SuspendedEVSE');

/** The station's side of OCPP 2.0.1. */
export function speak201(station: SimulatedStation): SimulatedProtocol {
  const { quirks } = station;
  const measured = (plug: SimulatedPlug) => ({
    timestamp: station.now,
    sampledValue: valuesOf(plug, quirks).map(({ unit, ...sample }) => ({
      ...sample,
      unitOfMeasure: unit === 'kWh' ? { unit: 'Wh', multiplier: 3 } : { unit },
    })),
  });
  const sendEvent = async (plug: SimulatedPlug, event: Event): Promise<void> => {
    const { transaction } = plug;
    if (transaction === null) return;
    const { eventType, triggerReason, chargingState, stoppedReason } = event;
    const first = eventType === 'Started';
    const isChanged = quirks.statesOnce !== true || transaction.reportedState !== chargingState;
    transaction.reportedState = chargingState;
    const { idTokenInfo } = await station.call('TransactionEvent', {
      eventType,
      triggerReason,
      timestamp: station.now,
      seqNo: quirks.seqNoZero === true ? 0 : transaction.seqNo++,
      transactionInfo: {
        transactionId: transaction.id,
        ...(isChanged && { chargingState }),
        ...(stoppedReason !== undefined && { stoppedReason }),
      },
      ...(first && { evse: { id: plug.number, connectorId: 1 } }),
      ...(first && {
        idToken: { idToken: transaction.idTag, type: transaction.idTag === 'ELNAV' ? 'Central' : 'ISO14443' },
      }),
      meterValue: [measured(plug)],
    });
    const status = (idTokenInfo as { status: string } | undefined)?.status ?? 'Accepted';
    if (status !== 'Accepted') station.end(plug, 'DeAuthorized');
  };
  return {
    handlers: handlersOf(station),

    async boot() {
      await station.call('BootNotification', {
        reason: 'PowerUp',
        chargingStation: {
          vendorName: 'elnav',
          model: 'Simulated 201',
          serialNumber: 'SIM-1',
          firmwareVersion: '1.2.3',
        },
      });
    },
    async status(plug) {
      await station.call('StatusNotification', {
        timestamp: station.now,
        connectorStatus: plug.plugged ? 'Occupied' : 'Available',
        evseId: plug.number,
        connectorId: 1,
      });
    },
    async authorize(idTag) {
      const idToken = { idToken: idTag, type: 'ISO14443' };
      const { idTokenInfo } = await station.call('Authorize', { idToken });
      return (idTokenInfo as { status: string }).status;
    },
    async begin(plug, idTag) {
      plug.transaction = { id: randomUUID(), idTag, seqNo: 0 };
      await sendEvent(plug, {
        eventType: 'Started',
        triggerReason: 'RemoteStart',
        chargingState: 'EVConnected',
      });
      await sendEvent(plug, {
        eventType: 'Updated',
        triggerReason: 'ChargingStateChanged',
        chargingState: chargingStateOf(plug),
      });
    },
    async end(plug, reason) {
      await sendEvent(plug, {
        eventType: 'Ended',
        triggerReason: 'RemoteStop',
        chargingState: 'EVConnected',
        stoppedReason: reason,
      });
      plug.transaction = null;
    },
    turned: (plug) =>
      sendEvent(plug, {
        eventType: 'Updated',
        triggerReason: 'ChargingStateChanged',
        chargingState: chargingStateOf(plug),
      }),
    async meter(plug) {
      if (plug.transaction === null) {
        await station.call('MeterValues', { evseId: plug.number, meterValue: [measured(plug)] });
      } else {
        await sendEvent(plug, {
          eventType: 'Updated',
          triggerReason: 'MeterValuePeriodic',
          chargingState: chargingStateOf(plug),
        });
      }
    },
  };
}

interface Place {
  readonly component: { readonly name: string; readonly evse?: { readonly id: number } };
  readonly variable: { readonly name: string };
}

const nameOf = ({ component, variable }: Place): string => `${component.name}.${variable.name}`;

function handlersOf(station: SimulatedStation): SimulatedProtocol['handlers'] {
  const { quirks, plugs } = station;
  const variables = new Map([
    ['SmartChargingCtrlr.Enabled', quirks.noSmartCharging === true ? 'false' : 'true'],
    ['SmartChargingCtrlr.RateUnit', quirks.wattsOnly === true ? 'W' : 'A,W'],
    ['SmartChargingCtrlr.PeriodsPerSchedule', String(station.mostPeriods)],
    ['SampledDataCtrlr.TxUpdatedInterval', '0'],
    ['SecurityCtrlr.BasicAuthPassword', station.options.password],
    ['SampledDataCtrlr.TxUpdatedMeasurands', 'Energy.Active.Import.Register'],
    ['ChargingStation.SupplyPhases', '3'],
  ]);
  return {
    GetVariables: ({ getVariableData }: { getVariableData: Place[] }) => ({
      getVariableResult: getVariableData.map(({ component, variable }) => {
        const own = plugs.find(({ number }) => number === component.evse?.id);
        const attributeValue =
          component.name === 'EVSE'
            ? own && (own.plugged ? 'Occupied' : 'Available')
            : variables.get(nameOf({ component, variable }));
        return attributeValue === undefined
          ? { component, variable, attributeStatus: 'UnknownVariable' }
          : { component, variable, attributeStatus: 'Accepted', attributeValue };
      }),
    }),
    SetVariables: ({ setVariableData }: { setVariableData: (Place & { attributeValue: string })[] }) => ({
      setVariableResult: setVariableData.map(({ component, variable, attributeValue }) => {
        const name = nameOf({ component, variable });
        if (name === 'SampledDataCtrlr.TxUpdatedInterval') station.meterSeconds = Number(attributeValue);
        variables.set(name, attributeValue);
        return { component, variable, attributeStatus: 'Accepted' };
      }),
    }),
    TriggerMessage: ({ requestedMessage, evse }: { requestedMessage: string; evse?: { id: number } }) => {
      if (evse !== undefined && evse.id > plugs.length) return { status: 'Rejected' };
      if (requestedMessage === 'StatusNotification') station.reportStatus();
      else if (requestedMessage === 'MeterValues' || requestedMessage === 'TransactionEvent') {
        station.reportMeters();
      } else return { status: requestedMessage === 'BootNotification' ? 'Rejected' : 'NotImplemented' };
      return { status: 'Accepted' };
    },
    RequestStartTransaction: async (request: {
      evseId?: number;
      idToken: { idToken: string; type: string };
    }) => {
      const { evseId = 1, idToken } = request;
      const plug = station.plug(evseId);
      if (quirks.authorizesFirst === true) await station.call('Authorize', { idToken });
      if (plug.transaction !== null)
        return { status: 'Rejected', statusInfo: { reasonCode: 'TxInProgress' } };
      station.begin(plug, idToken.idToken);
      return { status: 'Accepted' };
    },
    RequestStopTransaction: ({ transactionId }: { transactionId: string }) => {
      const plug = plugs.find(({ transaction }) => transaction?.id === transactionId);
      if (plug === undefined) return { status: 'Rejected' };
      station.end(plug, 'Remote');
      return { status: 'Accepted' };
    },
    SetChargingProfile: ({ evseId, chargingProfile }: { evseId: number; chargingProfile: Profile }) => {
      const concerned = evseId === 0 ? plugs : [station.plug(evseId)];
      const purpose = PURPOSES[chargingProfile.chargingProfilePurpose];
      const [schedule] = chargingProfile.chargingSchedule;
      const running = concerned[0]?.transaction !== null;
      if (schedule === undefined || (purpose === 'transaction' && !running)) return { status: 'Rejected' };
      if (quirks.wattsOnly === true && schedule.chargingRateUnit === 'A') return { status: 'Rejected' };
      if (schedule.chargingSchedulePeriod.length > station.mostPeriods) return { status: 'Rejected' };
      const periods = periodsOf(schedule, station.options.clock.now());
      station.limit(concerned, { id: chargingProfile.id, purpose }, periods);
      return { status: 'Accepted' };
    },
    Reset: ({ type, evseId }: { type: 'Immediate' | 'OnIdle'; evseId?: number }) => {
      if (evseId === undefined) {
        station.boot();
        return { status: 'Accepted' };
      }
      const plug = plugs.find(({ number }) => number === evseId);
      if (plug === undefined) return { status: 'Rejected' };
      if (plug.transaction === null) station.reportStatus([plug]);
      else if (type === 'OnIdle') return { status: 'Scheduled' };
      else station.end(plug, 'ImmediateReset');
      return { status: 'Accepted' };
    },
    UnlockConnector: ({ evseId, connectorId }: { evseId: number; connectorId: number }) => {
      const plug = plugs.find(({ number }) => number === evseId);
      if (plug === undefined || connectorId !== 1) return { status: 'UnknownConnector' };
      return { status: plug.transaction === null ? 'Unlocked' : 'OngoingAuthorizedTransaction' };
    },
    ChangeAvailability: ({
      operationalStatus,
      evse,
    }: {
      operationalStatus: string;
      evse?: { id: number };
    }) => {
      const [plug] = evse === undefined ? plugs : [station.plug(evse.id)];
      return {
        status: operationalStatus === 'Inoperative' && plug?.transaction != null ? 'Scheduled' : 'Accepted',
      };
    },
    GetCompositeSchedule: ({ evseId, duration }: { evseId: number; duration: number }) => ({
      status: 'Accepted',
      schedule: {
        evseId,
        duration,
        scheduleStart: station.now,
        chargingRateUnit: 'A',
        chargingSchedulePeriod: station.plug(evseId).composite(duration),
      },
    }),
    ClearChargingProfile: (request: {
      chargingProfileId?: number;
      chargingProfileCriteria?: { evseId?: number };
    }) => ({
      status: station.clear(request.chargingProfileCriteria?.evseId, request.chargingProfileId)
        ? 'Accepted'
        : 'Unknown',
    }),
  };
}

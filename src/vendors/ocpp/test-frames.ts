import { stateOf } from '../../adapter/adapters.ts';
import { charger } from './charger.ts';
import type { BareStation } from './test-bare-station.ts';
import type { World } from './test-world.ts';

interface Measured {
  readonly power?: number;
  readonly energy?: number;
}

/** RFC 3339 time, this many seconds from the clock of the world (negative: before it). */
const stamp = (world: World, seconds = 0): string =>
  new Date(world.host.clock.now() + seconds * 1000).toISOString();

const measurands = ({ power, energy }: Measured) => [
  ...(power === undefined ? [] : [{ measurand: 'Power.Active.Import', value: power }]),
  ...(energy === undefined ? [] : [{ measurand: 'Energy.Active.Import.Register', value: energy }]),
];

/** Sends the frames of a 1.6 station with one connector. */
export function frames16(world: World, station: BareStation) {
  return {
    boot: () => station.call('BootNotification', { chargePointVendor: 'bare', chargePointModel: 'b' }),
    status: (status: string, at = 0) =>
      station.call('StatusNotification', {
        connectorId: 1,
        errorCode: 'NoError',
        status,
        timestamp: stamp(world, at),
      }),
    start: async (meterStart: number, { at = 0, idTag = 'CARD' } = {}): Promise<number> => {
      const start = { connectorId: 1, idTag, meterStart, timestamp: stamp(world, at) };
      return Number((await station.call('StartTransaction', start)).transactionId);
    },
    meter: (transactionId: number | null, measured: Measured, at = 0) =>
      station.call('MeterValues', {
        connectorId: 1,
        ...(transactionId !== null && { transactionId }),
        meterValue: [
          {
            timestamp: stamp(world, at),
            sampledValue: measurands(measured).map((value) => ({ ...value, value: String(value.value) })),
          },
        ],
      }),
    stop: (transactionId: number, meterStop: number, at = 0) =>
      station.call('StopTransaction', { transactionId, meterStop, timestamp: stamp(world, at) }),
  };
}

interface EventOptions extends Measured {
  readonly at?: number;
  readonly trigger?: string;
  readonly card?: string;
  readonly info?: object;
}

/** Sends the frames of a 2.0.1 station with one EVSE. */
export function frames201(world: World, station: BareStation) {
  const meterValue = (measured: Measured, at: number) => [
    { timestamp: stamp(world, at), sampledValue: measurands(measured) },
  ];
  const event =
    (eventType: 'Started' | 'Updated' | 'Ended') =>
    (
      transactionId: string,
      { at = 0, trigger = 'Trigger', card, info = {}, ...measured }: EventOptions = {},
    ) =>
      station.call('TransactionEvent', {
        eventType,
        timestamp: stamp(world, at),
        triggerReason: trigger,
        seqNo: 0,
        transactionInfo: { transactionId, ...info },
        evse: { id: 1, connectorId: 1 },
        ...(card !== undefined && { idToken: { idToken: card, type: 'ISO14443' } }),
        ...(Object.keys(measured).length > 0 && { meterValue: meterValue(measured, at) }),
      });
  return {
    boot: (reason = 'PowerUp') =>
      station.call('BootNotification', {
        reason,
        chargingStation: { vendorName: 'bare', model: 'b' },
      }),
    status: (connectorStatus: string, at = 0, connectorId = 1) =>
      station.call('StatusNotification', {
        timestamp: stamp(world, at),
        connectorStatus,
        evseId: 1,
        connectorId,
      }),
    started: event('Started'),
    updated: event('Updated'),
    ended: event('Ended'),
    meter: (measured: Measured, at = 0) =>
      station.call('MeterValues', { evseId: 1, meterValue: meterValue(measured, at) }),
  };
}

/** Breaks and restores the connection; the station does not boot, the service may restart in between. */
export async function reconnect(world: World, station: BareStation, restarts: boolean): Promise<void> {
  await station.disconnect();
  if (restarts) await world.restart();
  await station.connect();
}

/** The reported state of the charger: whether it charges, W, Wh. */
export async function chargerState(world: World): Promise<readonly unknown[]> {
  const state = stateOf(charger, await world.read(), ['read_power', 'read_energy']);
  return [state.charging, state.power_w, state.energy_wh];
}

import { kind } from '../../adapter/adapter.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import { type Connector, isCharging, limitNow, resumeLimit, wordOf } from './connector.ts';
import { setLimit } from './profile.ts';
import { Station } from './station.ts';
import { type ChargerRaw, energyOf, limitsOf, powerOf, statusOf } from './translate.ts';

/** Words in which a transaction that was asked for has not come to power yet. */
const NOT_YET: ReadonlySet<string | null> = new Set([
  null,
  'Available',
  'Preparing',
  'Finishing',
  'Reserved',
  'Occupied',
  'EVConnected',
]);

interface Place {
  readonly station: Station;
  readonly connector: Connector;
}

function placeOf(session: Session, device: DeviceRef): Place {
  const { station } = session;
  if (!(station instanceof Station) || !station.online) {
    throw new AppError('device.offline', 'the charging station is not connected');
  }
  const { connector: number } = device.details;
  const connector = typeof number === 'number' ? station.find(number) : undefined;
  if (connector === undefined) {
    throw new AppError('device.offline', 'the charging station has no such connector any more');
  }
  return { station, connector };
}

async function start({ station, connector }: Place): Promise<void> {
  const word = wordOf(connector);
  if (connector.transaction !== null) {
    // It charges, or the car does not want to: there is nothing to start.
    if (isCharging(connector) || (word === 'SuspendedEV' && limitNow(connector) !== 0)) return;
    if (word === 'SuspendedEVSE' || word === 'SuspendedEV') {
      await setLimit(station, connector, resumeLimit(connector));
      return station.settled(() => isCharging(connector));
    }
  }
  if (connector.defaultLimitA === 0) await setLimit(station, connector, resumeLimit(connector));
  await station.dialect.start(connector);
  await station.settled(() => connector.transaction !== null && !NOT_YET.has(wordOf(connector)));
}

async function stop({ station, connector }: Place): Promise<void> {
  const { transaction } = connector;
  if (transaction === null) {
    throw new AppError('vendor.refused', 'no transaction is running on this connector');
  }
  await station.dialect.stop(connector, transaction.transactionId);
  await station.settled(() => connector.transaction !== transaction && !isCharging(connector));
}

async function setCurrent({ station, connector }: Place, amperes: number): Promise<void> {
  const paused = limitNow(connector) === 0 && connector.transaction !== null;
  await setLimit(station, connector, amperes);
  if (amperes === 0) await station.settled(() => !isCharging(connector));
  else if (paused) await station.settled(() => isCharging(connector));
}

/** A connector (1.6) or EVSE (2.0.1). A car's own state of charge is no business of a charger, so it is not read. */
export const charger = kind<ChargerRaw>({
  read: async (session, device) => {
    const { station, connector } = placeOf(session, device);
    return station.raw(connector);
  },
  status: statusOf,
  observedAt: (raw) => raw.at,
  reads: { read_power: powerOf, read_energy: energyOf },
  controls: {
    charge_control: {
      start_charge: (session, device) => start(placeOf(session, device)),
      stop_charge: (session, device) => stop(placeOf(session, device)),
    },
    set_current: {
      set_current: (session, device, { current_a }) => setCurrent(placeOf(session, device), current_a),
    },
  },
  withholds: ({ details }) => (details?.smart_charging === false ? ['set_current'] : []),
  limits: limitsOf,
});

import { kind } from '../../adapter/adapter.ts';
import type { CommandOf, Timed } from '../../adapter/commands.ts';
import { type Interventions, NeedsUser } from '../../adapter/interventions.ts';
import { AppError } from '../../core/errors.ts';
import { type Connector, isCharging, limitNow, wordOf } from './station/connector.ts';
import { type Limit, unending } from './station/schedule.ts';
import { type Place, placeOf, type Station } from './station/station.ts';
import { checkCard } from './station/transactions.ts';

import {
  availableCapacityOf,
  type ChargerRaw,
  energyOf,
  isUnheld,
  limitsOf,
  mostOf,
  powerOf,
  statusOf,
} from './translate.ts';

const PROTECT_FUSE = 'protect_fuse';

const interventions: Interventions<ChargerRaw> = {
  [PROTECT_FUSE]: {
    blocks: ['start_charge'],
    inReading: isUnheld,
    isAtDevice: true,
    words: {
      en: {
        title: 'Set the fuse in the charger',
        text: 'The charger does not accept a maximum current from here, so it can take more than its fuse allows. Set the maximum current in the charger’s own settings, or have its installer do it. Then link the charger again and leave the fuse empty.',
      },
      sv: {
        title: 'Ställ in säkringen i laddboxen',
        text: 'Laddboxen tar inte emot någon högsta ström härifrån, så den kan ta mer än säkringen tål. Ställ in högsta strömmen i laddboxens egna inställningar, eller låt installatören göra det. Anslut sedan laddboxen igen och lämna säkringen tom.',
      },
    },
  },
};

/** Statuses of a requested transaction that has not started to charge yet. */
const NOT_YET: ReadonlySet<string | null> = new Set([
  null,
  'Available',
  'Preparing',
  'Finishing',
  'Reserved',
  'Occupied',
  'EVConnected',
]);

/** Ampere per phase. */
const mostOn = ({ station, connector }: Place): number =>
  mostOf(connector.cable_a, station.fuse.mostOf(connector));

async function start(place: Place, { id_tag }: CommandOf<'start_charge'>): Promise<void> {
  const { station, connector } = place;
  if (station.fuse.heldBy === 'nobody') {
    const words = `the station does not keep to the ${station.installation.max_a} A of its fuse: it refuses every limit`;
    throw new NeedsUser(PROTECT_FUSE, new AppError('vendor.refused', words));
  }
  const charges = () => isCharging(connector, station.host.clock.now());
  if (limitNow(connector, station.host.clock.now()) === 0) {
    await station.limits.liftPause(connector, mostOn(place));
    if (goesOn(connector)) return station.settled(charges);
  }
  if (goesOn(connector) && !awaitsCard(connector)) {
    // It charges already, or the car has stopped: there is nothing to start.
    if (wordOf(connector) !== 'SuspendedEVSE') return;
    // Either a pause of ours whose acknowledgement was lost, or a limit that somebody else set, which stays.
    if (connector.lastLimit !== null) await station.limits.set(connector, connector.lastLimit);
    else await station.limits.hasCleared(connector, 'transaction');
    return station.settled(charges);
  }
  const card = id_tag ?? station.installation.id_tag ?? station.options.idTag;
  await checkCard(station, card);
  await station.dialect.start(connector, card);
  await station.settled(() => goesOn(connector) && !NOT_YET.has(wordOf(connector)));
}

/** After a boot the transaction may be gone until the station reports it again; if it still runs, a second start is refused. */
const goesOn = ({ transaction, transactionStale }: Connector): boolean =>
  transaction !== null && !transactionStale;

/** A 2.0.1 transaction can begin with the cable; it then waits for a card or for our start (F02). */
function awaitsCard(connector: Connector): boolean {
  return connector.transaction?.idTag === null && connector.chargingState === 'EVConnected';
}

async function stop({ station, connector }: Place): Promise<void> {
  const { transaction } = connector;
  if (transaction === null) {
    throw new AppError('vendor.refused', 'no transaction is running on this connector');
  }
  await station.dialect.stop(connector, transaction.transactionId);
  await station.settled(
    () => connector.transaction !== transaction && !isCharging(connector, station.host.clock.now()),
  );
}

async function setCurrent(place: Place, limit: Limit): Promise<void> {
  const { station, connector } = place;
  const most = mostOn(place);
  const highest = Math.max(limit.amperes, limit.ends?.follows ?? 0);
  // The share of the connector may have changed since its state was read.
  if (highest > most)
    throw new AppError(
      'command.out_of_range',
      `the connector may take at most ${most} A at present, not ${highest}`,
    );
  const charges = () => isCharging(connector, station.host.clock.now());
  const paused = limitNow(connector, station.host.clock.now()) === 0 && connector.transaction !== null;
  await station.limits.set(connector, limit);
  if (limit.amperes === 0) await hasPaused(station, connector);
  else if (paused) await station.settled(charges);
}

/** Many stations keep reporting Charging while paused; their next measurement shows that no power flows. */
async function hasPaused(station: Station, connector: Connector): Promise<void> {
  const isStill = () => !isCharging(connector, station.host.clock.now());
  await station.settled(isStill, station.options.settleMs / 5);
  if (!isStill() && (await station.dialect.measure(connector))) await station.settled(isStill);
}

/** The station ends the limit itself: its schedule holds the limit and the one that follows as two periods. */
async function setCurrentFor(place: Place, command: Timed<'set_current'>): Promise<void> {
  const { station } = place;
  const { current_a, for_seconds, then_current_a } = command;
  if (station.schedulePeriods === 1) {
    throw new AppError(
      'command.time_unsupported',
      'the station supports charging schedules of one period only, so it cannot end a limit by itself; omit for_seconds',
    );
  }
  if (station.profileForm.isRelative)
    throw new AppError(
      'command.time_unsupported',
      'the station takes no limit that begins at a time, so it cannot end one by itself; omit for_seconds',
    );
  const most = mostOn(place);
  const follows = then_current_a ?? Math.min(station.installation.fallback_a ?? most, most);
  const at = station.host.clock.now() + for_seconds * 1000;
  await setCurrent(place, { amperes: current_a, ends: { at, follows } });
}

/** A connector (1.6) or EVSE (2.0.1). The car's state of charge belongs to the vehicle, so it is not read here. */
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
      start_charge: (session, device, command) => start(placeOf(session, device), command),
      stop_charge: (session, device) => stop(placeOf(session, device)),
    },
    set_current: {
      set_current: (session, device, { current_a }) =>
        setCurrent(placeOf(session, device), unending(current_a)),
    },
  },
  timed: {
    set_current: (session, device, command) => setCurrentFor(placeOf(session, device), command),
  },
  withholds: ({ details }) => (details?.smart_charging === false ? ['set_current'] : []),
  interventions,
  takesCards: true,
  limits: limitsOf,
  availableCapacity: availableCapacityOf,
});

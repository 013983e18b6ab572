import type { Handlers, TimedHandler } from '../../adapter/adapter.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { sleep } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { post, readCharger } from './client.ts';
import { type ChargerRaw, ID, numberOf } from './observations.ts';
import {
  AWAITING_AUTHORIZATION,
  CHARGING,
  circuitDynamic,
  DEAUTHORIZING,
  DISCONNECTED,
  isOnline,
  modeOf,
} from './translate.ts';

/** A command has 14 s with all its calls; the platform reads the charger once more after it. */
const MOST_MS = 10_000;
/** How long the stream may take to tell the outcome before the charger is read instead. */
const TOLD_MS = 5_000;
/** Before each read: most chargers need a second, one on a mobile network some more. Reads are few, 100 in five minutes. */
const LOOK_MS = 1_500;
/** A charger that has said yes is waited for only so that the caller is shown what it did. */
const ACCEPTED_MS = 3_500;
/** What Easee sets the dynamic limit to when it resumes. */
const RESUMED_A = 32;

/** What is asked of a charger, and how it shows that it was done. */
interface Order {
  readonly path: string;
  readonly json?: Json;
  readonly isDone: (raw: ChargerRaw) => boolean;
}

const command = (device: DeviceRef, name: string) =>
  `/api/chargers/${encodeURIComponent(device.id)}/commands/${name}`;

const dynamicCurrent = (raw: ChargerRaw): number | null => numberOf(raw, ID.dynamicChargerCurrent);

/** Start and stop are resume and pause: Easee's own start and stop are about authorization. */
export const chargeControl: Handlers<'charge_control'> = {
  async start_charge(session, device) {
    const until = session.clock.now() + MOST_MS;
    const raw = await readOnline(session, device);
    if (modeOf(raw) === CHARGING) return;
    if (modeOf(raw) === AWAITING_AUTHORIZATION) {
      const path = command(device, 'start_charging');
      await carryOut(session, device, {
        path,
        isDone: (now) => modeOf(now) !== AWAITING_AUTHORIZATION,
        until,
      });
      if (dynamicCurrent(raw) !== 0) return;
    }
    await resume(session, device, { raw, until });
  },

  async stop_charge(session, device) {
    const until = session.clock.now() + MOST_MS;
    const raw = await readOnline(session, device);
    const mode = modeOf(raw);
    // Nothing charges, and a pause would hold back the next car.
    if (mode === DISCONNECTED || mode === AWAITING_AUTHORIZATION || mode === DEAUTHORIZING) return;
    if (dynamicCurrent(raw) === 0) return;
    await keepLimit(session, device, dynamicCurrent(raw));
    const path = command(device, 'pause_charging');
    await carryOut(session, device, { path, isDone: (now) => dynamicCurrent(now) === 0, until });
  },
};

export const setCurrent: Handlers<'set_current'> = {
  async set_current(session, device, { current_a: amperes }) {
    const until = session.clock.now() + MOST_MS;
    if (amperes === 0) await keepLimit(session, device, dynamicCurrent(await readOnline(session, device)));
    await carryOut(session, device, { ...currentOrder(device, amperes), until });
    await keepLimit(session, device, amperes);
  },
};

/** Limits the circuit, which Easee shares out itself; until it is changed or the charger restarts. */
export const loadBalancing: Handlers<'load_balancing'> = {
  set_limit: (session, device, { max_a }) => limitCircuit(session, device, { amperes: max_a, minutes: 0 }),
};

/** Easee ends the limit of a circuit itself, after whole minutes, and goes back to the circuit's own. */
export const limitFor: TimedHandler<'set_limit'> = async (session, device, command) => {
  const { max_a, for_seconds, then_a } = command;
  const { rated_a } = device.details;
  if (then_a !== undefined && then_a !== rated_a) {
    throw new AppError(
      'command.time_unsupported',
      `Easee can only return to the limit of the circuit (${String(rated_a)} A); omit then_a`,
    );
  }
  // No limit is above the circuit's own, so that its end only ever raises: rounded up, it is never early.
  await limitCircuit(session, device, { amperes: max_a, minutes: Math.ceil(for_seconds / 60) });
};

async function limitCircuit(
  session: Session,
  device: DeviceRef,
  { amperes, minutes }: { readonly amperes: number | undefined; readonly minutes: number },
): Promise<void> {
  const { site, circuit } = device.details;
  if (amperes === undefined)
    throw new AppError('command.axis_unsupported', 'the device limits by current only; set max_a');
  if (typeof site !== 'number' || typeof circuit !== 'number')
    throw new AppError('vendor.refused', 'the circuit of the charger is unknown; link the account again');
  await carryOut(session, device, {
    path: `/api/sites/${site}/circuits/${circuit}/dynamicCurrent`,
    // Easee takes the three phases together; 0 minutes is until it is changed.
    json: { phase1: amperes, phase2: amperes, phase3: amperes, timeToLive: minutes },
    isDone: (now) => circuitDynamic(now).every((phase) => phase === amperes),
    until: session.clock.now() + MOST_MS,
  });
}

/** The volatile limit. `maxChargerCurrent` is in flash, which wears out. */
const currentOrder = (device: DeviceRef, amperes: number): Order => ({
  path: `/api/chargers/${encodeURIComponent(device.id)}/settings`,
  json: { dynamicChargerCurrent: amperes },
  isDone: (now) => dynamicCurrent(now) === amperes,
});

/** Resuming sets the limit to 32 A: the one that held before is sent again once that shows. */
async function resume(
  session: Session,
  device: DeviceRef,
  { raw, until }: { readonly raw: ChargerRaw; readonly until: number },
): Promise<void> {
  const before = dynamicCurrent(raw);
  const isPaused = before === 0;
  const limit = isPaused ? await keptLimit(session, device) : before;
  const path = command(device, 'resume_charging');
  // One that was not paused may keep its limit, and then there is nothing to see.
  const isDone = (now: ChargerRaw) =>
    isPaused ? dynamicCurrent(now) !== 0 : dynamicCurrent(now) === RESUMED_A;
  await carryOut(session, device, { path, isDone, until, isVisible: isPaused });
  if (limit === null || limit === RESUMED_A) return;
  await carryOut(session, device, { ...currentOrder(device, limit), until });
}

/** Sends, and waits until the charger shows that it was done, or has said that it will. */
async function carryOut(
  session: Session,
  device: DeviceRef,
  {
    path,
    json,
    isDone,
    until,
    isVisible = true,
  }: Order & { readonly until: number; readonly isVisible?: boolean },
): Promise<void> {
  const ticks = await post(session, device, { path, ...(json === undefined ? {} : { json }) });
  if (ticks.length === 0) return;
  const isAccepted = await told(session, device, { ticks, until });
  const latest = isAccepted ? Math.min(until, session.clock.now() + ACCEPTED_MS) : until;
  const failure = await seen(session, device, { isDone, until: latest });
  if (failure === undefined || isAccepted || !isVisible) return;
  throw new AppError(
    'command.outcome_unknown',
    `Easee accepted the command, but charger ${device.id} has not shown its effect yet; read the device`,
    { cause: failure },
  );
}

/** Whether the stream told that the charger took it; false when it told nothing. Throws when the charger refused. */
async function told(
  session: Session,
  device: DeviceRef,
  { ticks, until }: { readonly ticks: readonly string[]; readonly until: number },
): Promise<boolean> {
  for (const tick of ticks) {
    const ms = Math.max(0, Math.min(TOLD_MS, until - session.clock.now()));
    const answer = await session.signals.wait(`command:${tick}`, ms);
    if (typeof answer !== 'object' || answer === null || !('wasAccepted' in answer)) return false;
    if (answer.wasAccepted !== true) {
      const code = 'resultCode' in answer && typeof answer.resultCode === 'number' ? answer.resultCode : null;
      const reason = code === null ? '' : ` (result ${code})`;
      throw new AppError('vendor.refused', `charger ${device.id} refused the command${reason}`);
    }
  }
  return true;
}

/**
 * Reads until the charger shows it; answers why it was not seen. A read that fails is one of the reasons: the command was sent, so
 * that the caller must not take its failure for the command's.
 */
async function seen(
  session: Session,
  device: DeviceRef,
  { isDone, until }: { readonly isDone: (raw: ChargerRaw) => boolean; readonly until: number },
): Promise<unknown> {
  while (session.clock.now() + LOOK_MS <= until) {
    await sleep(session.clock, LOOK_MS);
    session.signal.throwIfAborted();
    try {
      if (isDone(await readCharger(session, device))) return undefined;
    } catch (error) {
      return error;
    }
  }
  return 'the time is over';
}

async function readOnline(session: Session, device: DeviceRef): Promise<ChargerRaw> {
  const raw = await readCharger(session, device);
  if (isOnline(raw)) return raw;
  throw new AppError('device.offline', `charger ${device.id} is not connected to Easee`);
}

/** A pause overwrites the limit, so that it is kept here until the charger is resumed. */
async function keepLimit(session: Session, device: DeviceRef, amperes: number | null): Promise<void> {
  if (amperes === null || amperes <= 0) return;
  await session.documents.put(limitName(device), amperes);
}

async function keptLimit(session: Session, device: DeviceRef): Promise<number | null> {
  const kept = await session.documents.get(limitName(device));
  return typeof kept === 'number' && kept > 0 ? kept : null;
}

const limitName = (device: DeviceRef): string => `limit:${device.id}`;

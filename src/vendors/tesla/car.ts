import Type from 'typebox';
import type { Handler } from '../../adapter/adapter.ts';
import { between } from '../../adapter/commands.ts';
import { NeedsUser, PLUG_IN } from '../../adapter/interventions.ts';
import { figure, houseMeterOf, lenient, objectIn, until } from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { callAbout } from './client.ts';
import { plain } from './failures.ts';
import { FREE } from './limits.ts';
import {
  ASLEEP_OR_OFFLINE,
  type CarReading,
  type ChargeState,
  carObservedAt,
  chargeLimitRange,
  connectedIn,
  type MeterReading,
  type SiteReading,
} from './translate.ts';

/** `online`, `asleep`, `offline`, as Tesla last had it. */
const CarState = Type.Object({ state: Type.String({ minLength: 1, maxLength: 40 }) });
const CarData = lenient({}, 'charge_state');
const LiveStatus = Type.Unsafe<JsonObject>(Type.Object({}));
const Outcome = lenient({ result: Type.Boolean() }, 'reason');

/** What the work comes to; undefined for a car that sleeps or has no connection. */
async function unlessAsleep<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AppError && error.code === 'device.offline') return undefined;
    throw error;
  }
}

/** The state that Tesla last had of the car. Never wakes it, and is free. */
async function carState(session: Session, device: DeviceRef): Promise<string> {
  const answer = await unlessAsleep(callAbout(session, device, { path: '', costs: FREE }, CarState));
  return answer?.state ?? ASLEEP_OR_OFFLINE;
}

/**
 * Never wakes the car: one that Tesla does not call online is not asked, and one that sleeps after all says so itself. Keeps a car awake
 * that is about to fall asleep. Where the car is, is not asked for.
 */
export async function readCar(session: Session, device: DeviceRef): Promise<CarReading> {
  const state = await carState(session, device);
  const request = { path: '/vehicle_data', query: { endpoints: 'charge_state' } };
  const answer =
    state === 'online' ? await unlessAsleep(callAbout(session, device, request, CarData)) : undefined;
  if (answer === undefined)
    return {
      isAwake: false,
      state: state === 'online' ? ASLEEP_OR_OFFLINE : state,
      last: await lastReported(session, device),
    };
  const charge = objectIn(answer.charge_state);
  await remember(session, device, charge);
  return { isAwake: true, charge };
}

/** Power and charge of an energy site now; undefined while its gateway has no connection. */
export async function readSite(session: Session, device: DeviceRef): Promise<SiteReading> {
  return unlessAsleep(callAbout(session, device, { path: '/live_status', costs: FREE }, LiveStatus));
}

/** The same for a meter of the site. */
export const readMeter = async (session: Session, device: DeviceRef): Promise<MeterReading> => ({
  site: await readSite(session, device),
  meter: houseMeterOf(device),
});

const memoryOf = ({ id }: DeviceRef) => `car/${id}`;
/** When nothing but the time is new, it is stored this often. */
const REFRESH_MS = 10 * 60_000;

/** What the car said when it was last awake; undefined when it never was. */
async function lastReported(session: Session, device: DeviceRef): Promise<ChargeState | undefined> {
  const stored = await session.documents.get(memoryOf(device));
  return stored === undefined ? undefined : objectIn(stored);
}

/** Fields that still hold, or are still worth showing, once the car has fallen asleep. */
const KEPT = [
  'battery_level',
  'charge_energy_added',
  'charge_limit_soc_min',
  'charge_limit_soc_max',
  'charge_current_request_max',
] as const;
const MOST = 1_000_000;

async function remember(session: Session, device: DeviceRef, charge: ChargeState): Promise<void> {
  const kept: JsonObject = Object.fromEntries(KEPT.map((field) => [field, figure(charge[field], 0, MOST)]));
  kept.charging_state = connectedIn(charge) === false ? 'Disconnected' : 'Stopped';
  const before = await lastReported(session, device);
  const isNews = Object.entries(kept).some(([field, value]) => before?.[field] !== value);
  const timeOf = (one: ChargeState | undefined) => carObservedAt({ isAwake: true, charge: one ?? {} });
  const timestamp = timeOf(charge) ?? session.clock.now();
  if (isNews || Math.abs(timestamp - (timeOf(before) ?? 0)) > REFRESH_MS)
    await session.documents.put(memoryOf(device), { ...kept, timestamp });
}

/**
 * How long a car may take to wake up while a caller waits. The platform gives a command 14 s in all, and some of them are for
 * the command itself; a car that needs longer is awake when the command is sent again.
 */
const PATIENCE_MS = 10_000;
const LOOK_MS = 2_500;
const RETRY_SECONDS = 20;

/**
 * Does `attempt` with a car that is awake: a sleeping one is woken first. `attempt` resolves with undefined where the car turns out to
 * sleep, as Tesla's word that it is online can be older than its sleep. Throws `device.offline` with a delay when it is not
 * awake in time.
 */
async function whileAwake<T>(
  session: Session,
  device: DeviceRef,
  attempt: () => Promise<T | undefined>,
): Promise<T> {
  const first = (await carState(session, device)) === 'online' ? await attempt() : undefined;
  if (first !== undefined) return first;
  let look = wake;
  const tryAgain = async () => {
    const state = await look(session, device);
    look = carState;
    return state === 'online' ? attempt() : undefined;
  };
  const done = await until(session, tryAgain, { everyMs: LOOK_MS, withinMs: PATIENCE_MS });
  if (done !== undefined) return done;
  throw new AppError(
    'device.offline',
    `the car ${device.id} was asked to wake up and is not awake yet; retry in ${RETRY_SECONDS} seconds`,
    { retryAfterSeconds: RETRY_SECONDS },
  );
}

/** Asks Tesla to wake the car, which takes seconds to minutes; answers its state as it still is as a rule. */
async function wake(session: Session, device: DeviceRef): Promise<string> {
  const request = { method: 'POST', path: '/wake_up', json: {}, use: 'wake' } as const;
  return (await callAbout(session, device, request, CarState)).state;
}

interface Order {
  /** As Tesla names the command. */
  readonly name: string;
  readonly body?: JsonObject;
  /** Refusals that mean that things are already as they should be. */
  readonly done?: readonly string[];
}

const ALREADY = ['already_set', 'requested'];

/** Wakes the car if it sleeps, and gives it the order. */
async function obey(session: Session, device: DeviceRef, order: Order): Promise<void> {
  const { name, body = {}, done = [] } = order;
  const to = { to: 'commands', method: 'POST', path: `/command/${name}`, use: 'command' } as const;
  // 500 is what a proxy answers besides, when the car does not have its key.
  const request = { ...to, json: body, expect: [500] };
  const attempt = () => unlessAsleep(callAbout(session, device, request, Outcome));
  const { result, reason } = await whileAwake(session, device, attempt);
  const why = typeof reason === 'string' ? reason : '';
  if (result || [...ALREADY, ...done].includes(why)) return;
  const refusal = new AppError('vendor.refused', `the car ${device.id} refused the command${plain(why)}`);
  throw name === START.name && why === 'disconnected' ? new NeedsUser(PLUG_IN, refusal) : refusal;
}

/** Marks a car that was paused by a current of 0, so that a current above 0 lets it go on, and one that its owner stopped not. */
const pauseOf = ({ id }: DeviceRef) => `paused/${id}`;

const START: Order = { name: 'charge_start', done: ['is_charging'] };
const STOP: Order = { name: 'charge_stop', done: ['not_charging'] };

const sends = (order: Order) => async (session: Session, device: DeviceRef) => {
  await obey(session, device, order);
  await session.documents.remove(pauseOf(device));
};
export const startCharge = sends(START);
export const stopCharge = sends(STOP);

export const setChargeLimit: Handler<'set_charge_limit'> = async (session, device, { percent }) => {
  between('percent', percent, chargeLimitRange(await lastReported(session, device)));
  await obey(session, device, { name: 'set_charge_limit', body: { percent } });
};

/** The current is set, which is what was asked for; that the car was unplugged or is full by now is no refusal of it. */
const RESUME: Order = { name: 'charge_start', done: ['is_charging', 'complete', 'disconnected'] };

/** A Tesla has no current of 0: pausing stops the charge. */
export const setCurrent: Handler<'set_current'> = async (session, device, { current_a }) => {
  if (current_a === 0) {
    await obey(session, device, STOP);
    await session.documents.put(pauseOf(device), true);
    return;
  }
  await obey(session, device, { name: 'set_charging_amps', body: { charging_amps: current_a } });
  if ((await session.documents.get(pauseOf(device))) === undefined) return;
  await obey(session, device, RESUME);
  await session.documents.remove(pauseOf(device));
};

import Type from 'typebox';
import type { Handler } from '../../adapter/adapter.ts';
import { lenient, objectIn } from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { outcomeUnknown } from '../../adapter/vendor-failure.ts';
import type { JsonObject } from '../../core/json.ts';
import { api } from './connections.ts';
import { errorOf, isConsentLost, problemIn, VehicleState } from './failures.ts';
import { hasValues, problemsIn, type Reading, readingIn } from './translate.ts';

const SignalsResponse = lenient({ data: Type.Array(Type.Unknown()) });
/** Smartcar keeps the connection open until the car has answered; the platform gives up soon after this. */
const COMMAND_MS = 13_500;

const pathOf = (id: string) => `/v3/vehicles/${encodeURIComponent(id)}`;

/** All signals that Smartcar has stored of a car: one call. */
export async function readSignals(session: Session, id: string, use: 'read' | 'list'): Promise<Reading> {
  const headers = { 'sc-unit-system': 'metric' };
  const about = { use, headers, device: id, what: id } as const;
  return readingIn((await api.get(session, `${pathOf(id)}/signals`, SignalsResponse, about)).data);
}

/** Throws `vendor.login_expired` where the car says nothing but that its maker no longer lets Smartcar in. */
export async function readCar(session: Session, { id }: DeviceRef): Promise<Reading> {
  const reading = await readSignals(session, id, 'read');
  const lost = problemsIn(reading).find(isConsentLost);
  if (lost !== undefined && !hasValues(reading)) throw errorOf(lost, { what: id, use: 'read', device: id });
  return reading;
}

export const startCharge: Handler<'start_charge'> = (session, device) =>
  order(session, device, { name: 'start', already: 'CHARGING_IN_PROGRESS' });

export const stopCharge: Handler<'stop_charge'> = (session, device) =>
  order(session, device, { name: 'stop', already: 'NOT_CHARGING' });

export const setChargeLimit: Handler<'set_charge_limit'> = (session, device, { percent }) =>
  order(session, device, { name: 'set-limit', json: { data: { attributes: { percent } } } });

interface Order {
  readonly name: string;
  readonly json?: JsonObject;
  /** The state of the car in which the command has nothing left to do. */
  readonly already?: string;
}

/**
 * Sends a command and waits for what the car says: a status of 202 has the outcome in its body, good or bad. It is not repeated: the first
 * one may still be under way, and each takes of the car's month.
 */
async function order(session: Session, device: DeviceRef, { name, json, already }: Order): Promise<void> {
  const request = {
    path: `${pathOf(device.id)}/commands/charge/${name}`,
    timeoutMs: COMMAND_MS,
    ...(json === undefined ? {} : { json }),
  };
  try {
    const body = objectIn(await api.command(session, device, request));
    const { value, error } = objectIn(objectIn(objectIn(body.data).attributes).status);
    if (value === 'SUCCESS' && body.errors === undefined) return;
    const problem = problemIn(value === 'ERROR' ? { errors: [error ?? null] } : body);
    if (problem.type === '') throw outcomeUnknown('Smartcar');
    throw errorOf(problem, { what: device.id, use: 'command', device: device.id });
  } catch (error) {
    if (!(error instanceof VehicleState) || error.state !== already) throw error;
  }
}

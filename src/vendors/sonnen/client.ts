import Type, { type Static } from 'typebox';
import type { Identified } from '../../adapter/discovers.ts';
import type { VendorRequest } from '../../adapter/http.ts';
import { HttpFailure } from '../../adapter/http.ts';
import {
  each,
  figure,
  LOOKING,
  lenient,
  objectIn,
  refused,
  vendorCalls,
  word,
} from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import type { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';

/* Calls of the JSON API, version 2, of a sonnenBatterie. */

const V2 = '/api/v2';

export const tokenHeader = (token: string) => ({ 'auth-token': token });

/** A token that is known, and may not do this. Commands name the other half of the switch. */
export function forbidden(cause: unknown): AppError | undefined {
  return cause instanceof HttpFailure && cause.status === 403
    ? refused(
        'the sonnenBatterie permits no reading with this token; switch on the Read API under Software-Integration on its web page',
      )
    : undefined;
}

const api = vendorCalls('sonnen', { failure: forbidden });

/** With a token that may only read, the battery answers 401 or 403; the token itself has been tried by reading. */
const writing = vendorCalls('sonnen', {
  refusals: {
    statuses: [401, 403],
    error: () =>
      refused(
        'the sonnenBatterie takes no commands with this token; switch on the Write API under Software-Integration on its web page, or enter a new token',
      ),
  },
});

/** What it does now. */
export const StatusResponse = lenient(
  {},
  'USOC',
  'Pac_total_W',
  'Production_W',
  'GridFeedIn_W',
  'Consumption_W',
  'BatteryCharging',
  'OperatingMode',
  'SystemStatus',
  'Timestamp',
);
export type StatusResponse = Static<typeof StatusResponse>;

export const readStatus = (session: Session, device: Pick<DeviceRef, 'id'>): Promise<StatusResponse> =>
  api.get(session, `${V2}/status`, StatusResponse, { device: device.id, what: 'its status' });

/**
 * Whether a sonnenBatterie answers: anybody may ask for its status, where its JSON API is switched on. Other devices have no such path, or
 * none with these fields.
 */
export async function identified(session: Session): Promise<Identified | undefined> {
  const status = await api.get(session, `${V2}/status`, StatusResponse, {
    ...{ use: 'list', what: 'its status' },
    ...LOOKING,
  });
  const isBattery = figure(status.USOC, 0, 100) !== null && figure(status.Pac_total_W, -1e6, 1e6) !== null;
  return isBattery ? { name: 'sonnenBatterie' } : undefined;
}

/** One meter of the battery: what the panels produce, or what the house consumes. */
const Meter = lenient({ direction: Type.String() }, 'kwh_imported', 'error');
type Meter = Static<typeof Meter>;

/** Its meters: a list, and in newer software an object of them. */
export async function meters(session: Session, use: 'read' | 'list'): Promise<readonly Meter[]> {
  const what = 'its meters';
  return metersIn(await api.get(session, `${V2}/powermeter`, Type.Unknown(), { use, what }));
}

/** Throws `vendor.answer_invalid` for what is neither. */
export function metersIn(body: unknown): readonly Meter[] {
  if (typeof body !== 'object' || body === null) throw api.notUnderstood('its meters');
  return each(Object.values(body), Meter);
}

/** Its settings, by their names; the values are texts. */
export const configurations = async (session: Session): Promise<JsonObject> =>
  objectIn(
    await api.get(session, `${V2}/configurations`, Type.Object({}), { use: 'list', what: 'its settings' }),
  );

const MODE = 'EM_OperatingMode';

/** The operating mode as the battery numbers it. Throws `vendor.answer_invalid` for none. */
export async function operatingMode(session: Session, { id }: DeviceRef): Promise<string> {
  const path = `${V2}/configurations/${MODE}`;
  const body = await api.get(session, path, Type.Object({}), { device: id, what: 'its operating mode' });
  const mode = modeIn(objectIn(body)[MODE]);
  if (mode === null) throw api.notUnderstood('its operating mode');
  return mode;
}

export const modeIn = (value: unknown): string | null =>
  typeof value === 'number' ? String(value) : word(value, 8);

export const modeRequest = (mode: string) =>
  ({ method: 'PUT', path: `${V2}/configurations`, json: { [MODE]: mode } }) as const;

/** Sets the operating mode. Throws `vendor.refused` where the battery answers with another one. */
export async function setOperatingMode(session: Session, device: DeviceRef, mode: string): Promise<void> {
  const now = modeIn(objectIn(await order(session, device, modeRequest(mode)))[MODE]);
  if (now !== null && now !== mode)
    throw refused(`the sonnenBatterie stays in operating mode ${now} instead of ${mode}`);
}

interface Power {
  readonly direction: 'charge' | 'discharge';
  readonly watts: number;
}

export const powerRequest = ({ direction, watts }: Power) =>
  ({ method: 'POST', path: `${V2}/setpoint/${direction}/${watts}` }) as const;

/** The power that it takes or gives in manual operation, whole watts; it holds until it is replaced. */
export async function setPoint(session: Session, device: DeviceRef, power: Power): Promise<void> {
  const { direction, watts } = power;
  const answer = await order(session, device, powerRequest(power));
  if (answer === false)
    throw refused(`the sonnenBatterie did not take the set-point ${direction} ${watts} W`);
}

/** Each names the state that is wanted, so sending it twice does no harm. */
const order = (session: Session, device: DeviceRef, request: VendorRequest): Promise<unknown> =>
  writing.command(session, device, { ...request, repeatable: true });

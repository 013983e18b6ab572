import Type from 'typebox';
import {
  deviceTimes,
  figure,
  fits,
  type LOOKING,
  lenient,
  objectIn,
  vendorCalls,
  word,
} from '../../adapter/kit/index.ts';
import type { Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';

/* Requests of the Solar API, version 1. Fronius: "Solar API V1", 42,0410,2012. */

/** The system does not have what was asked for: no such request (404), or a status that says so. */
class NotThere extends AppError {}

const api = vendorCalls('Fronius', {
  refusals: {
    statuses: [404],
    error: (_answer, { what }) => new NotThere('vendor.refused', `Fronius has no request for ${what}`),
  },
});
const V1 = '/solar_api/v1';
/** An inverter takes some 300 bytes of a response. */
const MOST_BYTES = 1024 * 1024;

/** What each code of `Head.Status` means (table 1). */
const STATUSES: Readonly<Record<number, string>> = {
  1: 'NotImplemented',
  2: 'Uninitialized',
  3: 'Initialized',
  4: 'Running',
  5: 'Timeout',
  6: 'Argument Error',
  7: 'LNRequestError',
  8: 'LNRequestTimeout',
  9: 'LNParseError',
  10: 'ConfigIOError',
  11: 'NotSupported',
  12: 'DeviceNotAvailable',
  255: 'UnknownError',
};
/** Asking again does not help: the request, or what it is about, is not there. */
const REFUSALS = [1, 6, 11, 12];

const Envelope = Type.Object({
  Head: lenient({ Status: Type.Object({ Code: Type.Unknown() }) }, 'Timestamp'),
  Body: Type.Unknown(),
});

interface Asked {
  readonly query?: Readonly<Record<string, string>>;
  readonly use: 'read' | 'list';
  readonly what: string;
}

interface Answer {
  readonly body: JsonObject;
  /** The system's time of its response. */
  readonly timestamp: unknown;
}

/** The `Body` of a response. Throws what its status code means, since that of HTTP is 200. */
const ask = async (session: Session, request: string, asked: Asked): Promise<JsonObject> =>
  (await answerTo(session, request, asked)).body;

async function answerTo(session: Session, request: string, asked: Asked): Promise<Answer> {
  const { what } = asked;
  const options = { mostBytes: MOST_BYTES, ...asked };
  const { Head, Body } = await api.get(session, `${V1}/${request}`, Envelope, options);
  const code = figure(Head.Status.Code, 0, 255);
  if (code === null) throw api.notUnderstood(what);
  if (code === 0) return { body: objectIn(Body), timestamp: Head.Timestamp };
  const sentence = `Fronius returned status ${code} (${STATUSES[code] ?? 'unknown'}) about ${what}`;
  throw REFUSALS.includes(code)
    ? new NotThere('vendor.refused', sentence)
    : new AppError('vendor.unreachable', sentence);
}

/** Undefined where the system does not have it; a refusal for another reason is one. */
function ifThere<T>(call: Promise<T>): Promise<T | undefined> {
  return call.catch((error: unknown) => {
    if (error instanceof NotThere) return undefined;
    throw error;
  });
}

const AnyObject = Type.Object({});

/** Objects by the `DeviceId` that they are about. */
export type ById = Readonly<Record<string, JsonObject>>;

const DEVICE_ID = /^\d{1,5}$/;

/** One that is not understood does not cost the others. */
function byId(data: unknown, what: string): ById {
  if (!fits(AnyObject, data)) throw api.notUnderstood(what);
  return Object.fromEntries(
    Object.entries(data).flatMap(([id, one]) =>
      DEVICE_ID.test(id) && fits(AnyObject, one) ? [[id, one as JsonObject]] : [],
    ),
  );
}

/** Powers, energies and charge of the whole system now. */
export interface Flow {
  readonly site: JsonObject;
  readonly inverters: ById;
  /** When the system said so, ms since 1970; null where it does not tell. */
  readonly at: number | null;
}

const times = deviceTimes();
const FLOW = 'the power flow';
const FlowData = Type.Object({ Site: AnyObject, Inverters: AnyObject });

export async function powerFlow(session: Session, use: Asked['use'] = 'read'): Promise<Flow> {
  const { body, timestamp } = await answerTo(session, 'GetPowerFlowRealtimeData.fcgi', { use, what: FLOW });
  const { Data } = body;
  if (!fits(FlowData, Data)) throw api.notUnderstood(FLOW);
  const at = times(session, timestamp);
  return { site: objectIn(Data.Site), inverters: byId(Data.Inverters, FLOW), at };
}

const INVERTERS = 'the inverters';

/** The inverters that the system knows, those that do not respond too. */
export const inverterInfo = async (session: Session, use: Asked['use']): Promise<ById> =>
  byId((await ask(session, 'GetInverterInfo.cgi', { use, what: INVERTERS })).Data, INVERTERS);

/** Energies of the inverters that respond: `{TOTAL_ENERGY: {Unit, Values: {"1": 26213502}}}`. */
export async function inverterTotals(session: Session): Promise<JsonObject> {
  const asked = { use: 'read', query: { Scope: 'System' }, what: INVERTERS } as const;
  return objectIn((await ask(session, 'GetInverterRealtimeData.cgi', asked)).Data);
}

const STORAGES = 'the battery';

/** The batteries; undefined where the software of the system knows none. */
export async function storages(session: Session, use: Asked['use'] = 'read'): Promise<ById | undefined> {
  const asked = { use, query: { Scope: 'System' }, what: STORAGES };
  const body = await ifThere(ask(session, 'GetStorageRealtimeData.cgi', asked));
  return body === undefined ? undefined : byId(body.Data, STORAGES);
}

const Version = Type.Object({ APIVersion: Type.Number() });

/**
 * Throws `vendor.refused`, with what its owner can do, for an inverter whose Solar API is switched off, and for a Datamanager with another
 * version.
 */
export async function checkVersion(session: Session, limits: Partial<typeof LOOKING> = {}): Promise<void> {
  const options = { use: 'list', what: 'the version', ...limits } as const;
  const said = await ifThere(api.get(session, '/solar_api/GetAPIVersion.cgi', Version, options));
  if (said?.APIVersion === 1) return;
  // Version 0 has no request for the version, and its other requests are one folder higher.
  const old = said ?? (await ifThere(api.get(session, '/solar_api/GetInverterInfo.cgi', AnyObject, options)));
  throw new AppError(
    'vendor.refused',
    old === undefined
      ? 'there is no Solar API at this address; switch it on in the web interface of the inverter, under Communication and Solar API, or correct the address'
      : `the Datamanager has version ${said?.APIVersion ?? 0} of the Solar API, and 1 is needed; update its software in its web interface`,
  );
}

/** The id of the Datamanager; null for GEN24, Tauro and Verto, which have none. */
export async function loggerId(session: Session): Promise<string | null> {
  const asked = { use: 'list', what: 'the Datamanager' } as const;
  const body = await ifThere(ask(session, 'GetLoggerInfo.cgi', asked));
  return word(objectIn(body?.LoggerInfo).UniqueID);
}

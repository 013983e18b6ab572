import type { FastifyRequest } from 'fastify';
import Type, { type Static, type TObject, type TSchema, type TString } from 'typebox';
import { rfc3339 } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import { faultInText } from '../../../core/json.ts';
import type { Actor, Principal } from '../../../domain/access/accounts/index.ts';

/** What an id of a link looks like. */
export const LINK_ID = 'FQ0rwiEK5DVrW78icMP4Rr';
/** What an id of a link session looks like. */
export const SESSION_ID = 'Cl7vMV7clidPIEHQrqGwNjG8UKvIZCEpeEpwTvB9csU';

/** A text that no id is. */
const NOBODYS = '\u{fffd}';

export const DeviceId = Type.Object({
  id: Type.String({ description: 'Device id', examples: ['charger-u2vsdkcko5'] }),
});
export const LinkId = Type.Object({
  id: Type.String({ description: 'Id of the link, from GET /links', examples: [LINK_ID] }),
});
export const SessionId = Type.Object({ session: Type.String({ examples: [SESSION_ID] }) });
/** A vendor's page of a link session. */
export const VendorOfSession = Type.Object({ ...SessionId.properties, vendor: Type.String() });

/** The text of a parameter that names something; what no store can hold is what does not exist. */
export function nameIn(value: unknown): string {
  return typeof value === 'string' && faultInText(value, 'value') === null ? value : NOBODYS;
}

/** Reads the parameters of a path by the schema that the route declares. */
export function readPath<S extends TObject<Record<string, TString>>>(
  schema: S,
  { params }: FastifyRequest,
): Static<S> {
  const given = params as Readonly<Record<string, unknown>>;
  const read = Object.keys(schema.properties).map((name) => {
    if (given[name] === undefined) throw new Error(`the path of the route has no parameter ${name}`);
    return [name, nameIn(given[name])];
  });
  // Every parameter of these schemas is a text.
  return Object.fromEntries(read) as Static<S>;
}

export const deviceIn = (request: FastifyRequest): string => readPath(DeviceId, request).id;

export const linkIn = (request: FastifyRequest): string => readPath(LinkId, request).id;

/** The vendor of a path, in whatever case it was written. */
export const vendorInPath = (schema: TObject<{ vendor: TString }>, request: FastifyRequest): string =>
  vendorSlug(readPath(schema, request).vendor);

/** The keywords of a parameter's schema that are judged here. */
interface ParameterSchema {
  readonly type?: 'string' | 'integer';
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly format?: 'date' | 'date-time';
}

/** `limit` of a list; `most` where it is not given. */
export const limitParameter = (most: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: most, default: most }));

/** `vendor` beside a device's id. */
export const OfVendor = Type.Object({
  vendor: Type.Optional(
    Type.String({ description: 'Needed only if two vendors have a device with this id' }),
  ),
});

/**
 * Reads the parameters that a schema of optional ones declares; others were refused before. One that is given twice, that no store can
 * hold, or that does not fit throws `request.invalid`, which names it and says what would be right.
 */
export function readQuery<S extends TObject>(schema: S, query: unknown): Static<S> {
  const given = query as Readonly<Record<string, unknown>>;
  const read: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries<TSchema>(schema.properties)) {
    const value = given[name];
    if (value !== undefined) read[name] = readText(textOf(value, name), { name, parameter });
  }
  // Every parameter was read by its own schema.
  return read as Static<S>;
}

/** The vendor that a device's id is to be taken of: a slug, in whatever case it was written. */
export function vendorIn(query: unknown): string | undefined {
  const { vendor } = readQuery(OfVendor, query);
  return vendor === undefined ? undefined : vendorSlug(vendor);
}

function textOf(value: unknown, name: string): string {
  if (typeof value !== 'string') throw new AppError('request.invalid', `${name} must be given once`);
  const fault = faultInText(value, name);
  if (fault !== null) throw new AppError('request.invalid', fault);
  return value;
}

function readText(
  text: string,
  { name, parameter }: { readonly name: string; readonly parameter: ParameterSchema },
): string | number {
  const { type, format, enum: choices, minimum = 0, maximum = 999_999 } = parameter;
  if (choices !== undefined && !choices.includes(text))
    throw new AppError('request.invalid', `${name} must be one of ${choices.join(', ')}`);
  if (type === 'integer') {
    const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return value;
    throw new AppError('request.invalid', `${name} must be a whole number from ${minimum} to ${maximum}`);
  }
  if (format === 'date-time' && !(/^\d{4}-\d\d-\d\dT/.test(text) && Number.isFinite(Date.parse(text))))
    throw new AppError('request.invalid', `${name} must be a time such as 2026-11-21T09:00:00Z`);
  if (format === 'date' && !isDay(text))
    throw new AppError('request.invalid', `${name} must be a day such as 2026-11-21`);
  return text;
}

/** A calendar day since 1970; `Date.parse` takes 30 February for 2 March. */
function isDay(text: string): boolean {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return at >= 0 && rfc3339(at).startsWith(text);
}

/** The caller of a route that the gate lets nobody into without a key. */
export function principalOf(request: FastifyRequest): Principal {
  if (request.principal === null)
    throw new AppError('key.missing', 'send an API key as X-Api-Key or Authorization: Bearer');
  return request.principal;
}

/** The caller, for the audit trail. */
export const actorOf = ({ ip, id, principal }: FastifyRequest): Actor => ({
  ...{ name: 'user', ip, requestId: id },
  ...(principal === null ? {} : { keyId: principal.keyId }),
});

/** A body whose `price_area` may be in small letters, as Grid and the planner take it too. */
export function withPriceArea(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('price_area' in body)) return body;
  const { price_area: area } = body;
  return typeof area === 'string' ? { ...body, price_area: area.toUpperCase() } : body;
}

/** A vendor as a caller wrote it, as it is called here: slugs are in lower case, names often are not. */
export const vendorSlug = (written: string): string => written.toLowerCase();

/** The name of a time zone in a query. Throws `request.invalid`. */
export function zoneIn(name: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    throw new AppError('request.invalid', 'timezone must be a time zone such as Europe/Stockholm');
  }
}

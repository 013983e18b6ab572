import type { FastifyRequest } from 'fastify';
import Type, { type Static, type TObject, type TString } from 'typebox';
import { faultInText } from '../../../core/json.ts';
import { vendorSlug } from './vendor-slug.ts';

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

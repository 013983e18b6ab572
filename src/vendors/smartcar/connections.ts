import Type, { type Static } from 'typebox';
import type { CallSession } from '../../adapter/kit/calls.ts';
import { each, lenient, objectIn, PlainId, vendorCalls } from '../../adapter/kit/index.ts';
import type { VendorRequest } from '../../adapter/vendor-http.ts';
import type { JsonObject } from '../../core/json.ts';
import { refusals } from './failures.ts';

/** Calls to Smartcar, with what its errors mean. */
export const api = vendorCalls('Smartcar', { refusals });

const Related = Type.Object({ data: Type.Object({ id: PlainId }) });
/** What a user permits an app to do with one car (JSON:API). */
export const Connection = lenient({ relationships: lenient({ vehicle: Related }, 'user') }, 'attributes');
export type Connection = Static<typeof Connection>;
const ConnectionsResponse = lenient({ data: Type.Array(Type.Unknown()) }, 'links', 'meta');

/** Smartcar lists 10 unless more are asked for; clients ask for up to 50. */
const A_PAGE = '50';

/**
 * A page of the connections of one user. Smartcar filters them by a parameter alone, and the token of the app permits all: connections of
 * other users are left out here too. `next` is the number of the next page.
 */
export async function connectionsIn(
  session: CallSession,
  user: string,
  { query, ...request }: Omit<VendorRequest, 'path'>,
  page = 1,
): Promise<{ readonly members: readonly Connection[]; readonly next: number | undefined }> {
  const pages = { 'page[number]': String(page), 'page[size]': A_PAGE };
  const response = await api.get(session, '/v3/connections', ConnectionsResponse, {
    ...request,
    query: { 'filter[userId]': user, ...query, ...pages },
    mostBytes: 4 * 1024 * 1024,
    what: 'the connections',
  });
  const { next } = objectIn(response.links);
  return {
    members: each(response.data, Connection).filter((connection) => userIn(connection).id === user),
    next: typeof next === 'string' && next !== '' ? page + 1 : undefined,
  };
}

/** The user of a connection, and what was stored with it when they granted it last. */
export function userIn({ attributes, relationships }: Connection): JsonObject {
  const { id, externalId } = objectIn(objectIn(attributes).user);
  const related = objectIn(objectIn(relationships.user).data).id;
  return { id: related ?? id ?? null, externalId: externalId ?? null };
}

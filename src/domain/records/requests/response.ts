import Type, { type Static, type TSchema } from 'typebox';
import { rfc3339 } from '../../../core/clock.ts';
import type { Call, StoredRequest } from './store.ts';

const orNull = <T extends TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

const VendorCall = Type.Object(
  {
    vendor: Type.String(),
    call: Type.String({
      description:
        'What the vendor was called for: link, unlink, list, refresh, read, command, conditions, subscribe',
    }),
    outcome: Type.String({ description: 'ok, or an error code' }),
    status: orNull(
      Type.Integer(),
      "The status of the vendor's last HTTP response; null where there was none, or the protocol has none",
    ),
    started_ms: Type.Integer({ description: 'After the request began' }),
    duration_ms: Type.Integer(),
  },
  { title: 'VendorCall' },
);

/** A request as its own account sees it. */
export const KeptRequest = Type.Object(
  {
    request_id: Type.String({
      description: 'X-Request-Id of the response: made by us, or the one that the caller sent',
    }),
    at: Type.String({ format: 'date-time', description: 'When it began' }),
    service: Type.Enum(['connect', 'grid'], { type: 'string' }),
    method: Type.String(),
    route: Type.String({ description: 'As it is declared, such as /devices/:id' }),
    status: orNull(Type.Integer(), 'null: the caller disconnected before there was a response'),
    duration_ms: Type.Integer(),
    error_code: orNull(Type.String(), 'As in the header Elnav-Error'),
    error: orNull(
      Type.String(),
      'The sentence that the caller got, with the names of parameters for their values',
    ),
    key_id: orNull(
      Type.String(),
      'Id of the API key; console for the console; null where no valid key was sent',
    ),
    device: orNull(Type.String(), 'Id of the device; null where the account has none with this id'),
    link: orNull(Type.String(), 'Id of the link; null where the account has none with this id'),
    vendor: orNull(Type.String()),
    calls: Type.Array(VendorCall, {
      description: 'The calls to vendors that it led to, the first 50 in their order',
    }),
    more_calls: Type.Integer({ description: 'Calls to vendors that are not in the list' }),
  },
  {
    title: 'Request',
    examples: [
      {
        request_id: 'v7Qm3kXz0a-4f',
        at: '2026-11-21T17:02:11.040Z',
        service: 'connect',
        method: 'POST',
        route: '/devices/:id/command',
        status: 502,
        duration_ms: 812,
        error_code: 'vendor.refused',
        error: 'Easee refused the command: the charger is paused',
        key_id: '3kTzQ9',
        device: 'EH123456',
        link: 'FQ0rwiEK5DVrW78icMP4Rr',
        vendor: 'easee',
        calls: [
          {
            vendor: 'easee',
            call: 'command',
            outcome: 'vendor.refused',
            status: 400,
            started_ms: 3,
            duration_ms: 806,
          },
        ],
        more_calls: 0,
      },
    ],
  },
);
export type KeptRequest = Static<typeof KeptRequest>;

/** The same as the operator sees it. */
export const OperatorsRequest = Type.Object(
  {
    ...KeptRequest.properties,
    user_id: orNull(Type.Integer(), 'The account; null for a caller without one'),
    instance: Type.String({ description: 'Host name and process id of what served it' }),
  },
  { title: 'RequestWithCalls' },
);
export type OperatorsRequest = Static<typeof OperatorsRequest>;

const pageOf = <T extends TSchema>(request: T, title: string) =>
  Type.Object(
    {
      requests: Type.Array(request),
      cursor: orNull(
        Type.String(),
        'Of the next page; null at the end. A page that was searched for by a filter may have fewer requests than limit, even none',
      ),
    },
    { title },
  );
export const RequestPage = pageOf(KeptRequest, 'RequestPage');
export const OperatorsPage = pageOf(OperatorsRequest, 'RequestWithCallsPage');

export function shownToAccount(row: StoredRequest): KeptRequest {
  const { calls, more } = JSON.parse(row.calls_json) as { calls: Call[]; more: number };
  return {
    ...{ request_id: row.request_id, at: rfc3339(row.at), method: row.method, route: row.route },
    service: row.service === 'grid' ? 'grid' : 'connect',
    ...{ status: row.status, duration_ms: row.duration_ms, error_code: row.error_code, error: row.error },
    ...{ key_id: row.key_id, device: row.device_id, link: row.link_id, vendor: row.vendor },
    ...{ calls, more_calls: more },
  };
}

export const shownToOperator = (row: StoredRequest): OperatorsRequest => ({
  ...shownToAccount(row),
  user_id: row.account_id === 0 ? null : row.account_id,
  instance: row.instance,
});

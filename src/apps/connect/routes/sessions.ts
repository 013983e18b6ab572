import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { type Clock, rfc3339 } from '../../../core/clock.ts';
import { decimal } from '../../../core/decimal.ts';
import { AppError } from '../../../core/errors.ts';
import type { Devices } from '../../../domain/devices/devices/index.ts';
import type {
  ChargingSessions,
  ListedSession,
  Place,
} from '../../../domain/records/charging-sessions/index.ts';
import { nextPage } from '../../../http/next-page.ts';
import { type Cell, sendRows } from '../../../http/rows.ts';
import { DeviceId, deviceIn, OfVendor, principalOf, readQuery, vendorIn } from '../input/parameters.ts';

const MOST = 1_000;
const PAGE = 100;

const orNull = <T extends Type.TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
const moment = Type.String({ format: 'date-time' });

const OfPage = {
  from: Type.Optional(
    Type.String({ format: 'date-time', description: 'Sessions that began then or later; by default all' }),
  ),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'Sessions that began before' })),
  format: Type.Optional(
    Type.Enum(['json', 'csv'], {
      type: 'string',
      default: 'json',
      description: 'csv: the sessions alone',
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST, default: PAGE })),
  cursor: Type.Optional(Type.String({ description: 'From the page before' })),
};
const OfAccount = Type.Object({
  device: Type.Optional(Type.String({ description: 'Id of a device' })),
  vendor: Type.Optional(Type.String({ description: 'Vendor slug' })),
  user_ref: Type.Optional(Type.String()),
  ...OfPage,
});
const OfDevice = Type.Object({ ...OfVendor.properties, ...OfPage });

const Session = Type.Object(
  {
    id: Type.String(),
    device: Type.String(),
    vendor: Type.String(),
    user_ref: Type.String({ description: 'Who had the device' }),
    started_at: orNull(moment, 'null: a station has reported only the end of the transaction'),
    ended_at: orNull(moment, 'null while it runs'),
    energy_wh: orNull(
      Type.Integer(),
      'What was taken, of a session that runs: so far; null where nothing tells it',
    ),
    max_power_w: orNull(Type.Integer(), 'The greatest power that was read; null where none was'),
    cost: orNull(
      decimal('SEK', '6.066432'),
      "Of energy_wh, at the spot prices of the link's price_area, without VAT, tax and the fees of grid and supplier: an exact decimal number, negative where the price was; null where it is not known for all of it",
    ),
    currency: orNull(Type.Literal('SEK')),
    cost_missing: orNull(Type.String(), 'Why cost is null'),
    measured_by: Type.Object({
      energy: orNull(
        Type.Enum(['transaction', 'meter', 'power']),
        "transaction: from the station's report of its start and end; meter: difference of the meter; power: power over the time for which it is known",
      ),
      power: orNull(Type.Enum(['readings']), 'readings: the greatest of those that were read'),
      cost: orNull(Type.Enum(['spot'])),
    }),
    complete: Type.Boolean({
      description:
        'energy_wh is all that the session has taken (so far, while it runs); false: at least one part of it was not seen',
    }),
  },
  {
    title: 'ChargingSession',
    examples: [
      {
        id: 'aX3kQ8r1ZbT5wN7yPc2Vd0',
        device: 'charger-u2vsdkcko5',
        vendor: 'sandbox',
        user_ref: 'anna',
        started_at: '2026-11-21T17:02:11.000Z',
        ended_at: '2026-11-21T19:40:03.000Z',
        energy_wh: 14_400,
        max_power_w: 11_040,
        cost: '6.066432',
        currency: 'SEK',
        cost_missing: null,
        measured_by: { energy: 'meter', power: 'readings', cost: 'spot' },
        complete: true,
      },
    ],
  },
);
type Session = Type.Static<typeof Session>;

const Page = Type.Object(
  {
    sessions: Type.Array(Session),
    cursor: orNull(Type.String(), 'Of the next page; null at the end'),
  },
  { title: 'ChargingSessionPage' },
);

const RESPONSE = {
  description: 'A page of sessions',
  content: {
    'application/json': { schema: Page },
    'text/csv': { schema: Type.String({ description: 'RFC 4180, with a line of names' }) },
  },
};

const PAGINATION = { cursor: 'cursor', items: 'sessions', next: 'cursor' };

const COLUMNS = [
  ...(['id', 'device', 'vendor', 'user_ref', 'started_at', 'ended_at', 'energy_wh', 'max_power_w'] as const),
  ...(['cost', 'currency', 'cost_missing'] as const),
  ...(['energy_measured_by', 'power_measured_by', 'cost_measured_by', 'complete'] as const),
];

export interface SessionRoutes {
  readonly devices: Pick<Devices, 'find'>;
  readonly sessions: Pick<ChargingSessions, 'list'>;
  readonly clock: Clock;
}

/** What vehicles and chargers have charged. */
export function addSessionRoutes(app: FastifyInstance, dependencies: SessionRoutes): void {
  const { devices, sessions, clock } = dependencies;

  const send = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { path, query, of }: { path: string; query: Type.Static<typeof OfDevice>; of: Subject },
  ) => {
    const page = await sessions.list({
      ...{ ...of, ...rangeOf(query), after: placeIn(query.cursor), limit: query.limit ?? PAGE },
    });
    const cursor = page.next === null ? null : cursorOf(page.next);
    const shown = page.sessions.map(shownAs);
    if (cursor !== null) reply.header('link', nextPage(path, request.query, { cursor }));
    if (query.format !== 'csv') return { sessions: shown, cursor };
    async function* batches() {
      yield shown.map(rowOf);
    }
    return sendRows(request, reply, { columns: COLUMNS, batches: batches(), format: 'csv', clock });
  };

  app.get(
    '/sessions',
    {
      config: { access: 'devices:read' },
      schema: {
        operationId: 'listSessions',
        summary: 'List charging sessions, newest first',
        description:
          'Of vehicles and chargers of all vendors, also of those that were removed: from plug to unplug; of a device that does not tell whether it is plugged in, from charging until it has not charged for 15 minutes; of an OCPP station, a session for each transaction. A car and its charger each have theirs. Returns what is stored and never calls a vendor.',
        tags: ['Charging'],
        querystring: OfAccount,
        response: { 200: RESPONSE },
        pagination: PAGINATION,
      },
    },
    async (request, reply) => {
      const { account } = principalOf(request);
      const { device, user_ref: userRef, ...query } = readQuery(OfAccount, request.query);
      const of = { account, device, vendor: vendorIn(request.query), userRef };
      return send(request, reply, { path: '/sessions', query, of });
    },
  );

  app.get(
    '/devices/:id/sessions',
    {
      config: { access: 'devices:read' },
      schema: {
        operationId: 'listDeviceSessions',
        summary: 'List the charging sessions of a device, newest first',
        description: 'Those of the user that has the device; otherwise as GET /sessions.',
        tags: ['Charging'],
        params: DeviceId,
        querystring: OfDevice,
        response: { 200: RESPONSE },
        pagination: PAGINATION,
      },
    },
    async (request, reply) => {
      const { account } = principalOf(request);
      const query = readQuery(OfDevice, request.query);
      const { row } = await devices.find(account, deviceIn(request), vendorIn(request.query));
      const of = { account, device: row.id, vendor: row.vendor, ofPresentUser: true };
      return send(request, reply, { path: `/devices/${encodeURIComponent(row.id)}/sessions`, query, of });
    },
  );
}

type Subject = Pick<
  Parameters<ChargingSessions['list']>[0],
  'account' | 'device' | 'vendor' | 'userRef' | 'ofPresentUser'
>;

const momentOf = (at: number | null): string | null => (at === null ? null : rfc3339(at));

const shownAs = (one: ListedSession): Session => ({
  ...{ id: one.id, device: one.device, vendor: one.vendor, user_ref: one.userRef },
  ...{ started_at: momentOf(one.startedAt), ended_at: momentOf(one.endedAt) },
  ...{ energy_wh: one.energyWh, max_power_w: one.maxPowerW, cost: one.cost.cost },
  ...{ currency: one.cost.cost === null ? null : 'SEK', cost_missing: one.cost.missing },
  measured_by: {
    energy: one.energyBy,
    power: one.maxPowerW === null ? null : 'readings',
    cost: one.cost.cost === null ? null : 'spot',
  },
  complete: one.isComplete,
});

function rowOf({ measured_by, ...session }: Session): Record<(typeof COLUMNS)[number], Cell> {
  const { energy, power, cost } = measured_by;
  return { ...session, energy_measured_by: energy, power_measured_by: power, cost_measured_by: cost };
}

function rangeOf(given: { readonly from?: string; readonly to?: string }) {
  const from = given.from === undefined ? undefined : Date.parse(given.from);
  const to = given.to === undefined ? undefined : Date.parse(given.to);
  if (from !== undefined && to !== undefined && from >= to)
    throw new AppError('request.invalid', `from must be before to, which is ${given.to}`);
  return { from, to };
}

const cursorOf = ({ at, id }: Place): string => Buffer.from(`${at} ${id}`).toString('base64url');

function placeIn(cursor: string | undefined): Place | undefined {
  if (cursor === undefined) return undefined;
  const [, at, id] =
    /^(\d{1,15}) ([0-9A-Za-z]{1,40})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  if (at !== undefined && id !== undefined) return { at: Number(at), id };
  throw new AppError('request.invalid', 'cursor must be one that a page of sessions has given');
}

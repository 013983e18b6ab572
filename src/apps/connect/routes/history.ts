import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { HISTORY_FIELDS } from '../../../adapter/fields.ts';
import { type Clock, rfc3339 } from '../../../core/clock.ts';
import { decimal } from '../../../core/decimal.ts';
import { DAY_MS } from '../../../core/durations.ts';
import { AppError } from '../../../core/errors.ts';
import { SWEDISH_ZONE } from '../../../core/swedish-days.ts';
import type { Devices } from '../../../domain/devices/devices/index.ts';
import { type AreaPrices, type History, RESOLUTIONS } from '../../../domain/records/history/index.ts';
import { nextPage } from '../../../http/next-page.ts';
import { type Cell, sendRows } from '../../../http/rows.ts';
import { PRICE_AREAS } from '../../../sources/contract/market.ts';
import {
  DeviceId,
  deviceIn,
  OfVendor,
  principalOf,
  readQuery,
  vendorIn,
  zoneIn,
} from '../input/parameters.ts';
import { addHistoryListRoute } from './history-list.ts';
import {
  type Asked,
  columnsOf,
  createHistoryTurns,
  fieldsIn,
  Gap,
  HistoryPoint,
  MOST,
  MOST_ASKED,
  PAGE,
  POINT,
  pointsOf,
  type Resolution,
  rangeOf,
  type Shown,
} from './history-points.ts';

const MOST_PRICED_MS = 31 * DAY_MS;
const moment = (description: string) => Type.String({ format: 'date-time', description });

const Query = Type.Object({
  ...OfVendor.properties,
  fields: Type.Optional(
    Type.String({
      description: `Separated by commas, of ${HISTORY_FIELDS.join(', ')}; by default those that the device has had. With cost: what the energy of each quarter, hour or day has cost at the spot prices of the link's price_area. With price: those prices, in \`prices\``,
      examples: ['energy_wh,cost'],
    }),
  ),
  from: Type.Optional(moment('By default a day before `to`, a week for 1h, 31 days for 1d')),
  to: Type.Optional(moment('Not included; by default now')),
  resolution: Type.Optional(
    Type.Enum([...RESOLUTIONS], {
      type: 'string',
      default: 'raw',
      description:
        'raw: a point for each change; quarters and hours are those of UTC, days those of `timezone`',
    }),
  ),
  timezone: Type.Optional(
    Type.String({ default: SWEDISH_ZONE, description: 'Of days: a name of the IANA time zone database' }),
  ),
  format: Type.Optional(
    Type.Enum(['json', 'csv'], {
      type: 'string',
      default: 'json',
      description: 'csv: the points alone',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MOST_ASKED,
      default: PAGE,
      description: 'Points of a page; at most 400 days or 2,500 others are returned',
    }),
  ),
  cursor: Type.Optional(Type.String({ description: 'From the page before' })),
});

const Page = Type.Object(
  {
    device: Type.String(),
    resolution: Type.Enum([...RESOLUTIONS]),
    points: Type.Array(HistoryPoint),
    gaps: Type.Array(Gap, {
      description: 'When nothing is known; other than in raw, where whole quarters, hours or days are not',
    }),
    prices: Type.Optional(
      Type.Object(
        {
          area: Type.Union([Type.Enum([...PRICE_AREAS], { title: 'PriceArea' }), Type.Null()], {
            description: "The link's price_area; null where it has none",
          }),
          currency: Type.Literal('SEK'),
          slots: Type.Array(
            Type.Object({
              start: Type.String({ format: 'date-time' }),
              end: Type.String({ format: 'date-time' }),
              price: decimal('SEK per kWh, an exact decimal number'),
            }),
            {
              description:
                'Quarters or hours as the market has them, hours for 1h, Swedish days for 1d, also where nothing is known of the device and after now; those without a stored price are left out',
            },
          ),
        },
        { description: 'Spot prices of the time of the page, without VAT and tax; with price in fields' },
      ),
    ),
    cursor: Type.Union([Type.String(), Type.Null()], { description: 'Of the next page; null at the end' }),
  },
  {
    title: 'History',
    examples: [
      {
        device: 'charger-u2vsdkcko5',
        resolution: '15m',
        points: [POINT],
        gaps: [],
        cursor: null,
      },
    ],
  },
);

export interface HistoryRoutes {
  readonly devices: Pick<Devices, 'find'>;
  readonly history: Pick<History, 'read' | 'list'>;
  readonly clock: Clock;
}

/** What devices were like. */
export function addHistoryRoutes(app: FastifyInstance, dependencies: HistoryRoutes): void {
  const { devices, history, clock } = dependencies;
  const turns = createHistoryTurns(clock);
  addHistoryListRoute(app, { history, clock, turns });
  app.get(
    '/devices/:id/history',
    {
      config: { access: 'devices:read' },
      schema: {
        operationId: 'getHistory',
        summary: 'Read what a device was like',
        description:
          'Oldest first, for the user that has the device. In quarters, hours and days, powers, temperatures and states of charge are means over the time for which they are known, energy_wh is what the meter has counted, or what follows from the power of a device without one (energy_source), and other fields are the last. The cost is computed when it is read. Returns what is stored and never calls a vendor.',
        tags: ['Devices'],
        params: DeviceId,
        querystring: Query,
        response: {
          200: {
            description: 'A page of points',
            content: {
              'application/json': { schema: Page },
              'text/csv': { schema: Type.String({ description: 'RFC 4180, with a line of names' }) },
            },
          },
        },
        pagination: { cursor: 'cursor', items: 'points', next: 'cursor' },
      },
    },
    async (request, reply) => {
      const { account } = principalOf(request);
      const query = readQuery(Query, request.query);
      const { resolution = 'raw', format = 'json', timezone = SWEDISH_ZONE, limit = PAGE } = query;
      const { fields: wanted, ...asked } = fieldsIn(query.fields, resolution);
      const span = { ...rangeOf(query, resolution, clock.now()), resolution };
      checkPrices(asked, { format, ...span });
      const of = {
        ...span,
        limit: Math.min(limit, MOST[resolution]),
        zone: zoneIn(timezone),
        after: placeIn(query.cursor, resolution),
        fields: wanted,
        ...asked,
      };
      const { row, snapshot: seen } = await devices.find(account, deviceIn(request), vendorIn(request.query));
      const made = await turns.make(
        account,
        () =>
          history.read(
            {
              ...{ account, vendor: row.vendor, device: row.id, deviceType: row.type },
              state: seen?.state,
              fetchedAt: seen?.fetchedAt,
            },
            of,
          ),
        (page) => {
          const shown = { page, resolution, fields: wanted ?? page.fields, zone: of.zone };
          return { ...shown, points: pointsOf(shown) };
        },
      );
      const cursor = made.page.next === null ? null : cursorOf(made.page.next, resolution);
      const path = `/devices/${encodeURIComponent(row.id)}/history`;
      if (cursor !== null) reply.header('link', nextPage(path, request.query, { cursor }));
      if (format === 'csv') return sendCsv(request, reply, { ...made, clock });
      return {
        device: row.id,
        resolution,
        points: made.points,
        gaps: made.page.gaps.map(({ start, end }) => ({ from: rfc3339(start), to: rfc3339(end) })),
        cursor,
        ...(made.page.prices === undefined ? {} : { prices: shownPrices(made.page.prices) }),
      };
    },
  );
}

const shownPrices = ({ area, slots }: AreaPrices) => ({
  area,
  currency: 'SEK',
  slots: slots.map(({ start, end, price }) => ({ start: rfc3339(start), end: rfc3339(end), price })),
});

function sendCsv(
  request: FastifyRequest,
  reply: FastifyReply,
  shown: Shown & { readonly points: Record<string, Cell>[]; readonly clock: Clock },
): Promise<FastifyReply> {
  const columns = columnsOf(shown);
  async function* batches() {
    yield shown.points;
  }
  return sendRows(request, reply, { columns, batches: batches(), format: 'csv', clock: shown.clock });
}

/** Prices are no points, and of changes alone a page has no longest time. */
function checkPrices(
  { isPriceAsked }: Pick<Asked, 'isPriceAsked'>,
  { format, resolution, from, to }: { format: string; resolution: Resolution; from: number; to: number },
): void {
  if (!isPriceAsked) return;
  if (format === 'csv')
    throw new AppError('request.invalid', 'fields has price, which is not in csv; leave out format');
  if (resolution === 'raw' && to - from > MOST_PRICED_MS)
    throw new AppError(
      'request.invalid',
      'fields has price, which is of at most 31 days in raw; ask for a shorter time, or a resolution of 15m, 1h or 1d',
    );
}

const cursorOf = (place: number, resolution: Resolution): string =>
  Buffer.from(`${resolution} ${place}`).toString('base64url');

function placeIn(cursor: string | undefined, resolution: Resolution): number | undefined {
  if (cursor === undefined) return undefined;
  const [of, place = ''] = Buffer.from(cursor, 'base64url').toString('latin1').split(' ');
  if (of === resolution && /^\d{1,13}$/.test(place)) return Number(place);
  throw new AppError(
    'request.invalid',
    'cursor must be one that the history of the device has given at this resolution',
  );
}

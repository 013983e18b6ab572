import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { HISTORY_FIELDS } from '../../../adapter/fields.ts';
import { type Clock, rfc3339 } from '../../../core/clock.ts';
import { decimal } from '../../../core/decimal.ts';
import { DAY_MS } from '../../../core/durations.ts';
import { AppError } from '../../../core/errors.ts';
import { SWEDISH_ZONE } from '../../../core/swedish-days.ts';
import type { Devices } from '../../../domain/devices/devices/index.ts';
import {
  type AreaPrices,
  type Field,
  type History,
  type HistoryPage,
  RESOLUTIONS,
  shownAs,
} from '../../../domain/records/history/index.ts';
import { createFairSemaphore } from '../../../http/fair-semaphore.ts';
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

type Resolution = (typeof RESOLUTIONS)[number];

const PAGE = 1_000;
/**
 * Points of a page at most, whatever is asked for: while a page is made, the process does nothing else. A page of days is made of up to
 * 100 quarters for each.
 */
const MOST: Readonly<Record<Resolution, number>> = { raw: 2_500, '15m': 2_500, '1h': 2_500, '1d': 400 };
const MOST_ASKED = 10_000;
/** Pages that are made at the same time: the others wait for their turn, and nobody waits for those of one account alone. */
const PAGES = { what: 'pages of history', count: 4, mostOfAccount: 2, waitMs: 30_000 };
/** Where no `from` is given. */
const SPAN_MS: Readonly<Record<Resolution, number>> = {
  raw: DAY_MS,
  '15m': DAY_MS,
  '1h': 7 * DAY_MS,
  '1d': 31 * DAY_MS,
};
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

const Value = Type.Union([Type.Integer(), Type.Boolean(), Type.Null()]);
const Page = Type.Object(
  {
    device: Type.String(),
    resolution: Type.Enum([...RESOLUTIONS]),
    points: Type.Array(
      Type.Object(
        {
          start: Type.String({ format: 'date-time' }),
          end: Type.String({ format: 'date-time' }),
          covered: Type.Optional(
            Type.Number({
              minimum: 0,
              maximum: 1,
              description: 'The share of the time for which the state is known; not in raw',
            }),
          ),
          cost: Type.Optional(
            Type.Union([decimal('SEK', '1.162788'), Type.Null()], {
              description:
                'Of energy_wh, without VAT, tax and the fees of grid and supplier; an exact decimal number, negative where the price was; null where it is not known for all of it',
            }),
          ),
          currency: Type.Optional(Type.Literal('SEK')),
          cost_missing: Type.Optional(
            Type.Union([Type.String(), Type.Null()], { description: 'Why cost is null' }),
          ),
        },
        { title: 'HistoryPoint', additionalProperties: Value },
      ),
    ),
    gaps: Type.Array(
      Type.Object(
        { from: Type.String({ format: 'date-time' }), to: Type.String({ format: 'date-time' }) },
        { title: 'Gap' },
      ),
      {
        description: 'When nothing is known; other than in raw, where whole quarters, hours or days are not',
      },
    ),
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
        points: [
          {
            start: '2026-11-21T17:00:00.000Z',
            end: '2026-11-21T17:15:00.000Z',
            covered: 1,
            power_w: 11_040,
            energy_wh: 2_760,
            cost: '1.162788',
            currency: 'SEK',
            cost_missing: null,
          },
        ],
        gaps: [],
        cursor: null,
      },
    ],
  },
);

export interface HistoryRoutes {
  readonly devices: Pick<Devices, 'find'>;
  readonly history: Pick<History, 'read'>;
  readonly clock: Clock;
}

/** What devices were like. */
export function addHistoryRoutes(app: FastifyInstance, dependencies: HistoryRoutes): void {
  const { devices, history, clock } = dependencies;
  const slots = createFairSemaphore({ ...PAGES, clock });
  let lastTurn: Promise<unknown> = Promise.resolve();
  /** Half a page at most is made in a turn of the event loop: a request of somebody else needs several turns, and waits for all that is done in each. */
  const ownTurn = (): Promise<unknown> => {
    lastTurn = lastTurn.then(() => setImmediate());
    return lastTurn;
  };
  app.get(
    '/devices/:id/history',
    {
      config: { access: 'devices:read' },
      schema: {
        operationId: 'getHistory',
        summary: 'Read what a device was like',
        description:
          'Oldest first, for the user that has the device. In quarters, hours and days, powers, temperatures and states of charge are means over the time for which they are known, energy_wh is what the meter has counted, and other fields are the last. The cost is computed when it is read. Returns what is stored and never calls a vendor.',
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
      let made: Shown & { readonly points: Record<string, Cell>[] };
      const leave = await slots.take(account);
      try {
        await ownTurn();
        const page = await history.read(
          {
            ...{ account, vendor: row.vendor, device: row.id, deviceType: row.type },
            state: seen?.state,
            fetchedAt: seen?.fetchedAt,
          },
          of,
        );
        await ownTurn();
        const fields = wanted ?? page.fields;
        made = { page, resolution, fields, points: pointsOf({ page, resolution, fields }) };
      } finally {
        leave();
      }
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

/** Each with what it costs, and why it does not. */
const COST_COLUMNS = ['cost', 'currency', 'cost_missing'];

interface Asked {
  /** Undefined for those that the device has had. */
  readonly fields: readonly Field[] | undefined;
  readonly isCostAsked: boolean;
  readonly isPriceAsked: boolean;
}

interface Shown {
  readonly page: HistoryPage;
  readonly resolution: Resolution;
  readonly fields: readonly Field[];
}

const pointsOf = ({ page, resolution, fields }: Shown): Record<string, Cell>[] =>
  page.points.map(({ start, end, covered, values }, index) => {
    const point: Record<string, Cell> = { start: rfc3339(start), end: rfc3339(end) };
    if (resolution !== 'raw') point.covered = covered;
    for (const field of fields) point[field] = shownAs(field, values[field]);
    const cost = page.costs?.[index];
    if (cost !== undefined)
      Object.assign(point, { cost: cost.cost, currency: 'SEK', cost_missing: cost.missing });
    return point;
  });

function sendCsv(
  request: FastifyRequest,
  reply: FastifyReply,
  shown: Shown & { readonly points: Record<string, Cell>[]; readonly clock: Clock },
): Promise<FastifyReply> {
  const columns = [
    ...['start', 'end', ...(shown.resolution === 'raw' ? [] : ['covered']), ...shown.fields],
    ...(shown.page.costs === undefined ? [] : COST_COLUMNS),
  ];
  async function* batches() {
    yield shown.points;
  }
  return sendRows(request, reply, { columns, batches: batches(), format: 'csv', clock: shown.clock });
}

function fieldsIn(text: string | undefined, resolution: Resolution): Asked {
  if (text === undefined) return { fields: undefined, isCostAsked: false, isPriceAsked: false };
  const asked = new Set(text.split(',').map((name) => name.trim()));
  const isCostAsked = asked.delete('cost');
  const isPriceAsked = asked.delete('price');
  if (isCostAsked && resolution === 'raw')
    throw new AppError('request.invalid', 'fields has cost, which needs a resolution of 15m, 1h or 1d');
  const unknown = [...asked].find((name) => !HISTORY_FIELDS.some((field) => field === name));
  if (unknown === undefined)
    return { fields: HISTORY_FIELDS.filter((field) => asked.has(field)), isCostAsked, isPriceAsked };
  throw new AppError(
    'request.invalid',
    `fields has ${JSON.stringify(unknown.slice(0, 100))}, which is no field of history; there are ${HISTORY_FIELDS.join(', ')}, cost, price`,
  );
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

function rangeOf(
  given: { readonly from?: string; readonly to?: string },
  resolution: Resolution,
  now: number,
): { readonly from: number; readonly to: number } {
  const to = given.to === undefined ? now : Date.parse(given.to);
  const from = given.from === undefined ? to - SPAN_MS[resolution] : Date.parse(given.from);
  if (from < to) return { from, to };
  throw new AppError(
    'request.invalid',
    `from must be before to, which is ${given.to === undefined ? 'now by default' : given.to}`,
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

import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { DeviceTypeSchema } from '../../../adapter/device.ts';
import { HISTORY_FIELDS } from '../../../adapter/fields.ts';
import { type Clock, rfc3339 } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import { faultInText } from '../../../core/json.ts';
import { SWEDISH_ZONE } from '../../../core/swedish-days.ts';
import type { History, ListPlace } from '../../../domain/records/history/index.ts';
import { nextPage } from '../../../http/next-page.ts';
import { principalOf, readQuery, vendorSlug, zoneIn } from '../input/parameters.ts';
import { responses } from '../schemas.ts';
import {
  fieldsIn,
  Gap,
  HistoryPoint,
  type HistoryTurns,
  MOST,
  MOST_ASKED,
  PAGE,
  POINT,
  pointsOf,
  rangeOf,
} from './history-points.ts';

const RESOLUTIONS = ['15m', '1h', '1d'] as const;
type Resolution = (typeof RESOLUTIONS)[number];

/** The years 0 to 9999, which times of queries are in, ms before or after 1970. */
const MOST_MS = 260_000_000_000_000;
/** Ids in one call. */
const MOST_IDS = 100;
const moment = (description: string) => Type.String({ format: 'date-time', description });

const Query = Type.Object({
  user_ref: Type.Optional(Type.String({ description: 'Whose devices; by default those of all users' })),
  vendor: Type.Optional(Type.String({ description: 'Vendor slug' })),
  devices: Type.Optional(
    Type.String({
      description: `Ids of devices, separated by commas, at most ${MOST_IDS}; by default all`,
      examples: ['charger-u2vsdkcko5,light-0mtz4ixn1k'],
    }),
  ),
  resolution: Type.Optional(
    Type.Enum([...RESOLUTIONS], {
      type: 'string',
      default: '1d',
      description: 'Quarters and hours are those of UTC, days those of `timezone`',
    }),
  ),
  from: Type.Optional(moment('By default a day before `to`, a week for 1h, 31 days for 1d')),
  to: Type.Optional(moment('Not included; by default now')),
  timezone: Type.Optional(
    Type.String({ default: SWEDISH_ZONE, description: 'Of days: a name of the IANA time zone database' }),
  ),
  fields: Type.Optional(
    Type.String({
      description: `Separated by commas, of ${HISTORY_FIELDS.join(', ')}; by default those that each device has had. With cost: what its energy has cost, as in the history of a device`,
      examples: ['energy_wh,cost'],
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MOST_ASKED,
      default: PAGE,
      description:
        'Quarters, hours or days of a page, of all of its devices together, also those of which nothing is known; at most 400 days or 2,500 others are returned',
    }),
  ),
  cursor: Type.Optional(Type.String({ description: 'From the page before' })),
});

const Page = Type.Object(
  {
    resolution: Type.Enum([...RESOLUTIONS]),
    timezone: Type.String({ description: 'Of days' }),
    devices: Type.Array(
      Type.Object(
        {
          device: Type.String(),
          vendor: Type.String(),
          device_type: DeviceTypeSchema,
          user_ref: Type.String({ description: 'The end user whose device it is' }),
          points: Type.Array(HistoryPoint, { description: 'Oldest first' }),
          gaps: Type.Array(Gap, {
            description: 'Whole quarters, hours or days of which nothing is known',
          }),
        },
        { title: 'DeviceHistory' },
      ),
      {
        description:
          'By vendor and id. A device whose points do not fit into a page goes on in the next one, and is alone in each of them',
      },
    ),
    cursor: Type.Union([Type.String(), Type.Null()], { description: 'Of the next page; null at the end' }),
  },
  {
    title: 'HistoryList',
    examples: [
      {
        resolution: '15m',
        timezone: SWEDISH_ZONE,
        devices: [
          {
            ...{ device: 'charger-u2vsdkcko5', vendor: 'sandbox', device_type: 'charger', user_ref: 'anna' },
            ...{ points: [POINT], gaps: [] },
          },
        ],
        cursor: null,
      },
    ],
  },
);

export interface HistoryListRoute {
  readonly history: Pick<History, 'list'>;
  readonly clock: Clock;
  readonly turns: HistoryTurns;
}

/** What many devices were like. */
export function addHistoryListRoute(app: FastifyInstance, { history, clock, turns }: HistoryListRoute): void {
  app.get(
    '/history',
    {
      config: { access: 'devices:read' },
      schema: {
        operationId: 'listHistory',
        summary: 'Read what many devices were like',
        description:
          'Quarters, hours or days of the devices of one user, of those that are named, or of all, each for the user that has it, as GET /devices/{id}/history has them. Returns what is stored and never calls a vendor.',
        tags: ['Devices'],
        querystring: Query,
        response: responses(Page, [404]),
        pagination: { cursor: 'cursor', items: 'devices', next: 'cursor' },
      },
    },
    async (request, reply) => {
      const { account } = principalOf(request);
      const query = readQuery(Query, request.query);
      const { resolution = '1d', timezone = SWEDISH_ZONE, limit = PAGE } = query;
      const { fields, isCostAsked, isPriceAsked } = fieldsIn(query.fields, resolution);
      if (isPriceAsked)
        throw new AppError(
          'request.invalid',
          'fields has price, which only GET /devices/{id}/history has; leave it out',
        );
      const place = query.cursor === undefined ? undefined : placeIn(query.cursor, resolution);
      // All pages are of one time, also where none is given.
      const span = place?.span ?? rangeOf(query, resolution, clock.now());
      const zone = zoneIn(timezone);
      const made = await turns.make(
        account,
        () =>
          history.list(account, {
            ...{ ...span, resolution, zone, fields, isCostAsked, place },
            ...{ userRef: query.user_ref, ids: idsIn(query.devices) },
            vendor: query.vendor === undefined ? undefined : vendorSlug(query.vendor),
            limit: Math.min(limit, MOST[resolution]),
          }),
        ({ devices, next }) => ({
          next,
          devices: devices.map(({ id, vendor, deviceType, userRef, page }) => ({
            ...{ device: id, vendor, device_type: deviceType, user_ref: userRef },
            points: pointsOf({ page, resolution, fields: fields ?? page.fields, zone }),
            gaps: page.gaps.map(({ start, end }) => ({ from: rfc3339(start), to: rfc3339(end) })),
          })),
        }),
      );
      const cursor = made.next === null ? null : cursorOf({ ...made.next, span }, resolution);
      if (cursor !== null) reply.header('link', nextPage('/history', request.query, { cursor }));
      return { resolution, timezone: zone, devices: made.devices, cursor };
    },
  );
}

function idsIn(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const ids = [...new Set(text.split(',').map((id) => id.trim()))];
  if (ids.length <= MOST_IDS && !ids.includes('')) return ids;
  throw new AppError(
    'request.invalid',
    `devices must have from 1 to ${MOST_IDS} ids, separated by commas, such as charger-u2vsdkcko5,light-0mtz4ixn1k`,
  );
}

interface CursorPlace extends ListPlace {
  readonly span: { readonly from: number; readonly to: number };
}

const cursorOf = ({ vendor, id, at, span }: CursorPlace, resolution: Resolution): string =>
  Buffer.from(JSON.stringify([resolution, span.from, span.to, at, vendor, id])).toString('base64url');

function placeIn(cursor: string, resolution: Resolution): CursorPlace {
  const [of, from, to, at, vendor, id, ...more] = listIn(cursor);
  const isTime = (value: unknown): value is number =>
    Number.isSafeInteger(value) && Math.abs(Number(value)) <= MOST_MS;
  const isName = (value: unknown): value is string =>
    typeof value === 'string' && faultInText(value, 'cursor') === null;
  const isPlace = isName(vendor) && isName(id) && (at === null || isTime(at)) && more.length === 0;
  if (of === resolution && isTime(from) && isTime(to) && from < to && isPlace)
    return { vendor, id, at, span: { from, to } };
  throw new AppError(
    'request.invalid',
    'cursor must be one that the history of devices has given at this resolution',
  );
}

/** What a cursor has; nothing where it is none. */
function listIn(cursor: string): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

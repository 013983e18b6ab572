import { setImmediate } from 'node:timers/promises';
import Type from 'typebox';
import { HISTORY_FIELDS } from '../../../adapter/fields.ts';
import { type Clock, rfc3339 } from '../../../core/clock.ts';
import { decimal } from '../../../core/decimal.ts';
import { DAY_MS } from '../../../core/durations.ts';
import { AppError } from '../../../core/errors.ts';
import {
  dateAt,
  type Field,
  type HistoryPage,
  type RESOLUTIONS,
  shownAs,
} from '../../../domain/records/history/index.ts';
import { createFairSemaphore } from '../../../http/fair-semaphore.ts';
import type { Cell } from '../../../http/rows.ts';

/** How fine points are. */
export type Resolution = (typeof RESOLUTIONS)[number];

/** Points of a page where no limit is given. */
export const PAGE = 1_000;
/**
 * Points of a page at most, whatever is asked for: while a page is made, the process does nothing else. A page of days is made of up to
 * 100 quarters for each.
 */
export const MOST: Readonly<Record<Resolution, number>> = {
  raw: 2_500,
  '15m': 2_500,
  '1h': 2_500,
  '1d': 400,
};
/** The greatest limit that is not refused. */
export const MOST_ASKED = 10_000;
/** Pages that are made at the same time: the others wait for their turn, and nobody waits for those of one account alone. */
const PAGES = { what: 'pages of history', count: 4, mostOfAccount: 2, waitMs: 30_000 };
/** Where no `from` is given. */
const SPAN_MS: Readonly<Record<Resolution, number>> = {
  raw: DAY_MS,
  '15m': DAY_MS,
  '1h': 7 * DAY_MS,
  '1d': 31 * DAY_MS,
};
const Value = Type.Union([Type.Integer(), Type.Boolean(), Type.Null()]);
/** What a device was like from a moment or for a quarter, an hour or a day. */
export const HistoryPoint = Type.Object(
  {
    start: Type.String({ format: 'date-time' }),
    end: Type.String({ format: 'date-time' }),
    date: Type.Optional(
      Type.String({
        format: 'date',
        description: 'The calendar day in `timezone`, with 1d alone',
        examples: ['2026-11-21'],
      }),
    ),
    covered: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'The share of the time for which the state is known; not in raw',
      }),
    ),
    energy_source: Type.Optional(
      Type.Union([Type.Enum(['meter', 'power']), Type.Null()], {
        description:
          'How energy_wh is known. meter: counted by the meter. power: derived, of a device that has never had a meter: its power over the time for which that is known, without what it has given back. null with energy_wh; not in raw',
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
    cost_known: Type.Optional(
      Type.Union([decimal('SEK', '1.162788'), Type.Null()], {
        description:
          'Of priced_wh: the part of energy_wh of which it is known when it was used, and what that has cost; the same as cost where cost is known; null where no energy has a price',
      }),
    ),
    priced_wh: Type.Optional(
      Type.Union([Type.Integer(), Type.Null()], {
        description: 'The energy that cost_known is of, watt-hours; null with it',
      }),
    ),
  },
  { title: 'HistoryPoint', additionalProperties: Value },
);

/** A point as it is in examples. */
export const POINT = {
  start: '2026-11-21T17:00:00.000Z',
  end: '2026-11-21T17:15:00.000Z',
  covered: 1,
  power_w: 11_040,
  energy_wh: 2_760,
  energy_source: 'meter',
  cost: '1.162788',
  currency: 'SEK',
  cost_missing: null,
  cost_known: '1.162788',
  priced_wh: 2_760,
};

/** When nothing is known. */
export const Gap = Type.Object(
  { from: Type.String({ format: 'date-time' }), to: Type.String({ format: 'date-time' }) },
  { title: 'Gap' },
);

/** The turns of pages of history, of all routes that make some. */
export interface HistoryTurns {
  /** Reads a page, and makes what is sent of it, when it is its turn. Throws `limit.busy` where it comes too late. */
  make<P, T>(account: number, read: () => Promise<P>, show: (read: P) => T): Promise<T>;
}

export function createHistoryTurns(clock: Clock): HistoryTurns {
  const slots = createFairSemaphore({ ...PAGES, clock });
  let lastTurn: Promise<unknown> = Promise.resolve();
  /** Half a page at most is made in a turn of the event loop: a request of somebody else needs several turns, and waits for all that is done in each. */
  const ownTurn = (): Promise<unknown> => {
    lastTurn = lastTurn.then(() => setImmediate());
    return lastTurn;
  };
  return {
    async make(account, read, show) {
      const leave = await slots.take(account);
      try {
        await ownTurn();
        const found = await read();
        await ownTurn();
        return show(found);
      } finally {
        leave();
      }
    },
  };
}

/** Each with what it costs, and why it does not. */
const COST_COLUMNS = ['cost', 'currency', 'cost_missing', 'cost_known', 'priced_wh'];

/** What `fields` of a query has. */
export interface Asked {
  /** Undefined for those that the device has had. */
  readonly fields: readonly Field[] | undefined;
  readonly isCostAsked: boolean;
  readonly isPriceAsked: boolean;
}

/** A page as it is asked for. */
export interface Shown {
  readonly page: HistoryPage;
  readonly resolution: Resolution;
  readonly fields: readonly Field[];
  /** Of days. */
  readonly zone: string;
}

/** Names of the columns of points. */
export const columnsOf = ({ page, resolution, fields }: Shown): string[] => [
  ...['start', 'end', ...(resolution === '1d' ? ['date'] : [])],
  ...(resolution === 'raw' ? fields : ['covered', ...fields.flatMap(withSource)]),
  ...(page.costs === undefined ? [] : COST_COLUMNS),
];

const withSource = (field: Field): string[] => (field === 'energy_wh' ? [field, 'energy_source'] : [field]);

/** Points as they are sent. */
export const pointsOf = ({ page, resolution, fields, zone }: Shown): Record<string, Cell>[] =>
  page.points.map(({ start, end, covered, values }, index) => {
    const point: Record<string, Cell> = { start: rfc3339(start), end: rfc3339(end) };
    if (resolution === '1d') point.date = dateAt(start, zone);
    if (resolution !== 'raw') point.covered = covered;
    for (const field of fields) {
      point[field] = shownAs(field, values[field]);
      if (field === 'energy_wh' && resolution !== 'raw')
        point.energy_source = values.energy_wh == null ? null : (page.energyBy ?? null);
    }
    const cost = page.costs?.[index];
    if (cost !== undefined)
      Object.assign(point, {
        ...{ cost: cost.cost, currency: 'SEK', cost_missing: cost.missing },
        ...{ cost_known: cost.known?.cost ?? null, priced_wh: cost.known?.wh ?? null },
      });
    return point;
  });

/** Reads `fields`. Throws `request.invalid`, which names what is no field. */
export function fieldsIn(text: string | undefined, resolution: Resolution): Asked {
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

/** The time that is asked for, ms since 1970 UTC. Throws `request.invalid` where it ends before it begins. */
export function rangeOf(
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

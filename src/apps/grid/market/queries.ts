import Type from 'typebox';
import { DAY_MS } from '../../../core/durations.ts';
import { type Bounds, dayBounds, midnight } from '../../../core/swedish-days.ts';
import { Temporal } from '../../../core/temporal.ts';
import { ValidationError } from '../../../http/errors.ts';
import { PRICE_AREAS, type PriceArea } from '../../../sources/contract/market.ts';
import { parse } from '../input/parameters.ts';

/** Five years with their leap days. */
const MOST_DAYS = 1_827;

/** `area`: one, or all where it is empty. */
export const AreaParameter = Type.Optional(
  Type.String({
    enum: ['', ...PRICE_AREAS],
    default: '',
    description: 'SE1, SE2, SE3 or SE4, not case-sensitive; empty for all',
  }),
);

export const AreaQuery = Type.Object({ area: AreaParameter });

const MOMENT_HELP = 'a day (2026-11-21) or a time (2026-11-21T13:00:00Z, 2026-11-21T14:00:00+01:00)';

export const HistoryQuery = Type.Object({
  area: AreaParameter,
  from: Type.String({ description: `First slot: ${MOMENT_HELP}`, examples: ['2026-11-20'] }),
  to: Type.Optional(
    Type.String({
      default: '',
      description: `Last slot: a day (included) or a time (excluded); empty for everything known. At most five years`,
    }),
  ),
  resolution: Type.Optional(
    Type.Enum(['slot', 'hour', 'day'], {
      default: 'slot',
      description:
        'slot: slots as they are. hour, day: means of each hour or Swedish day, weighted by length',
    }),
  ),
  format: Type.Optional(
    Type.String({
      enum: ['', 'json', 'csv'],
      default: '',
      description: 'Default: by the header Accept, else JSON',
    }),
  ),
});

/** What nearly all callers send, which need not be parsed. */
const USUAL = new Map<unknown, readonly PriceArea[]>([
  [undefined, PRICE_AREAS],
  ['', PRICE_AREAS],
  ...PRICE_AREAS.map((area) => [area, [area]] as const),
]);

/** The areas that a request is about, in the order of their numbers. */
export function areasOf(query: unknown): readonly PriceArea[] {
  const usual = USUAL.get((query as { readonly area?: unknown }).area);
  if (usual !== undefined) return usual;
  const { area } = parse(AreaQuery, { place: 'query', sent: withArea(query) });
  return area === '' ? PRICE_AREAS : PRICE_AREAS.filter((one) => one === area);
}

export interface HistoryRange {
  readonly areas: readonly PriceArea[];
  /** ms since 1970 UTC; `until` is not included. */
  readonly from: number;
  readonly until: number;
  readonly resolution: 'slot' | 'hour' | 'day';
  readonly format: 'json' | 'csv' | '';
}

/** What of the past is asked for; `now` is where an open end is counted from. */
export function historyOf(query: unknown, now: number): HistoryRange {
  const sent = withArea(query);
  const rules = { from: faultInMoment, to: (text: string) => (text === '' ? null : faultInMoment(text)) };
  const { from: first, to: last, resolution, format } = parse(HistoryQuery, { place: 'query', sent, rules });
  const from = spanOf(first).start;
  // Tomorrow is the last day that a price can be known of.
  const until = last === '' ? midnight(now, 2) : isDay(last) ? spanOf(last).end : spanOf(last).start;
  if (until <= from) throw invalidQuery('to', { input: last, error: 'to must lie after from' });
  if (until - from > MOST_DAYS * DAY_MS + 1) {
    const error = 'from and to must be at most five years apart; request the rest separately';
    throw invalidQuery('to', { input: last, error });
  }
  return {
    areas: areasOf(query),
    from,
    until,
    resolution,
    format: format === 'json' || format === 'csv' ? format : '',
  };
}

/** A parameter that no keyword of its schema finds wrong, in the shape of pydantic's own checks. */
export function invalidQuery(
  name: string,
  { input, error }: { readonly input: unknown; readonly error: string },
): ValidationError {
  const loc = ['query', name];
  return new ValidationError([
    { type: 'value_error', loc, msg: `Value error, ${error}`, input, ctx: { error } },
  ]);
}

/** An area is taken in either case; an empty one is one that was not sent. */
export function withArea(query: unknown): Readonly<Record<string, unknown>> {
  const { area, format, ...rest } = query as Readonly<Record<string, unknown>>;
  const last = Array.isArray(area) ? area.at(-1) : area;
  const upper = typeof last === 'string' ? last.toUpperCase() : undefined;
  const isKnown = PRICE_AREAS.some((one) => one === upper);
  return {
    ...rest,
    ...(last === '' || last === undefined ? {} : { area: isKnown ? upper : last }),
    ...(format === '' || format === undefined ? {} : { format }),
  };
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

const isDay = (text: string) => DAY.test(text);

function faultInMoment(text: string): string | null {
  const fault = `it must be ${MOMENT_HELP}`;
  try {
    if (!isDay(text) && !MOMENT.test(mended(text))) return fault;
    spanOf(text);
    return null;
  } catch {
    return fault;
  }
}

/** The + of an offset that was not percent-encoded arrives as a space. */
function mended(text: string): string {
  return text.replace(/ (?=\d{2}:\d{2}$)/, '+');
}

/** A day in Sweden from midnight to midnight; a moment is its own end. */
function spanOf(text: string): Bounds {
  if (!isDay(text)) {
    const at = Temporal.Instant.from(mended(text)).epochMilliseconds;
    return { start: at, end: at };
  }
  return dayBounds(text);
}

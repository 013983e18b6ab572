import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { rfc3339 } from '../../../core/clock.ts';
import { Temporal } from '../../../core/temporal.ts';
import type { Backfill } from '../../../domain/market/prices/index.ts';
import { actorOf, adminRoute } from '../administration/route.ts';
import { parse } from '../input/parameters.ts';
import { type BackfillChanges, beginBackfill, cancelBackfill } from '../market/backfill-changes.ts';
import { AreaParameter, areasOf, invalidQuery, withArea } from '../market/queries.ts';
import { Backfill as BackfillShape } from '../market/schemas.ts';

const DAY_PATTERN = '^\\d{4}-\\d{2}-\\d{2}$';
const BackfillQuery = Type.Object({
  from: Type.String({
    pattern: DAY_PATTERN,
    description: 'First day, such as 2024-01-01',
    examples: ['2026-11-01'],
  }),
  to: Type.String({
    pattern: DAY_PATTERN,
    description: 'Last day, included',
    examples: ['2026-11-20'],
  }),
  area: AreaParameter,
  refresh: Type.Optional(
    Type.Boolean({ default: false, description: 'Fetch days that are already stored as well' }),
  ),
});
/** Parameters by what the domain calls them. */
const NAMES = { from: 'from', until: 'to', areas: 'area' } as const;
const BackfillPath = Type.Object({ backfill_id: Type.String() });

/** Fetching prices of past days, one back-fill at a time. */
export function addBackfillRoutes(app: FastifyInstance, { prices, accounts }: BackfillChanges): void {
  const { backfill } = prices;
  const idOf = (params: unknown) => parse(BackfillPath, { place: 'path', sent: params }).backfill_id;

  app.post(
    '/admin/prices/backfill',
    adminRoute({
      operationId: 'startBackfill',
      summary: 'Start a back-fill: fetch the prices of past days, one after the other',
      query: BackfillQuery,
      answer: BackfillShape,
      errors: { 409: 'A back-fill is already running, or fetching is disabled' },
    }),
    async (request) => {
      const sent = withArea(request.query);
      const rules = { from: faultInDay, to: faultInDay };
      const { from, to, refresh } = parse(BackfillQuery, { place: 'query', sent, rules });
      const areas = areasOf(request.query);
      const asked = { from, until: to, areas, refresh };
      const fault = backfill.faultIn(asked);
      if (fault !== null) {
        const name = NAMES[fault.field];
        throw invalidQuery(name, { input: Reflect.get(sent, name), error: `it ${fault.reason}` });
      }
      const begun = await beginBackfill({ prices, accounts }, asked, actorOf(request));
      return shown(begun);
    },
  );

  app.get(
    '/admin/prices/backfill',
    adminRoute({
      operationId: 'listBackfills',
      summary: 'List back-fills, newest first',
      answer: Type.Array(BackfillShape),
    }),
    async () => (await backfill.list()).map(shown),
  );

  const errors = { 404: 'No such back-fill' };
  app.get(
    '/admin/prices/backfill/:backfill_id',
    adminRoute({
      operationId: 'getBackfill',
      summary: 'Read the progress of a back-fill',
      path: BackfillPath,
      answer: BackfillShape,
      errors,
    }),
    async (request) => shown(await backfill.get(idOf(request.params))),
  );

  app.delete(
    '/admin/prices/backfill/:backfill_id',
    adminRoute({
      operationId: 'cancelBackfill',
      summary: 'Cancel a back-fill; what it has stored stays',
      path: BackfillPath,
      answer: BackfillShape,
      errors,
    }),
    async (request) => {
      const id = idOf(request.params);
      const { backfill } = await cancelBackfill({ prices, accounts }, id, actorOf(request));
      return shown(backfill);
    },
  );
}

function shown({ until, created_at, updated_at, finished_at, ...rest }: Backfill) {
  return {
    ...rest,
    to: until,
    created_at: rfc3339(created_at),
    updated_at: rfc3339(updated_at),
    finished_at: finished_at === null ? null : rfc3339(finished_at),
  };
}

function faultInDay(text: string): string | null {
  try {
    Temporal.PlainDate.from(text, { overflow: 'reject' });
    return null;
  } catch {
    return 'it must be a day of the calendar such as 2024-01-01';
  }
}

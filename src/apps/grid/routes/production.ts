import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { type Clock, rfc3339 } from '../../../core/clock.ts';
import type { HistoricProduction, Produced, Production } from '../../../domain/market/production/index.ts';
import { sendCacheable } from '../../../http/cacheable.ts';
import type { OpenResponses } from '../../../http/open-responses.ts';
import type { Cell } from '../../../http/rows.ts';
import { HistoryQuery, historyOf } from '../market/queries.ts';
import {
  columnsOf,
  HistoricProduction as HistoricShape,
  Produced as ProducedShape,
} from '../market/schemas.ts';
import { HISTORY_AS_CSV, sendHistory } from '../market/send-history.ts';
import { dataRoute } from '../responses/data-route.ts';
import { createVersionedResponses } from '../responses/versioned.ts';

const TAG = 'Production';
/** Figures come a day late; five minutes more harm nobody. */
const SECONDS = 300;
const NONE = { 503: 'No production is known: with what was tried, and when the next attempt is' };

interface ProductionRoutes {
  readonly production: Production;
  readonly clock: Clock;
  /** Answers of history that may be open at a time, of prices and production together. */
  readonly histories: OpenResponses;
}

/** Production by area and kind, MW. */
export function addProductionRoutes(
  app: FastifyInstance,
  { production, clock, histories }: ProductionRoutes,
): void {
  // The list stays the same one until other figures are known.
  const responses = createVersionedResponses(() => production.current());

  app.get(
    '/api/v1/production/current',
    dataRoute({
      tag: TAG,
      operationId: 'listCurrentProduction',
      summary: 'Read the latest settled production of each area',
      description: 'Settled about a day later, and revised afterwards.',
      answer: Type.Array(ProducedShape),
      errors: NONE,
    }),
    (request, reply) => {
      const answer = responses('current', () => production.current().map(shown));
      return sendCacheable(request, reply, { ...answer, seconds: SECONDS });
    },
  );

  const columns = columnsOf(HistoricShape);
  app.get<{ Querystring: Record<string, unknown> }>(
    '/api/v1/production/history',
    dataRoute({
      tag: TAG,
      operationId: 'listProductionHistory',
      summary: 'Export stored production as JSON or CSV',
      description:
        'By area, then time. The response is streamed; on an error the connection is closed before the end.',
      query: HistoryQuery,
      answer: Type.Array(HistoricShape),
      streamed: HISTORY_AS_CSV,
      errors: NONE,
    }),
    (request, reply) => {
      const range = historyOf(request.query, clock.now());
      return sendHistory(request, reply, {
        range,
        clock,
        limit: histories,
        columns,
        read: production.history,
        shown: shownHistoric,
      });
    },
  );
}

function shown({ area, start, end, total, hydro, nuclear, wind, solar, thermal, other, source }: Produced) {
  const moments = { area, start: rfc3339(start), end: rfc3339(end) };
  return { ...moments, unit: 'MW', total, hydro, nuclear, wind, solar, thermal, other, source };
}

function shownHistoric(row: HistoricProduction): Record<string, Cell> {
  return { ...shown(row), covered_min: row.covered_min };
}

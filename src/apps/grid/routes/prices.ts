import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Clock } from '../../../core/clock.ts';
import type { Prices } from '../../../domain/market/prices/index.ts';
import { sendCacheable } from '../../../http/cacheable.ts';
import { openToAllOrigins } from '../../../http/cors.ts';
import { createEventStreams } from '../../../http/event-stream.ts';
import { createOpenResponses, type OpenResponses } from '../../../http/open-responses.ts';
import { createPriceEvents } from '../market/price-events.ts';
import { AreaQuery, areasOf, HistoryQuery, historyOf } from '../market/queries.ts';
import { CurrentPrices, columnsOf, HistoricPrice, PriceEventData, SpotPrice } from '../market/schemas.ts';
import { HISTORY_AS_CSV, sendHistory } from '../market/send-history.ts';
import { shownCurrent, shownHistoric, shownSpot } from '../market/shown-prices.ts';
import { dataRoute } from '../responses/data-route.ts';
import { createVersionedResponses } from '../responses/versioned.ts';

const TAG = 'Prices';
/** A new day or a correction is seen this late by who does not ask again. */
const MOST_SECONDS = 60;
const NONE = { 503: 'No price is known: with what was tried, and when the next attempt is' };

interface PriceRoutes {
  readonly prices: Prices;
  readonly clock: Clock;
  readonly stopping: AbortSignal;
  /** Answers of history that may be open at a time, of prices and production together. */
  readonly histories: OpenResponses;
}

/** Day-ahead prices without VAT and tax: now and ahead, of the past, and as they change. */
export function addPriceRoutes(
  app: FastifyInstance,
  { prices, clock, stopping, histories }: PriceRoutes,
): void {
  const responses = createVersionedResponses(() => prices.version());
  const streams = createEventStreams({ clock, stopping, limit: createOpenResponses({ name: 'streams' }) });
  const events = createPriceEvents(prices, clock);
  const seconds = () => Math.min(MOST_SECONDS, (prices.validUntil() - clock.now()) / 1_000);

  app.get<{ Querystring: Record<string, unknown> }>(
    '/api/v1/prices/spot',
    dataRoute({
      tag: TAG,
      operationId: 'listSpotPrices',
      summary: 'List prices from the current slot on',
      description: 'By area, then time. The items can be sent to POST /optimize/plan as they are.',
      query: AreaQuery,
      answer: Type.Array(SpotPrice),
      errors: NONE,
    }),
    (request, reply) => {
      const areas = areasOf(request.query);
      const answer = responses(`spot ${areas.join()}`, () => prices.spot(areas).map(shownSpot));
      return sendCacheable(request, reply, { ...answer, seconds: seconds() });
    },
  );

  app.get(
    '/api/v1/prices/current',
    dataRoute({
      tag: TAG,
      operationId: 'getCurrentPrices',
      summary: 'Read the current price and the mean of the day, by area',
      answer: CurrentPrices,
      errors: NONE,
    }),
    (request, reply) => {
      const answer = responses('current', () => shownCurrent(prices.current()));
      return sendCacheable(request, reply, { ...answer, seconds: seconds() });
    },
  );

  const columns = columnsOf(HistoricPrice);
  app.get<{ Querystring: Record<string, unknown> }>(
    '/api/v1/prices/history',
    dataRoute({
      tag: TAG,
      operationId: 'listPriceHistory',
      summary: 'Export stored prices as JSON or CSV',
      description:
        'By area, then time. The response is streamed; on an error the connection is closed before the end. Never includes the sample day.',
      query: HistoryQuery,
      answer: Type.Array(HistoricPrice),
      streamed: HISTORY_AS_CSV,
    }),
    (request, reply) => {
      const range = historyOf(request.query, clock.now());
      return sendHistory(request, reply, {
        range,
        clock,
        limit: histories,
        columns,
        read: prices.history,
        shown: shownHistoric,
      });
    },
  );

  app.get<{ Querystring: Record<string, unknown> }>(
    '/api/v1/prices/stream',
    dataRoute({
      tag: TAG,
      operationId: 'streamPrices',
      summary: 'Stream price changes as server-sent events',
      description:
        'Sends `current` at once (as prices/current), then `slot` when a slot starts (items as in prices/spot) and `day` when prices of today or later are new or corrected: {area, day, reason, prices}. A client that reconnects gets `current` again.',
      query: AreaQuery,
      streamed: { 'text/event-stream': PriceEventData },
      errors: NONE,
    }),
    (request, reply) => {
      const areas = areasOf(request.query);
      openToAllOrigins(reply);
      return streams.open(request, reply, {
        first: events.first(areas),
        opened: (stream) => events.join(areas, stream),
      });
    },
  );
}

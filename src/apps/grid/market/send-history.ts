import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Clock } from '../../../core/clock.ts';
import { midnight } from '../../../core/swedish-days.ts';
import { createOpenResponses, type OpenResponses } from '../../../http/open-responses.ts';
import { type Cell, formatOf, sendRows } from '../../../http/rows.ts';
import type { PriceArea } from '../../../sources/contract/market.ts';
import type { HistoryRange } from './queries.ts';

/** A past day changes only when it is corrected, revised or filled in. */
const PAST_SECONDS = 3_600;
const TODAY_SECONDS = 60;

/** Each holds some 3 MB while its caller does not read. */
const MOST_IN_ALL = 200;

/** Limits the histories of prices and production that are open at a time, together. */
export const createHistoryLimit = (): OpenResponses =>
  createOpenResponses({ name: 'answers of history', mostInAll: MOST_IN_ALL });

/** How routes that send history describe its other format. */
export const HISTORY_AS_CSV = {
  'text/csv': Type.String({
    description:
      'RFC 4180: a line with the names of the columns, which are those of JSON, then a line for each row',
  }),
};

interface History<T> {
  readonly range: HistoryRange;
  readonly clock: Clock;
  /** How many may be open at a time. */
  readonly limit: OpenResponses;
  readonly columns: readonly string[];
  read(query: {
    area: PriceArea;
    from: number;
    until: number;
    resolution: HistoryRange['resolution'];
  }): AsyncIterable<readonly T[]>;
  shown(row: T): Record<string, Cell>;
}

/** Answers with rows by area then time, as they are read; throws `limit.busy` where too many such answers are open. */
export function sendHistory<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  { range, clock, limit, columns, read, shown }: History<T>,
): Promise<FastifyReply> {
  limit.enter(request, reply);
  const { areas, format, ...of } = range;
  async function* batches() {
    for (const area of areas) {
      for await (const rows of read({ area, ...of })) yield rows.map(shown);
    }
  }
  const seconds = range.until <= midnight(clock.now(), 0) ? PAST_SECONDS : TODAY_SECONDS;
  reply.header('cache-control', `private, max-age=${seconds}, must-revalidate`);
  reply.header('vary', 'accept');
  return sendRows(request, reply, { columns, batches: batches(), format: formatOf(request, format), clock });
}

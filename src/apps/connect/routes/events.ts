import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Clock } from '../../../core/clock.ts';
import type { Log } from '../../../core/log.ts';
import type { Metrics } from '../../../core/metrics.ts';
import type { Accounts } from '../../../domain/access/accounts/index.ts';
import {
  type Cursors,
  type EventLog,
  type EventPage,
  LoggedEvent,
  rendered,
} from '../../../domain/records/events/index.ts';
import { createEventStreams } from '../../../http/event-stream.ts';
import { nextPage } from '../../../http/next-page.ts';
import { createOpenResponses } from '../../../http/open-responses.ts';
import { type Admission, admissionOf } from '../events/admission.ts';
import { Filters, filterOf, isLatest, placeOf, refuseMixed, unlessExpired } from '../events/query.ts';
import { createEventSenders } from '../events/streams.ts';
import { createWaits } from '../events/waits.ts';
import { principalOf, readQuery } from '../input/parameters.ts';
import { errorResponses, responses } from '../schemas.ts';

const MOST = 1_000;
const PAGE = 100;
const LONGEST_WAIT_SECONDS = 60;
const HEARTBEAT_MS = 15_000;
const OPEN = { mostOfCaller: 100, mostInAll: 10_000 };
const ERRORS = [410];

const Paging = Type.Object({
  order: Type.Optional(
    Type.Enum(['oldest', 'newest'], {
      default: 'oldest',
      description: 'Which events come first. With newest, go on with `before`',
    }),
  ),
  before: Type.Optional(
    Type.String({ description: 'A cursor, with order=newest: events before it are returned' }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST, default: PAGE })),
  wait_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LONGEST_WAIT_SECONDS,
      default: 0,
      description: 'How long to wait for an event where there is none; not with order=newest',
    }),
  ),
});

const EventList = Type.Object(
  {
    events: Type.Array(LoggedEvent),
    cursor: Type.String({
      description:
        'For `after` of the next request, or `before` with order=newest; also where there are no events',
      examples: ['MC4xYy41ZmU4ZDZmN2E3MGI0YzE5ZDIzZQ'],
    }),
    has_more: Type.Boolean({ description: 'There may be more at once' }),
  },
  { title: 'EventPage' },
);

export interface EventRoutes extends Admission {
  readonly eventLog: Pick<EventLog, 'page' | 'pageBack' | 'wait' | 'attach' | 'end'>;
  readonly eventCursors: Cursors;
  readonly accounts: Pick<Accounts, 'authenticate' | 'watchKeys'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'watchEventStreams'>;
  /** Ends requests that wait, and streams. */
  readonly stopping: AbortSignal;
}

/** What happened: as a list from a cursor on, and as a stream. */
export function addEventRoutes(app: FastifyInstance, dependencies: EventRoutes): void {
  const { eventLog, eventCursors: cursors, accounts, clock, log, metrics, stopping } = dependencies;
  const waiting = createOpenResponses({ name: 'waiting requests', ...OPEN });
  const streams = createEventStreams({
    clock,
    stopping,
    limit: createOpenResponses({ name: 'streams', ...OPEN }),
    heartbeatMs: HEARTBEAT_MS,
  });
  const senders = createEventSenders({ eventLog, cursors, accounts, log });
  const wait = createWaits({ eventLog, accounts, clock, stopping });
  metrics.watchEventStreams(() => streams.count());
  /** A page; where there is more at once, the header Link leads on. */
  const listOf = (
    request: FastifyRequest,
    reply: FastifyReply,
    { events, end, hasMore, way }: EventPage & { readonly way: 'after' | 'before' },
  ) => {
    const cursor = cursors.encode(principalOf(request).account, end);
    if (hasMore) reply.header('link', nextPage('/events', request.query, { [way]: cursor }));
    return { events: events.map(rendered), cursor, has_more: hasMore };
  };

  app.get(
    '/events',
    {
      config: { access: 'devices:read' },
      schema: {
        operationId: 'listEvents',
        summary: 'List what happened',
        description:
          'From the oldest event that is kept, or after a cursor; with order=newest from the newest event back, or before a cursor. The events of a device are in their order. With a filter, a page may be empty although has_more is true. Ask again with the cursor of the response.',
        tags: ['Events'],
        querystring: Type.Object({ ...Filters.properties, ...Paging.properties }),
        response: responses(EventList, ERRORS),
        pagination: { cursor: 'after', items: 'events', next: 'cursor' },
      },
    },
    async (request, reply) => {
      const { account } = principalOf(request);
      const { after, filter } = filterOf(request.query);
      const paging = readQuery(Paging, request.query);
      const { limit = PAGE, wait_seconds: seconds = 0 } = paging;
      refuseMixed({ ...paging, after });
      if (paging.order === 'newest') {
        const before = placeOf({ account, cursors }, paging.before, 'before');
        const found = await eventLog.pageBack({ account, before, filter, limit });
        return listOf(request, reply, { ...found, way: 'before' });
      }
      const from = isLatest(after) ? await eventLog.end() : placeOf({ account, cursors }, after);
      const query = { account, after: from, filter, limit };
      const found = await unlessExpired({ account, cursors, reply }, async () => {
        if (seconds === 0 || request.method === 'HEAD') return eventLog.page(query);
        waiting.enter(request, reply);
        const isAdmitted = admissionOf(dependencies, request);
        return wait(query, {
          seconds,
          isAdmitted,
          onClosed: (giveUp) => reply.raw.once('close', giveUp),
        });
      });
      return listOf(request, reply, { ...found, way: 'after' });
    },
  );

  app.get(
    '/events/stream',
    {
      config: { access: 'devices:read' },
      schema: {
        operationId: 'streamEvents',
        summary: 'Stream what happens as server-sent events',
        description:
          'The events of GET /events as they are recorded, with their type as `event` and a cursor as `id`. From now on, or after the cursor in `Last-Event-ID` or in `after`. A comment is sent every 15 seconds. A caller that reads too slowly is disconnected, and goes on with the last `id` that it has.',
        tags: ['Events'],
        querystring: Filters,
        headers: Type.Object({
          'last-event-id': Type.Optional(
            Type.String({ description: 'The last `id` received; counts before `after`' }),
          ),
        }),
        response: {
          200: {
            description: 'Server-sent events; the schema is the one of the data of each',
            content: { 'text/event-stream': { schema: LoggedEvent } },
          },
          ...errorResponses(ERRORS),
        },
      },
    },
    async (request, reply) => {
      const { account } = principalOf(request);
      const { after, filter } = filterOf(request.query);
      const last = request.headers['last-event-id'];
      const cursor = typeof last === 'string' && last !== '' ? last : after;
      const from = isLatest(cursor) ? undefined : placeOf({ account, cursors }, cursor);
      const wanted = { account, filter, isAdmitted: admissionOf(dependencies, request) };
      const first =
        from === undefined
          ? { events: [], end: await eventLog.end(), hasMore: false }
          : await unlessExpired({ account, cursors, reply }, () => senders.firstPage(wanted, from));
      return streams.open(request, reply, {
        // A caller that is cut off before the first event knows from where to go on, too.
        first: `id: ${cursors.encode(account, from ?? first.end)}\n\n`,
        opened: (stream) => senders.join(stream, wanted, first),
      });
    },
  );
}

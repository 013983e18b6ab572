import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import { AppError } from '../../../core/errors.ts';
import {
  type Cursors,
  EVENT_TYPE_NAMES,
  type EventFilter,
  Expired,
  type GivenPosition,
} from '../../../domain/records/events/index.ts';
import { readQuery } from '../input/parameters.ts';

export const Filters = Type.Object({
  after: Type.Optional(
    Type.String({
      description:
        'A cursor: events after it are returned. latest: events from now on, so that the cursor of the response is the end of the log',
    }),
  ),
  types: Type.Optional(
    Type.String({ description: `Comma-separated: ${EVENT_TYPE_NAMES.join(', ')}. Default: all` }),
  ),
  device: Type.Optional(Type.String({ description: 'Device id' })),
  link: Type.Optional(Type.String({ description: 'Id of the link' })),
  user_ref: Type.Optional(Type.String()),
});

/** Which events a request wants, and after which cursor. */
export function filterOf(query: unknown): {
  readonly after: string | undefined;
  readonly filter: EventFilter;
} {
  const { after, types, device, link, user_ref: userRef } = readQuery(Filters, query);
  return {
    after,
    filter: { types: types === undefined ? undefined : typesIn(types), device, link, userRef },
  };
}

function typesIn(list: string): readonly string[] {
  const names: readonly string[] = EVENT_TYPE_NAMES;
  const types = list.split(',').map((part) => part.trim());
  const wrong = types.find((type) => !names.includes(type));
  if (wrong === undefined) return types;
  throw new AppError(
    'request.invalid',
    `types has ${wrong === '' ? 'an empty name' : wrong.slice(0, 100)}, which is no type of event; there are ${names.join(', ')}`,
  );
}

interface Caller {
  readonly account: number;
  readonly cursors: Cursors;
  readonly reply: FastifyReply;
}

/** Does work that reads events. Where the cursor is older than the log, the error holds the oldest one that there is. */
export async function unlessExpired<T>(
  { account, cursors, reply }: Caller,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Expired)) throw error;
    const oldest = cursors.encode(account, error.oldest);
    reply.header('link', `</events?after=${oldest}>; rel="first"`);
    throw new AppError('events.expired', `${error.message}; go on with what is left by after=${oldest}`);
  }
}

/** The place of a cursor; undefined without one. */
export const placeOf = (
  { account, cursors }: Pick<Caller, 'account' | 'cursors'>,
  cursor: string | undefined,
  parameter: 'after' | 'before' = 'after',
): GivenPosition | undefined =>
  cursor === undefined ? undefined : cursors.decode(account, cursor, parameter);

/** In the place of a cursor: the end of the log as it is now. */
const LATEST = 'latest';
export const isLatest = (after: string | undefined): after is typeof LATEST => after === LATEST;

/** Throws `request.invalid` where a parameter belongs to the other order. */
export function refuseMixed(query: {
  readonly order?: 'oldest' | 'newest';
  readonly after: string | undefined;
  readonly before?: string;
  readonly wait_seconds?: number;
}): void {
  const fault = mixedIn(query);
  if (fault !== undefined) throw new AppError('request.invalid', fault);
}

function mixedIn({
  order = 'oldest',
  after,
  before,
  wait_seconds: seconds = 0,
}: Parameters<typeof refuseMixed>[0]): string | undefined {
  if (order === 'oldest')
    return before === undefined
      ? undefined
      : 'before needs order=newest; events that follow a cursor have after';
  if (after !== undefined) return 'after is not for order=newest: send the cursor as before';
  return seconds === 0
    ? undefined
    : 'wait_seconds is not for order=newest: new events come at the end, so wait with order=oldest and after';
}

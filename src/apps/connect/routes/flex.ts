import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import { joined } from '../../../core/joined.ts';
import {
  answer,
  createFlexPool,
  DispatchBody,
  Dispatched,
  FlexibilityAnswer,
  FlexibilityBody,
  MEMBER_LIMIT,
  type Question,
} from '../../../domain/plan/flex/index.ts';
import type { FairSemaphore } from '../../../http/fair-semaphore.ts';
import { leaveBodiesUnread, readLargeBody } from '../../../http/large-body.ts';
import { principalOf } from '../input/parameters.ts';

const BODY_LIMIT = 96 * 1024 * 1024;
/** Bodies up to this are answered at once: some 2 ms of work. Larger ones go to a thread, so that nobody waits for them. */
const INLINE = 256 * 1024;
const THREADS = 2;
const WAITING = { most: 32, mostOfAccount: 4 };

const ROUTES = [
  {
    question: 'dispatch',
    operationId: 'dispatchFleet',
    summary: 'Spread a change of power over a fleet',
    description:
      '`down` lowers power towards `min_w`, `up` raises it towards `max_w`: here `up` means more power drawn, which a ' +
      "transmission operator calls down-regulation. Members are recruited in ascending priority, equal ones in the request's " +
      'order; the last one gets exactly the rest. A member whose baseline is outside its own range is not changed and ' +
      `listed in \`skipped\`. At most ${MEMBER_LIMIT.toLocaleString('en')} members in 96 MiB.`,
    body: DispatchBody,
    good: Dispatched,
  },
  {
    question: 'flexibility',
    operationId: 'getFleetFlexibility',
    summary: 'Calculate how much more and how much less power a fleet can draw',
    description:
      'Sums over the fleet. A member whose baseline is outside its own range counts only in `baseline_w` and is listed in ' +
      '`skipped`. A sum past 2^53 − 1 is written with all its digits.',
    body: FlexibilityBody,
    good: FlexibilityAnswer,
  },
] as const satisfies readonly { readonly question: Question; readonly [more: string]: unknown }[];

interface FlexOptions {
  readonly clock: Clock;
  /** Shared with whatever else takes large bodies. */
  readonly slots: FairSemaphore;
}

/** The fleet endpoints, in a scope of their own: their bodies are read as bytes. */
export async function addFlexRoutes(app: FastifyInstance, { clock, slots }: FlexOptions): Promise<void> {
  const pool = createFlexPool({ threads: THREADS, waiting: WAITING, clock });
  app.addHook('onClose', () => pool.close());

  async function replyTo(
    question: Question,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    if (request.body === undefined || request.body === null)
      throw new AppError('request.malformed', 'the body is empty; send a JSON object');
    const { blocks, length, during } = await readLargeBody(request, reply, {
      limit: BODY_LIMIT,
      slots,
      clock,
    });
    const answered =
      length <= INLINE
        ? answer(question, joined(blocks, length))
        : await during(() => pool.run(principalOf(request).account, { question, blocks, length }));
    const size = answered.reduce((sum, block) => sum + block.length, 0);
    const [first] = answered.map((block) => Buffer.from(block.buffer, block.byteOffset, block.length));
    return reply
      .header('content-type', 'application/json; charset=utf-8')
      .header('content-length', size)
      .send(
        first !== undefined && answered.length === 1 ? first : Readable.from(answered, { objectMode: false }),
      );
  }

  await app.register((scope, _options, done) => {
    leaveBodiesUnread(scope);
    for (const { question, operationId, summary, description, body, good } of ROUTES) {
      scope.post(
        `/flex/${question}`,
        {
          config: { access: 'key', kept: 'failures' },
          schema: {
            operationId,
            summary,
            description,
            tags: ['Flexibility'],
            body,
            response: { 200: good },
          },
        },
        (request, reply) => replyTo(question, request, reply),
      );
    }
    done();
  });
}

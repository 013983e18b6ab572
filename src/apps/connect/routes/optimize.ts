import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import { joined } from '../../../core/joined.ts';
import type { Prices } from '../../../domain/market/prices/index.ts';
import { MOST_SLOTS } from '../../../domain/plan/planner/index.ts';
import type { FairSemaphore } from '../../../http/fair-semaphore.ts';
import { readLargeBody } from '../../../http/large-body.ts';
import { principalOf } from '../input/parameters.ts';
import { type AreaRequest, areaRequestOf, withSpotPrices } from '../planning/area-prices.ts';
import { parsePlanBody, planBody } from '../planning/plan-body.ts';
import { AreaPlanRequestSchema, AreaPlanSchema } from '../planning/schemas.ts';
import { createPlannerThread } from '../planning/thread.ts';

const BODY_LIMIT = 16 * 1024 * 1024;
/** Bodies up to this are planned at once where that is little work: two days of quarters are 6 KiB. */
const INLINE = 64 * 1024;
/** Pieces of work of some milliseconds; a plan that takes more is begun again on the thread. */
const INLINE_STEPS = 8;

interface OptimizeOptions {
  readonly clock: Clock;
  /** Shared with whatever else takes large bodies. */
  readonly slots: FairSemaphore;
  /** What is stored of the day-ahead market, for requests that name an area. */
  readonly prices: Pick<Prices, 'spot'>;
}

/** The charge planner, in a scope of its own: its bodies are read as bytes. */
export async function addOptimizeRoutes(
  app: FastifyInstance,
  { clock, slots, prices }: OptimizeOptions,
): Promise<void> {
  const thread = createPlannerThread(clock);
  app.addHook('onClose', () => thread.close());

  const sendAnswer = (reply: FastifyReply, answer: string): FastifyReply =>
    reply.header('content-type', 'application/json; charset=utf-8').send(answer);

  async function replyLater(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { blocks, length, during } = await readLargeBody(request, reply, {
      limit: BODY_LIMIT,
      slots,
      clock,
    });
    const body = joined(blocks, length);
    if (length <= INLINE) return planSmall(request, reply, body);
    return sendAnswer(reply, await during(() => thread.run(principalOf(request).account, body)));
  }

  function planSmall(
    request: FastifyRequest,
    reply: FastifyReply,
    body: Uint8Array,
  ): FastifyReply | Promise<FastifyReply> {
    const { account } = principalOf(request);
    const asked = parsePlanBody(body);
    const ofArea = areaRequestOf(asked);
    if (ofArea !== undefined) return planForArea(account, reply, ofArea);
    const answer = inlineAnswer(asked);
    if (answer !== undefined) return sendAnswer(reply, answer);
    // The thread takes its memory over, which a piece of a shared pool must not be.
    return thread.run(account, new Uint8Array(body)).then((planned) => sendAnswer(reply, planned));
  }

  function planForArea(
    account: number,
    reply: FastifyReply,
    ofArea: AreaRequest,
  ): FastifyReply | Promise<FastifyReply> {
    const { request, head } = withSpotPrices(ofArea, prices);
    const send = (answer: string) => sendAnswer(reply, head + answer.slice(1));
    const answer = inlineAnswer(request);
    if (answer !== undefined) return send(answer);
    return thread.run(account, new TextEncoder().encode(JSON.stringify(request))).then(send);
  }

  function replyTo(request: FastifyRequest, reply: FastifyReply): FastifyReply | Promise<FastifyReply> {
    const { body } = request;
    if (body === undefined || body === null)
      throw new AppError('request.malformed', 'the body is empty; send a JSON object');
    if (!(body instanceof Uint8Array)) return replyLater(request, reply);
    return planSmall(request, reply, body);
  }

  await app.register((scope, _options, done) => {
    readSmallBodies(scope);
    scope.post(
      '/optimize/plan',
      {
        config: { access: 'key', kept: 'failures' },
        schema: {
          operationId: 'planCharge',
          summary: 'Calculate the cheapest charging schedule',
          description:
            'Reaches the target exactly if possible, else with the smallest overshoot that the battery can take, else charges as ' +
            'much as possible by the deadline. No such schedule costs less. With a `device_profile` the plan has only what the device ' +
            `can do, and one command for every slot. At most ${MOST_SLOTS.toLocaleString('en')} prices in 16 MiB. ` +
            'With `area` instead of `prices`, it uses the stored day-ahead prices of that area, starting with the current slot.',
          tags: ['Optimization'],
          body: AreaPlanRequestSchema,
          response: { 200: AreaPlanSchema },
        },
      },
      replyTo,
    );
    done();
  });
}

/** A body that says that it is small is read before the handler; any other one the handler reads. */
function readSmallBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('application/json', (request, payload, done) => {
    const length = Number(request.headers['content-length'] ?? Number.NaN);
    if (!(length <= INLINE)) {
      done(null, payload);
      return;
    }
    const parts: Buffer[] = [];
    payload.on('data', (part: Buffer) => parts.push(part));
    payload.once('end', () => done(null, parts.length === 1 ? parts[0] : Buffer.concat(parts)));
    payload.once('error', done);
  });
}

/** The answer, unless it is more than a few pieces of work. */
function inlineAnswer(request: unknown): string | undefined {
  const steps = planBody(request);
  for (let taken = 0; taken < INLINE_STEPS; taken += 1) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
  return undefined;
}

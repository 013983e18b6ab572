import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import { joined } from '../../../core/joined.ts';
import { MOST_SLOTS, PlanRequestSchema, PlanSchema } from '../../../domain/planner/index.ts';
import { readLargeBody } from '../../../http/large-body.ts';
import type { Places } from '../../../http/places.ts';
import { planBody } from '../planning/plan-body.ts';
import { createPlannerThread } from '../planning/thread.ts';
import { answers } from '../schemas.ts';

const BODY_LIMIT = 16 * 1024 * 1024;
/** Bodies up to this are planned at once where that is little work: two days of quarters are 6 KiB. */
const INLINE = 64 * 1024;
/** Pieces of work of some milliseconds; a plan that takes more is begun anew on the thread. */
const INLINE_STEPS = 8;

interface OptimizeOptions {
  readonly clock: Clock;
  /** Shared with whatever else takes large bodies. */
  readonly places: Places;
}

/** The charge planner, in a scope of its own: its bodies are read as bytes. */
export async function optimizeRoutes(
  app: FastifyInstance,
  { clock, places }: OptimizeOptions,
): Promise<void> {
  const thread = createPlannerThread(clock);
  app.addHook('onClose', () => thread.close());

  /** Plans, prices and commands are ASCII: their bytes are their characters. */
  const sendAnswer = (reply: FastifyReply, answer: string): FastifyReply =>
    reply.header('content-type', 'application/json; charset=utf-8').send(Buffer.from(answer, 'latin1'));

  async function replyLater(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { blocks, length, during } = await readLargeBody(request, reply, {
      limit: BODY_LIMIT,
      places,
      clock,
    });
    const body = joined(blocks, length);
    const answer =
      (length <= INLINE ? inlineAnswer(body) : undefined) ?? (await during(() => thread.plan(body)));
    return sendAnswer(reply, answer);
  }

  function replyTo(request: FastifyRequest, reply: FastifyReply): FastifyReply | Promise<FastifyReply> {
    const { body } = request;
    if (body === undefined || body === null)
      throw new AppError('request.malformed', 'the body is empty; send a JSON object');
    if (!(body instanceof Uint8Array)) return replyLater(request, reply);
    const answer = inlineAnswer(body);
    if (answer !== undefined) return sendAnswer(reply, answer);
    // The thread takes its memory over, which a piece of a shared pool must not be.
    return thread.plan(new Uint8Array(body)).then((planned) => sendAnswer(reply, planned));
  }

  await app.register((scope, _options, done) => {
    readSmallBodies(scope);
    scope.post(
      '/optimize/plan',
      {
        config: { access: 'key' },
        schema: {
          summary: 'The cheapest charging schedule for prices and a charge task',
          description:
            'Reaches the target exactly where that is possible, else with the least overshoot that fits, else charges as much as ' +
            'can be by the deadline. Among those, no schedule costs less. With a `device_profile` the plan holds what the device ' +
            `can do, and a command for every slot. At most ${MOST_SLOTS.toLocaleString('en')} prices in 16 MiB.`,
          tags: ['Optimization'],
          body: PlanRequestSchema,
          response: answers(PlanSchema, [400, 401, 403, 413, 429, 503]),
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
function inlineAnswer(body: Uint8Array): string | undefined {
  const steps = planBody(body);
  for (let taken = 0; taken < INLINE_STEPS; taken += 1) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
  return undefined;
}

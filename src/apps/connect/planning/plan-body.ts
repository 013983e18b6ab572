import { AppError } from '../../../core/errors.ts';
import { MOST_SLOTS, planInSteps, planJson } from '../../../domain/plan/planner/index.ts';
import { parseJson } from '../../../http/body.ts';

/** A price is one object, and may hold a few more. Millions of empty ones would be seconds of work for the parser. */
const MOST_PARTS = 4 * MOST_SLOTS;
const BRACE = 0x7b;
const BRACKET = 0x5b;

/** The body of a request, as JSON that nobody has checked yet. */
export function parsePlanBody(body: Uint8Array): unknown {
  if (body.length === 0) throw new AppError('request.malformed', 'the body is empty; send a JSON object');
  // Each takes a byte at least, so a small body is not counted.
  if (body.length > MOST_PARTS && partsOf(body) > MOST_PARTS) {
    const sentence = `the body has more than ${MOST_PARTS} lists and objects; send one object for each price`;
    throw new AppError('request.invalid', sentence);
  }
  return parseJson(body);
}

/** How often a list or an object begins, counting those in texts too. */
function partsOf(body: Uint8Array): number {
  let parts = 0;
  for (const byte of body) if (byte === BRACE || byte === BRACKET) parts += 1;
  return parts;
}

/** From a parsed request to the body of its answer, in pieces of work of some milliseconds. */
export function* planBody(request: unknown): Generator<void, string> {
  return planJson(yield* planInSteps(request));
}

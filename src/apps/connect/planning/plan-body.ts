import { AppError } from '../../../core/errors.ts';
import { planInSteps, planJson } from '../../../domain/planner/index.ts';
import { parseJson } from '../../../http/body.ts';

/** The body of a request, as JSON that nobody has checked yet. */
export function parsePlanBody(body: Uint8Array): unknown {
  if (body.length === 0) throw new AppError('request.malformed', 'the body is empty; send a JSON object');
  return parseJson(body);
}

/** From a parsed request to the body of its answer, in pieces of work of some milliseconds. */
export function* planBody(request: unknown): Generator<void, string> {
  return planJson(yield* planInSteps(request));
}

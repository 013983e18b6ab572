import { AppError } from '../../../core/errors.ts';
import { planInSteps } from '../../../domain/planner/index.ts';
import { parseJson } from '../../../http/body.ts';

/** From the body of a request to the body of its answer, in pieces of work of some milliseconds. */
export function* planBody(body: Uint8Array): Generator<void, string> {
  if (body.length === 0) throw new AppError('request.malformed', 'the body is empty; send a JSON object');
  return JSON.stringify(yield* planInSteps(parseJson(body)));
}

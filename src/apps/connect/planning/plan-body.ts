import { planInSteps } from '../../../domain/planner/index.ts';
import { parseJson } from '../../../http/body.ts';

/** From the body of a request to the body of its answer, in pieces of work of some milliseconds. */
export function* planBody(body: Uint8Array): Generator<void, string> {
  return JSON.stringify(yield* planInSteps(parseJson(body)));
}

import { AppError } from '../../../core/errors.ts';
import { serveTasks } from '../../../core/serve-tasks.ts';
import { areaRequestOf } from './area-prices.ts';
import { parsePlanBody, planBody } from './plan-body.ts';

/** The thread that makes large plans, one after the other; started by thread.ts. */
serveTasks((body: Uint8Array): string => {
  const request = parsePlanBody(body);
  // The thread has no prices of its own, and a request that needs them is small.
  if (areaRequestOf(request) !== undefined)
    throw new AppError('request.too_large', 'a body with area must be at most 65536 bytes');
  const steps = planBody(request);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
});

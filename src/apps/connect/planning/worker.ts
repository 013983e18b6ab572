import { parentPort } from 'node:worker_threads';
import { AppError } from '../../../core/errors.ts';
import { areaRequestOf } from './area-prices.ts';
import { parsePlanBody, planBody } from './plan-body.ts';
import type { ThreadReply } from './thread.ts';

/** The thread that makes large plans, one after the other; started by thread.ts. */
const port = parentPort;
if (port === null) throw new Error('this file is started as a thread, by thread.ts');

port.on('message', (body: Uint8Array) => port.postMessage(replyTo(body)));

function replyTo(body: Uint8Array): ThreadReply {
  try {
    const request = parsePlanBody(body);
    // The thread has no prices of its own, and a request that needs them is small.
    if (areaRequestOf(request) !== undefined)
      throw new AppError('request.too_large', 'a body with area must be at most 65536 bytes');
    const steps = planBody(request);
    for (;;) {
      const step = steps.next();
      if (step.done === true) return { answer: step.value };
    }
  } catch (error) {
    // What is not the request's fault ends the thread, and thread.ts tells.
    if (!(error instanceof AppError)) throw error;
    return { fault: { code: error.code, detail: error.message } };
  }
}

import type { Clock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import type { Trace } from './vendor-http.ts';

/** A vendor that has not responded by then is a 502; below the 15 s that callers are promised. */
export const VENDOR_TIMEOUT_MS = 14_000;

/** What a vendor is called for. */
export type CallName =
  | 'link'
  /** What is at an address, which nobody has linked. */
  | 'discover'
  | 'unlink'
  /** In the background. */
  | 'list'
  /** A list that somebody waits for. */
  | 'refresh'
  | 'read'
  | 'poll'
  | 'command'
  | 'conditions'
  | 'subscribe';

interface Limited {
  readonly vendor: string;
  readonly call: CallName;
  readonly trace: Pick<Trace, 'isCommandSent'>;
  /** Less than what a vendor is given. */
  readonly limitMs?: number;
}

/**
 * Bounds what is asked of a vendor in time. `stopping` fires when the process is about to end: what still runs is given up, so that its
 * callers get an answer.
 */
export function createTimeLimit(clock: Clock, stopping: AbortSignal | undefined) {
  return async <T>(what: Limited, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    if (stopping?.aborted) throw serverStopping();
    const abort = new AbortController();
    const late = Promise.withResolvers<never>();
    // Settled by nobody once the work has failed by itself.
    late.promise.catch(() => {});
    const giveUp = (error: AppError) => {
      abort.abort(error);
      late.reject(error);
    };
    const stop = () => giveUp(leftBehind(what));
    const cancel = clock.after(what.limitMs ?? VENDOR_TIMEOUT_MS, () => giveUp(tooLate(what)));
    stopping?.addEventListener('abort', stop, { once: true });
    try {
      return await Promise.race([work(abort.signal), late.promise]);
    } finally {
      cancel();
      stopping?.removeEventListener('abort', stop);
    }
  };
}

const serverStopping = () =>
  new AppError('server.stopping', 'the server is stopping; retry', { retryAfterSeconds: 2 });

function tooLate({ vendor, call, trace, limitMs = VENDOR_TIMEOUT_MS }: Limited): AppError {
  const late = `${vendor} did not respond within ${limitMs / 1000} s`;
  if (call !== 'command' || !trace.isCommandSent) return new AppError('vendor.timeout', late);
  return new AppError(
    'command.outcome_unknown',
    `${late}, so the outcome of the command is unknown; read the device`,
  );
}

/** A call that is given up unanswered: what only asks can be asked again, what changes a device may have done so. */
function leftBehind({ vendor, call }: Limited): AppError {
  if (call !== 'command' && call !== 'conditions') return serverStopping();
  return new AppError(
    'command.outcome_unknown',
    `the server stopped before ${vendor} responded, so the outcome of the command is unknown; read the device`,
  );
}

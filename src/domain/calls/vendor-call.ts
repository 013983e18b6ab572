import type { Clock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Metrics } from '../../core/metrics.ts';

/** A vendor that has not answered by then is a 502; below the 15 s that callers are promised. */
export const VENDOR_TIMEOUT_MS = 14_000;

export interface VendorCall {
  readonly vendor: string;
  /** Whether a command has been sent by now, where that is known. */
  readonly isSent?: () => boolean;
  readonly call: 'link' | 'unlink' | 'read' | 'poll' | 'command' | 'conditions' | 'subscribe';
}

export type CallVendor = <T>(what: VendorCall, work: (signal: AbortSignal) => Promise<T>) => Promise<T>;

interface CallerOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Fires when the process is about to end: what still runs is given up, so that its callers get an answer. */
  readonly stopping?: AbortSignal;
}

/** Runs adapter code: bounded in time, counted, and with every failure turned into an `AppError`. */
export function createVendorCaller({ clock, log, metrics, stopping }: CallerOptions): CallVendor {
  return async (what, work) => {
    const { vendor, call } = what;
    if (stopping?.aborted) throw serverStopping();
    const abort = new AbortController();
    const began = performance.now();
    const observe = (outcome: string) =>
      metrics.vendorCalls.observe({ vendor, call, outcome }, (performance.now() - began) / 1000);
    let cancel = () => {};
    const late = new Promise<never>((_resolve, reject) => {
      const giveUp = (error: AppError) => {
        abort.abort(error);
        reject(error);
      };
      const cancelTimer = clock.after(VENDOR_TIMEOUT_MS, () => giveUp(tooLate(what)));
      const stop = () => giveUp(leftBehind({ vendor, call }));
      stopping?.addEventListener('abort', stop, { once: true });
      cancel = () => {
        cancelTimer();
        stopping?.removeEventListener('abort', stop);
      };
    });
    // Settled by nobody once the work has failed by itself.
    late.catch(() => {});
    try {
      const answer = await Promise.race([work(abort.signal), late]);
      observe('ok');
      return answer;
    } catch (cause) {
      const error = asAppError(cause, vendor);
      if (error !== cause) log.error({ err: cause, vendor, call }, 'an adapter failed unexpectedly');
      observe(error.code);
      throw error;
    } finally {
      cancel();
    }
  };
}

const serverStopping = () =>
  new AppError('server.stopping', 'the server is stopping; retry', { retryAfterSeconds: 2 });

function tooLate({ vendor, call, isSent }: VendorCall): AppError {
  const late = `${vendor} did not respond within ${VENDOR_TIMEOUT_MS / 1000} s`;
  if (call !== 'command' || isSent?.() !== true) return new AppError('vendor.timeout', late);
  return new AppError(
    'command.outcome_unknown',
    `${late}, so the outcome of the command is unknown; read the device`,
  );
}

/** A call that is given up unanswered: what only asks can be asked again, what changes a device may have done so. */
function leftBehind({ vendor, call }: VendorCall): AppError {
  if (call !== 'command' && call !== 'conditions') return serverStopping();
  return new AppError(
    'command.outcome_unknown',
    `the server stopped before ${vendor} responded, so the outcome of the command is unknown; read the device`,
  );
}

function asAppError(cause: unknown, vendor: string): AppError {
  if (cause instanceof AppError) return cause;
  return new AppError('vendor.answer_invalid', `the response of ${vendor} was not understood`, { cause });
}

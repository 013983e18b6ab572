import type { Clock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Metrics } from '../../core/metrics.ts';

/** A vendor that has not answered by then is a 502; below the 15 s that callers are promised. */
export const VENDOR_TIMEOUT_MS = 14_000;

export interface VendorCall {
  readonly vendor: string;
  readonly call: 'link' | 'unlink' | 'read' | 'command' | 'conditions';
}

export type CallVendor = <T>(what: VendorCall, work: (signal: AbortSignal) => Promise<T>) => Promise<T>;

interface CallerOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Runs adapter code: bounded in time, counted, and with every failure turned into an `AppError`. */
export function createVendorCaller({ clock, log, metrics }: CallerOptions): CallVendor {
  return async ({ vendor, call }, work) => {
    const abort = new AbortController();
    const began = performance.now();
    const observe = (outcome: string) =>
      metrics.vendorCalls.observe({ vendor, call, outcome }, (performance.now() - began) / 1000);
    let cancel = () => {};
    const late = new Promise<never>((_resolve, reject) => {
      cancel = clock.after(VENDOR_TIMEOUT_MS, () => {
        const error = new AppError(
          'vendor.timeout',
          `${vendor} did not answer within ${VENDOR_TIMEOUT_MS / 1000} s`,
        );
        abort.abort(error);
        reject(error);
      });
    });
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

function asAppError(cause: unknown, vendor: string): AppError {
  if (cause instanceof AppError) return cause;
  return new AppError('vendor.answer_invalid', `the answer of ${vendor} was not understood`, { cause });
}

import type { RPCClient } from 'ocpp-rpc';
// Imported by path: the package's main module loads the schemas of all protocols.
import { createRPCError } from 'ocpp-rpc/lib/util.js';
import { AppError } from '../../../core/errors.ts';
import { faultInText } from '../../../core/json.ts';

/** One end of a connection. */
export type Rpc = InstanceType<typeof RPCClient>;

/** An error that the station receives as CALLERROR with this code; it holds nothing internal. */
export function callError(code: string, description: string): Error {
  const error = createRPCError(code, description);
  return error instanceof Error ? error : new Error(description);
}

/** The first line of a station's text, cut and cleaned for use in an error message. */
export function wordsOf(text: unknown): string {
  const [line = ''] = typeof text === 'string' ? text.trimStart().split(/[\r\n]/, 1) : [];
  const words = line.slice(0, 120);
  return faultInText(words, 'text') === null ? words.replaceAll(/\p{C}/gu, ' ').trim() : '';
}

/** The platform's error for a failed call. A CALLERROR's code is the most specific part, so it comes first. */
export function callFailure(action: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  const message = error instanceof Error ? error.message : '';
  if (message === 'Call timeout') {
    return new AppError('vendor.timeout', `the station did not respond to ${action} in time`, {
      cause: error,
    });
  }
  const code = rpcCodeOf(error);
  if (code === null) {
    return new AppError(
      'vendor.unreachable',
      `the connection was lost before the station responded to ${action}`,
      {
        cause: error,
      },
    );
  }
  const words = wordsOf(message);
  const because = words === '' ? '' : `: ${words}`;
  return new AppError('vendor.refused', `the station refused ${action} with ${code}${because}`, {
    cause: error,
  });
}

/** Whether a refusal from `callFailure` means that the station does not implement the call. */
export const isUnable = (refusal: string): boolean =>
  /^the station refused \w+ with Not(?:Implemented|Supported)\b/.test(refusal);

function rpcCodeOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('rpcErrorCode' in error)) return null;
  return typeof error.rpcErrorCode === 'string' ? error.rpcErrorCode : null;
}

/** Throws `vendor.refused` unless the status is `Accepted`. */
export function refusedUnlessAccepted(action: string, status: string, reason?: string): void {
  if (status === 'Accepted') return;
  const words = wordsOf(reason);
  throw new AppError(
    'vendor.refused',
    `the station responded to ${action} with ${status}${words === '' ? '' : `: ${words}`}`,
  );
}

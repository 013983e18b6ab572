import type { LinkKey, Session } from '../../adapter/session.ts';
import { FreshTokenRefused } from '../../adapter/token-refused.ts';
import { AppError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Sessions } from './sessions.ts';
import type { LinkRow, LinkStatus } from './store.ts';
import type { CallVendor, VendorCall } from './vendor-call.ts';
import type { Trace } from './vendor-http.ts';

/** Calls vendors for links. */
export interface SessionSource {
  /** Opens a session of the link for one call, after `before`; throws `device.not_found` when the link is gone. */
  withSession<T>(
    link: LinkKey & { vendor: string },
    what: VendorCall & { readonly before?: () => void },
    work: (session: Session) => Promise<T>,
  ): Promise<T>;
  /** Whether the station of a dial-in link is connected to this process. */
  isConnectedHere(link: LinkKey & { vendor: string }): boolean;
}

interface SourceOptions {
  readonly sessions: Sessions;
  readonly callVendor: CallVendor;
  readonly log: Log;
}

/** Gives devices and commands their sessions, and keeps the status of the link from how the calls go. */
export function createSessionSource({ sessions, callVendor, log }: SourceOptions): SessionSource {
  const stored = (writing: Promise<void>) => {
    writing.catch((error: unknown) => log.warn({ err: error }, 'a link status was not stored'));
  };
  const note = (row: LinkRow, status: LinkStatus, reason: string | null) =>
    stored(sessions.note(row, status, reason));
  return {
    async withSession(link, what, work) {
      const row = await sessions.find(link);
      if (row === undefined) throw new AppError('device.not_found', 'the device is no longer linked');
      if (row.status === 'needs_relink' && what.call === 'poll') await sessions.tryAgain(row);
      what.before?.();
      const trace: Trace = { host: undefined, isCommandSent: false };
      try {
        const answer = await callVendor({ ...what, isSent: () => trace.isCommandSent }, (signal) =>
          work(sessions.open(row, { signal, call: what.call, trace })),
        );
        note(row, 'active', null);
        return answer;
      } catch (error) {
        if (error instanceof FreshTokenRefused) stored(sessions.noteRefused(row, error.message));
        else if (error instanceof AppError) {
          const status = statusAfter(error);
          if (status !== undefined) note(row, status, error.message);
        }
        await sessions.learn(error, row, trace);
        throw error;
      }
    },
    isConnectedHere: (link) => sessions.server(link.vendor)?.station(link) !== undefined,
  };
}

/** A refusal, a limit or an offline device says nothing about the link; a lost login and a silent vendor do. */
export function statusAfter(error: AppError): LinkStatus | undefined {
  switch (error.code) {
    case 'vendor.login_expired':
      return 'needs_relink';
    case 'vendor.unreachable':
    case 'vendor.timeout':
      return 'unreachable';
    default:
      return undefined;
  }
}

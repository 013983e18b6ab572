import type { LinkKey } from '../../adapter/session.ts';
import type { StreamSession } from '../../adapter/stream.ts';
import { vendorFailure } from '../../adapter/vendor-failure.ts';
import type { Log } from '../../core/log.ts';
import type { Sessions } from './sessions.ts';
import { statusAfter } from './source.ts';
import type { LinkStatus } from './store.ts';
import type { Trace } from './vendor-http.ts';

/** Gives streams their sessions, and keeps the status of the link from how they go. */
export interface StreamSource {
  /**
   * Runs a stream of the link. `session` opens its session for as long as a signal says. Answers false when the link is gone or
   * must be linked again.
   */
  withStream(
    link: LinkKey & { vendor: string },
    sinks: { readonly observed: (deviceId: string, raw: unknown) => void },
    work: (
      session: (signal: AbortSignal) => StreamSession,
      note: { readonly opened: () => void },
    ) => Promise<void>,
  ): Promise<boolean>;
}

export function createStreamSource({ sessions, log }: { sessions: Sessions; log: Log }): StreamSource {
  return {
    async withStream(link, sinks, work) {
      const row = await sessions.find(link);
      if (row === undefined || row.status === 'needs_relink') return false;
      const note = (status: LinkStatus, reason: string | null) => {
        sessions
          .note(row, status, reason)
          .catch((error: unknown) => log.warn({ err: error }, 'a link status was not stored'));
      };
      const { signals } = sessions;
      const trace: Trace = { host: undefined, isCommandSent: false };
      try {
        await work(
          (signal) =>
            sessions.openStream(
              row,
              { signal, call: 'subscribe', trace },
              {
                ...sinks,
                tell: (name, value) => signals.tell(row, name, value),
              },
            ),
          {
            opened() {
              signals.opened(row);
              note('active', null);
            },
          },
        );
        return true;
      } catch (cause) {
        const error = vendorFailure(row.vendor, cause);
        // That a stream breaks says nothing of the link; that the sign-in is gone does.
        if (statusAfter(error) === 'needs_relink') note('needs_relink', error.message);
        await sessions.learn(error, row, trace);
        throw error;
      } finally {
        signals.closed(row);
      }
    },
  };
}

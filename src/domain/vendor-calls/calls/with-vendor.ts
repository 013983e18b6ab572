import { FreshTokenRefused, isListOutdated, outcomeUnknown } from '../../../adapter/failures.ts';
import type { Tokens } from '../../../adapter/login.ts';
import type { LinkOf, Session } from '../../../adapter/session.ts';
import type { StreamSession } from '../../../adapter/stream.ts';
import { AppError, type ErrorCodeName } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { Outbound } from '../../../core/outbound.ts';
import type { Host } from '../../../db/host.ts';
import type { Clients } from './clients.ts';
import type { LinkEvents, LinkSignals } from './events.ts';
import type { LinkRecords } from './link-records.ts';
import type { Given, NewLink, Sessions, Sinks } from './sessions.ts';
import type { LinkRow, LinkStatus } from './store-links.ts';
import { type CallName, createTimeLimit } from './time-limit.ts';
import { newTrace, type Trace } from './vendor-http.ts';

interface WithVendorOptions {
  readonly host: Pick<Host, 'clock' | 'log' | 'metrics' | 'traces'>;
  readonly records: LinkRecords;
  readonly sessions: Sessions;
  readonly clients: Clients;
  readonly signals: LinkSignals;
  readonly events: Pick<LinkEvents, 'emit'>;
  readonly outbound: Outbound;
  readonly stopping?: AbortSignal;
}

/** Work at a vendor for a link, and what follows from how it ends. */
interface Attempt<T> {
  readonly link: LinkOf;
  readonly call: CallName | 'stream';
  readonly work: (trace: Trace) => Promise<T>;
  /** Keeps what the end says of the link; undefined where it went well. */
  readonly note?: (failure: AppError | undefined) => void;
}

/** Calls of which a device is the subject. */
const ABOUT_DEVICES: ReadonlySet<CallName> = new Set(['read', 'poll', 'command']);

/** Makes attempts, and knows how the last ones ended. */
function createAttempts({
  host,
  clients,
  sessions,
  outbound,
}: Pick<WithVendorOptions, 'host' | 'clients' | 'sessions' | 'outbound'>) {
  const { clock, log, metrics, traces } = host;
  /** When work at a vendor last went well, by vendor. */
  const succeededAt = new Map<string, number>();

  /** Counts the work, turns every failure into an `AppError`, and remembers what it says of the link and of further calls. */
  async function attempt<T>({ link, call, work, note }: Attempt<T>): Promise<T> {
    const { vendor } = link;
    // A station that has dialled in may be asked how it is: nobody was called for that.
    if (call !== 'read' || sessions.server(vendor) === undefined) outbound.require();
    const trace = newTrace();
    const began = performance.now();
    const traced = call === 'stream' ? undefined : traces?.call({ vendor, call, link: link.link });
    const observe = (outcome: string): void => {
      // Streams are counted as they end.
      if (call === 'stream') return;
      metrics.vendorCalls.observe({ vendor, call, outcome }, (performance.now() - began) / 1000);
      traced?.end({ outcome, status: trace.status });
    };
    try {
      const result = await (traced === undefined ? work(trace) : traced.run(() => work(trace)));
      observe('ok');
      succeededAt.set(vendor, clock.now());
      note?.(undefined);
      return result;
    } catch (cause) {
      const error = asAppError(cause, vendor);
      if (error !== cause) log.error({ err: cause, vendor, call }, 'an adapter failed unexpectedly');
      observe(error.code);
      note?.(error);
      await clients.learn(error, link, trace);
      throw call === 'command' ? afterCommand(error, vendor, trace) : error;
    }
  }

  return { attempt, succeededAt };
}

/** Keeps what the ends of calls say of links. */
function createNotes({ host, records, events }: Pick<WithVendorOptions, 'host' | 'records' | 'events'>) {
  /** Stores the status beside the call, whose caller need not wait for it. */
  const store = (writing: Promise<void>): void => {
    writing.catch((error: unknown) => host.log.warn({ err: error }, 'a link status was not stored'));
  };

  function noteEnd(row: LinkRow, failure: AppError | undefined): void {
    if (failure instanceof FreshTokenRefused) {
      store(records.noteRefused(row, failure.message));
      return;
    }
    const status = failure === undefined ? 'active' : statusAfter(failure);
    if (status !== undefined) store(records.note(row, status, failure?.message ?? null));
  }

  function noteCall(row: LinkRow, call: CallName, failure: AppError | undefined): void {
    noteEnd(row, failure);
    if (isListOutdated(failure) && ABOUT_DEVICES.has(call)) void events.emit('listOutdated', row);
  }

  return { noteEnd, noteCall };
}

/** The one way to a vendor: every call and every stream of a link is made here. */
export function createWithVendor(options: WithVendorOptions) {
  const { records, sessions, clients, signals } = options;
  const inTime = createTimeLimit(options.host.clock, options.stopping);
  const { attempt, succeededAt } = createAttempts(options);
  const { noteEnd, noteCall } = createNotes(options);

  return {
    /** When work at each vendor last went well in this process, ms since 1970. */
    succeededAt: (): ReadonlyMap<string, number> => succeededAt,

    /** Calls the vendor as a link: with a session for the time of one call. Throws `device.not_found` when the link is gone. */
    async withVendor<T>(
      { account, link }: LinkOf,
      call: CallName,
      work: (session: Session) => Promise<T>,
    ): Promise<T> {
      const row = await records.find({ account, link });
      if (row === undefined) throw new AppError('device.not_found', 'the device is no longer linked');
      if (row.status === 'needs_relink' && call === 'poll') await clients.tryAgain(row);
      const { vendor } = row;
      return attempt({
        link: row,
        call,
        work: (trace) =>
          inTime({ vendor, call, trace }, (signal) => {
            const session = sessions.open(row, { signal, call, trace });
            // All that is said to a station goes over one connection: what reads is not told from what changes.
            trace.isCommandSent ||= call === 'command' && session.station !== undefined;
            return work(session);
          }),
        // A link that is about to be removed has no status any more.
        ...(call === 'unlink' ? {} : { note: (failure) => noteCall(row, call, failure) }),
      });
    },

    /**
     * Runs a stream of a link, for as long as it holds. `open` gives it its session, until a signal ends it, and `opened` says that
     * it tells. Answers false when the link is gone or must be linked again.
     */
    async withStream(
      { account, link }: LinkOf,
      sinks: Sinks,
      work: (stream: {
        readonly open: (signal: AbortSignal) => StreamSession;
        readonly opened: () => void;
      }) => Promise<void>,
    ): Promise<boolean> {
      const row = await records.find({ account, link });
      if (row === undefined || row.status === 'needs_relink') return false;
      await attempt({
        link: row,
        call: 'stream',
        work: (trace) =>
          work({
            open: (signal) => sessions.openStream(row, { signal, call: 'subscribe', trace }, sinks),
            opened() {
              signals.opened(row);
              noteEnd(row, undefined);
            },
          }),
        // That a stream breaks says nothing of the link; that the sign-in is gone does.
        note(failure) {
          signals.closed(row);
          if (failure?.code === 'vendor.login_expired') noteEnd(row, failure);
        },
      });
      return true;
    },

    /**
     * Asks what is at an address that nobody has linked: with a session of `link`, which is stored nowhere, and without a sign-in. Whatever is
     * there is nothing of the vendor's yet, so no failure is counted. What was opened is closed: the device may serve one client.
     */
    async withCandidate<T>(
      link: NewLink,
      { credentials, limitMs }: { readonly credentials: JsonObject; readonly limitMs: number },
      work: (session: Session) => Promise<T>,
    ): Promise<T> {
      options.outbound.require();
      const trace = newTrace();
      const given: Given = { credentials, signIn: () => undefined };
      try {
        return await inTime({ vendor: link.vendor, call: 'discover', trace, limitMs }, async (signal) => {
          const { session } = await sessions.openNew(link, given, { signal, call: 'discover', trace });
          return work(session);
        });
      } catch (cause) {
        throw asAppError(cause, link.vendor);
      } finally {
        clients.close(link);
      }
    },

    /**
     * Calls the vendor as a link that is being made; answers also the tokens that it has by then, and what the platform keeps with its
     * credentials.
     */
    withNewLink<T>(
      link: NewLink,
      given: Given,
      work: (session: Session) => Promise<T>,
    ): Promise<{
      readonly result: T;
      readonly tokens: Tokens | undefined;
      readonly pinned: JsonObject;
    }> {
      const { vendor } = link;
      return attempt({
        link,
        call: 'link',
        work: (trace) =>
          inTime({ vendor, call: 'link', trace }, async (signal) => {
            try {
              const { session, tokens, pinned } = await sessions.openNew(link, given, {
                signal,
                call: 'link',
                trace,
              });
              const result = await work(session);
              return { result, tokens: tokens(), pinned };
            } catch (error) {
              throw asRefusal(error);
            }
          }),
      });
    },
  };
}

/** A refusal, a limit or an offline device says nothing about the link; a lost login and a silent vendor do. */
function statusAfter({ code }: AppError): LinkStatus | undefined {
  if (code === 'vendor.login_expired') return 'needs_relink';
  return code === 'vendor.unreachable' || code === 'vendor.timeout' ? 'unreachable' : undefined;
}

function asAppError(cause: unknown, vendor: string): AppError {
  if (cause instanceof AppError) return cause;
  return new AppError('vendor.answer_invalid', `the response of ${vendor} was not understood`, { cause });
}

/** What may end a call that follows the command itself, and then says nothing of the command. */
const OF_WHAT_FOLLOWS: ReadonlySet<ErrorCodeName> = new Set([
  'vendor.rate_limited',
  'vendor.unreachable',
  'vendor.timeout',
  'vendor.login_expired',
]);

/** "Try again later" could do it twice: what was sent and not refused is unknown. */
function afterCommand(error: AppError, vendor: string, trace: Trace): AppError {
  const isOpen =
    // control: a response to a command that is not understood leaves its outcome unknown [sent-commands]
    (trace.isCommandSent && error.code === 'vendor.answer_invalid') ||
    // What fails after a vendor has taken a command is not taken for a failure of the command.
    (trace.isCommandTaken && OF_WHAT_FOLLOWS.has(error.code));
  return isOpen ? outcomeUnknown(vendor, error) : error;
}

/** A link that is being made has no earlier sign-in: what the vendor refuses is what was just given. */
function asRefusal(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'vendor.login_expired') return error;
  return new AppError('link.credentials_refused', error.message, { cause: error });
}

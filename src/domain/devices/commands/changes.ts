import type { Command } from '../../../adapter/commands.ts';
import { saidByError } from '../../../adapter/interventions.ts';
import type { Session } from '../../../adapter/session.ts';
import type { StationOperation } from '../../../adapter/station.ts';
import type { Begin } from '../../../core/begin.ts';
import { AppError, ERRORS } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { Calls, LinkEvents } from '../../vendor-calls/calls/index.ts';
import type { CachedDevice, Devices } from '../devices/index.ts';
import { type createCommandQueue, mayHaveHappened } from './queue.ts';

interface Asked {
  readonly keyId: string;
  readonly begun: Begin;
}

interface Change<T, R> {
  /** What is kept of it. */
  readonly kept: Command | StationOperation | JsonObject;
  /** Nobody asked for it. */
  readonly isBackground?: true;
  /** Done around the call to the vendor, in the queue. */
  readonly keep?: (send: () => Promise<T>, mayHaveHappened: (error: unknown) => boolean) => Promise<T>;
  work(session: Session): Promise<T>;
  /** Looks at the device before the next change may begin. */
  look(answer: T): Promise<R>;
}

interface ChangesOptions {
  readonly devices: Pick<Devices, 'intervene' | 'markStale' | 'readAfterCommand'>;
  readonly calls: Pick<Calls, 'withVendor'>;
  readonly events: Pick<LinkEvents, 'emit'>;
  readonly inQueue: ReturnType<typeof createCommandQueue>;
}

/** Changes of one device run in order, whatever starts them, and each change is reported to the rest of the platform. */
export function createChanges({ devices, calls, events, inQueue }: ChangesOptions) {
  /** Changes the device in its queue, and answers what it is like then. */
  async function change<T, R>(cached: CachedDevice, request: Asked, what: Change<T, R>): Promise<R> {
    const { account, vendor, id } = cached.row;
    const entry = {
      account,
      vendor,
      deviceId: id,
      keyId: request.keyId,
      commandJson: JSON.stringify(what.kept),
      ...(what.isBackground === undefined ? {} : { isBackground: what.isBackground }),
    };
    const work = (sent: () => void) => {
      let isSent = false;
      const call = () =>
        calls.withVendor(cached.row, 'command', (session) => {
          isSent = true;
          sent();
          return what.work(session);
        });
      return what.keep === undefined ? call() : what.keep(call, (error) => isSent && mayHaveHappened(error));
    };
    const steps = { begun: request.begun, work, look: (answer: T) => what.look(answer) };
    try {
      const after = await inQueue(entry, steps);
      // Nobody waits for it: the device is read more often from now on.
      if (what.isBackground === undefined) void events.emit('commanded', cached.row);
      return after;
    } catch (error) {
      await devices.intervene(cached, saidByError(error));
      if (what.isBackground === undefined) devices.markStale(cached, error);
      throw error;
    }
  }

  /** What the device is like after a change; read again. */
  async function stateAfter(cached: CachedDevice): Promise<CachedDevice> {
    try {
      return await devices.readAfterCommand(cached);
    } catch (error) {
      const taken = 'the command was accepted, but the state could not be read afterwards';
      // "Try again" is no advice for what is done.
      if (!(error instanceof AppError) || ERRORS[error.code].connect >= 503) {
        const why = error instanceof AppError ? `: ${error.message}` : '';
        throw new AppError('command.outcome_unknown', `${taken}${why}; read the device`, { cause: error });
      }
      throw new AppError(error.code, `${taken}: ${error.message}`, {
        cause: error,
        ...(error.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: error.retryAfterSeconds }),
      });
    }
  }

  return { change, stateAfter };
}

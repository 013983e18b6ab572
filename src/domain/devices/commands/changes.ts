import type { Command } from '../../../adapter/commands.ts';
import { saidByError } from '../../../adapter/interventions.ts';
import type { Session } from '../../../adapter/session.ts';
import type { StationOperation } from '../../../adapter/station.ts';
import type { Begin } from '../../../core/begin.ts';
import { AppError } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { Log } from '../../../core/log.ts';
import { type Sender, senderOf } from '../../../core/sender.ts';
import type { Calls, LinkEvents } from '../../vendor-calls/calls/index.ts';
import { type CachedDevice, type CommandedDevice, commandedOf, type Devices } from '../devices/index.ts';
import { type createCommandQueue, mayHaveHappened } from './queue.ts';

interface Asked extends Sender {
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
  readonly log: Log;
}

/** Changes of one device run in order, whatever starts them, and each change is reported to the rest of the platform. */
export function createChanges({ devices, calls, events, inQueue, log }: ChangesOptions) {
  /** Changes the device in its queue, and answers what it is like then. */
  async function change<T, R>(cached: CachedDevice, request: Asked, what: Change<T, R>): Promise<R> {
    const { account, vendor, id } = cached.row;
    const entry = {
      account,
      vendor,
      deviceId: id,
      ...senderOf(request),
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

  /** The device after a change that was carried out, read again. Where it cannot be read, the answer says so: the change stands. */
  async function deviceAfter(cached: CachedDevice): Promise<CommandedDevice> {
    try {
      return commandedOf(await devices.readAfterCommand(cached));
    } catch (error) {
      if (!(error instanceof AppError))
        log.error({ err: error, vendor: cached.row.vendor }, 'a device could not be read after a command');
      devices.markStale(cached);
      // control: a command that was carried out is never answered as if it was not [commands/unread] => Promise.reject(error)
      return commandedOf(cached, unread(error));
    }
  }

  return { change, deviceAfter };
}

const unread = (error: unknown): AppError =>
  error instanceof AppError ? error : new AppError('server.internal', 'an unexpected error occurred');

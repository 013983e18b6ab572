import type { Adapter } from '../../adapter/adapter.ts';
import { adapterOf } from '../../adapter/adapters.ts';
import { type Command, capabilityOf } from '../../adapter/commands.ts';
import { kindOf } from '../../adapter/derive.ts';
import { saidByError, saidBySuccess } from '../../adapter/interventions.ts';
import { missingScopes } from '../../adapter/scopes.ts';
import { checkCommand, send } from '../../adapter/send.ts';
import type { Session } from '../../adapter/session.ts';
import type { StationOperation } from '../../adapter/station.ts';
import type { Begin } from '../../core/begin.ts';
import { AppError, ERRORS } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Host } from '../../db/host.ts';
import { question } from '../../db/topic.ts';
import { createUntilStored } from '../../db/until-stored.ts';
import type { Calls, LinkEvents } from '../calls/index.ts';
import { type CommandedDevice, commandedOf, type Devices, type Known } from '../devices/index.ts';
import type { DeviceQueue, SetPointRecords } from '../set-points/index.ts';
import { answered, createHolders, type HolderQuestion, WHO } from './ask-holder.ts';
import { createCommandQueue, mayHaveHappened } from './queue.ts';
import { checkFixedRanges, checkLimits, needsLimits } from './ranges.ts';
import { createStations } from './stations.ts';
import { createCommandStore } from './store.ts';

export { type Answer, answered } from './ask-holder.ts';
export { parseCommand } from './parse.ts';
export { parseOperation } from './parse-operation.ts';

interface Run {
  readonly account: number;
  readonly vendor: string;
  readonly id: string;
  readonly key: string;
  readonly command: Command;
}

const RUN: HolderQuestion<Run, CommandedDevice> = question('commands.run');
const RUN_MS = 40_000;

export interface CommandRequest {
  readonly account: number;
  readonly keyId: string;
  readonly deviceId: string;
  readonly vendor: string | undefined;
  readonly command: Command;
  /** Called right before the vendor is asked: from then on the request may have an effect. Nothing is sent where it fails. */
  readonly begun: Begin;
}

interface CommandsOptions {
  readonly host: Host;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly devices: Devices;
  readonly calls: Pick<Calls, 'withVendor' | 'isConnectedHere' | 'isHere' | 'whyNowhere'>;
  readonly setPoints: Pick<SetPointRecords, 'of'>;
  readonly events: LinkEvents;
}

/** Commands to devices: refused, or done one after the other and answered with what the device is like then. */
export async function createCommands(options: CommandsOptions) {
  const { adapters, devices, calls, events } = options;
  const { database, clock, random, log } = options.host;
  const { bus, moments } = database;
  const holders = createHolders(database);
  const store = createCommandStore(database);
  const untilStored = createUntilStored({ clock, log });
  const inQueue = createCommandQueue({ store, untilStored, moments, clock, random });
  // The embedded database has one process: whatever still runs in it belongs to one that died.
  await (database.engine === 'sqlite' ? store.giveUpAll(clock.now()) : store.giveUpDead(clock.now()));

  async function run(request: CommandRequest): Promise<CommandedDevice> {
    const { account, command } = request;
    const known = await devices.find(account, request.deviceId, request.vendor);
    const { row } = known;
    const adapter = adapterOf(adapters, row.vendor);
    checkCapability(adapter, known, command);
    checkFixedRanges(command);
    checkCommand(kindOf(adapter, row.type), row, command);
    if (!(await calls.isHere(row))) return runElsewhere(known, request);
    return runHere(known, request);
  }

  async function runHere(known: Known, request: CommandRequest): Promise<CommandedDevice> {
    const { row } = known;
    const { command } = request;
    const kind = kindOf(adapterOf(adapters, row.vendor), row.type);
    if (needsLimits(command) && kind.limits !== undefined) {
      const { seen } = known.seen?.limits == null ? await devices.refresh(known) : known;
      if (seen?.limits != null) checkLimits(command, seen.limits);
    }
    const setPoint = options.setPoints.of({ row, kind, command, keyId: request.keyId });
    const after = await change(known, request, {
      kept: command,
      ...(setPoint === undefined ? {} : { keep: setPoint.keep }),
      async work(session) {
        const answer = await send(kind, session, row, setPoint?.command ?? command);
        await setPoint?.sent(session);
        return answer;
      },
      async look() {
        await devices.intervene(known, saidBySuccess(kind, command.type));
        return stateAfter(known);
      },
    });
    return commandedOf(after);
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

  /** Changes the device in its queue, and answers what it is like then. */
  async function change<T, R>(
    known: Known,
    request: Pick<CommandRequest, 'keyId' | 'begun'>,
    what: Change<T, R>,
  ): Promise<R> {
    const { account, vendor, id } = known.row;
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
        calls.withVendor(known.row, 'command', (session) => {
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
      if (what.isBackground === undefined) void events.emit('commanded', known.row);
      return after;
    } catch (error) {
      await devices.intervene(known, saidByError(error));
      if (what.isBackground === undefined) devices.markStale(known);
      throw error;
    }
  }

  async function stateAfter(known: Known): Promise<Known> {
    try {
      return await devices.readAfterCommand(known);
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

  /** The station or the gateway is connected to another process, or to none. */
  async function runElsewhere(known: Known, request: CommandRequest): Promise<CommandedDevice> {
    const { account, vendor, id } = known.row;
    const holder = await holders.of(known.row);
    if (holder === undefined) throw await calls.whyNowhere(known.row);
    await request.begun();
    const message = { account, vendor, id, key: request.keyId, command: request.command };
    return holders.done(await holders.ask(RUN, message, { holder, timeoutMs: RUN_MS }), request.begun);
  }

  const self = crypto.randomUUID();
  WHO.answer(bus, async (link) => ((await calls.isHere(link)) ? self : undefined));
  RUN.answer(bus, async ({ holder, account, vendor, id, key, command }) => {
    if (holder !== self) return undefined;
    return answered(async (begun) =>
      runHere(await devices.find(account, id, vendor), {
        ...{ account, vendor, command, begun },
        keyId: key,
        deviceId: id,
      }),
    );
  });

  const stations = createStations({
    ...{ database, adapters, devices, calls, self },
    holders,
    inQueueOf: (known, request, { kept, work }) =>
      change(known, request, { kept, work, look: async (answer) => answer }),
  });

  const queue: DeviceQueue = { change, stateAfter };

  return {
    run,
    stations,
    queue,

    /** What could not be stored by now is not stored any more: the next start finds commands whose outcome is not known. */
    close: untilStored.close,

    /**
     * Sets what a simulated device lives through, and answers what it is like then. Not in its queue: it is no command of an
     * account's, and what ends a fault must not wait for a command that the fault holds up.
     */
    async setConditions(
      request: Pick<CommandRequest, 'account' | 'deviceId'> & { vendor: string; conditions: JsonObject },
    ): Promise<CommandedDevice> {
      const { account, vendor, conditions } = request;
      const known = await devices.find(account, request.deviceId, vendor);
      const { conditions: accepts } = adapterOf(adapters, vendor);
      if (accepts === undefined)
        throw new AppError('device.not_found', `there is no device ${request.deviceId}`);
      const { row } = known;
      const raw = await calls.withVendor(row, 'conditions', (session) =>
        accepts.apply(session, row, conditions),
      );
      return commandedOf(await devices.take(known, raw));
    },
  };
}

export type Commands = Awaited<ReturnType<typeof createCommands>>;

function checkCapability(adapter: Adapter, { row }: Known, command: Command): void {
  const needed = capabilityOf(command.type);
  if (row.capabilities.includes(needed)) return;
  const kind = adapter.kinds[row.type];
  const missing = kind === undefined ? [] : missingScopes(kind, row, needed);
  const why =
    missing.length === 0
      ? kind?.whyWithheld?.(row)
      : `the user has not granted ${missing.join(', ')}: the account must be linked again, and that granted`;
  throw new AppError(
    'device.capability_missing',
    `${row.id} cannot ${command.type}: it does not have the capability ${needed} (it has ${row.capabilities.join(', ') || 'none'})${why === undefined ? '' : `; ${why}`}`,
  );
}

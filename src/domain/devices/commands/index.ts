import type { Adapter } from '../../../adapter/adapter.ts';
import { adapterOf, checkCommand, kindOf, send } from '../../../adapter/adapters.ts';
import { type Command, capabilityOf } from '../../../adapter/commands.ts';
import { saidBySuccess } from '../../../adapter/interventions.ts';
import { missingScopes } from '../../../adapter/tokens.ts';
import type { Begin } from '../../../core/begin.ts';
import { AppError } from '../../../core/errors.ts';
import { randomId } from '../../../core/ids.ts';
import type { JsonObject } from '../../../core/json.ts';
import { type Sender, senderOf } from '../../../core/sender.ts';
import type { Host } from '../../../db/host.ts';
import { inBatches, startRetention } from '../../../db/retention.ts';
import { question } from '../../../db/topic.ts';
import { createUntilStored } from '../../../db/until-stored.ts';
import type { Calls, LinkEvents } from '../../vendor-calls/calls/index.ts';
import { type CachedDevice, type CommandedDevice, commandedOf, type Devices } from '../devices/index.ts';
import type { SetPointRecords } from '../set-points/index.ts';
import { answered, createHolders, type HolderQuestion, WHO } from './ask-holder.ts';
import { createChanges } from './changes.ts';
import { checkFixedRanges, checkLimits, needsLimits } from './parse.ts';
import { createCommandQueue } from './queue.ts';
import { createStations } from './stations.ts';
import { createCommandStore } from './store.ts';

export { type Answer, answered } from './ask-holder.ts';
export { parseCommand, parseOperation } from './parse.ts';

interface Run {
  readonly account: number;
  readonly vendor: string;
  readonly id: string;
  readonly sender: Sender;
  readonly command: Command;
}

const RUN: HolderQuestion<Run, CommandedDevice> = question('commands.run');
const RUN_MS = 40_000;
/** Removed at once by retention. */
const ROWS_AT_ONCE = 500;

interface CommandRequest extends Sender {
  readonly account: number;
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
  const { adapters, devices, calls } = options;
  const { database, clock, random, log } = options.host;
  const { bus, moments } = database;
  const holders = createHolders(database, clock);
  const store = createCommandStore(database);
  const untilStored = createUntilStored({ clock, log });
  const inQueue = createCommandQueue({ store, untilStored, moments, clock, random });
  const queue = createChanges({ ...options, inQueue, log });
  // The embedded database has one process: whatever still runs in it belongs to one that died.
  await (database.engine === 'sqlite' ? store.giveUpAll(clock.now()) : store.giveUpDead(clock.now()));

  async function run(request: CommandRequest): Promise<CommandedDevice> {
    const { account, command } = request;
    const cached = await devices.find(account, request.deviceId, request.vendor);
    const { row } = cached;
    const adapter = adapterOf(adapters, row.vendor);
    checkCapability(adapter, cached, command);
    // control: a command whose value is out of its range is refused [commands/commands]
    checkFixedRanges(command);
    checkCommand(kindOf(adapter, row.type), row, command);
    if (!(await calls.isHere(row))) return runElsewhere(cached, request);
    return runHere(cached, request);
  }

  async function runHere(cached: CachedDevice, request: CommandRequest): Promise<CommandedDevice> {
    const { row } = cached;
    const { command } = request;
    const kind = kindOf(adapterOf(adapters, row.vendor), row.type);
    if (needsLimits(command) && kind.limits !== undefined) {
      const { snapshot } = cached.snapshot?.limits == null ? await devices.refresh(cached) : cached;
      // control: a command beyond the limits of its device is refused [commands/commands]
      if (snapshot?.limits != null) checkLimits(command, snapshot.limits);
    }
    const setPoint = options.setPoints.of({ row, kind, command, keyId: request.keyId });
    return queue.change(cached, request, {
      kept: command,
      ...(setPoint === undefined ? {} : { keep: setPoint.keep }),
      async work(session) {
        const answer = await send(kind, session, row, setPoint?.command ?? command);
        await setPoint?.sent(session);
        return answer;
      },
      async look() {
        await devices.intervene(cached, saidBySuccess(kind, command.type));
        return queue.deviceAfter(cached);
      },
    });
  }

  /** The station or the gateway is connected to another process, or to none. */
  async function runElsewhere(cached: CachedDevice, request: CommandRequest): Promise<CommandedDevice> {
    const { account, vendor, id } = cached.row;
    const holder = await holders.of(cached.row);
    if (holder === undefined) throw await calls.whyNowhere(cached.row);
    const sender = { ...senderOf(request), commandId: randomId(random) };
    await request.begun(sender.commandId);
    const message = { account, vendor, id, sender, command: request.command };
    return holders.done(await holders.ask(RUN, message, { holder, timeoutMs: RUN_MS }), request.begun);
  }

  const self = crypto.randomUUID();
  WHO.answer(bus, async (link) => ((await calls.isHere(link)) ? self : undefined));
  RUN.answer(bus, async ({ holder, account, vendor, id, sender, command }) => {
    if (holder !== self) return undefined;
    return answered(async (begun) =>
      runHere(await devices.find(account, id, vendor), {
        ...{ ...sender, account, vendor, command, begun },
        deviceId: id,
      }),
    );
  });

  const stations = createStations({
    ...{ database, random, adapters, devices, calls, self },
    holders,
    inQueueOf: (cached, request, { kept, work }) =>
      queue.change(cached, request, { kept, work, look: async (answer) => answer }),
  });

  return {
    run,
    stations,
    queue,

    /** Removes commands older than so many days, from now on, until what it returns is closed. */
    keep: (days: number) =>
      startRetention({
        ...{ host: options.host, what: 'commands', days },
        removeSome: inBatches(store, ROWS_AT_ONCE),
      }),

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
      const cached = await devices.find(account, request.deviceId, vendor);
      const { conditions: accepts } = adapterOf(adapters, vendor);
      if (accepts === undefined)
        throw new AppError('device.not_found', `there is no device ${request.deviceId}`);
      const { row } = cached;
      const raw = await calls.withVendor(row, 'conditions', (session) =>
        accepts.apply(session, row, conditions),
      );
      return commandedOf(await devices.take(cached, raw));
    },
  };
}

export type Commands = Awaited<ReturnType<typeof createCommands>>;

function checkCapability(adapter: Adapter, { row }: CachedDevice, command: Command): void {
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

import type { Adapter } from '../../../adapter/adapter.ts';
import type { StationOperations } from '../../../adapter/dial-in.ts';
import type { Session } from '../../../adapter/session.ts';
import type { OperationAnswer, StationOperation, StationView } from '../../../adapter/station.ts';
import type { Begin } from '../../../core/begin.ts';
import { AppError } from '../../../core/errors.ts';
import { type Random, randomId } from '../../../core/ids.ts';
import { type Sender, senderOf } from '../../../core/sender.ts';
import type { Database } from '../../../db/database.ts';
import { question } from '../../../db/topic.ts';
import type { Calls } from '../../vendor-calls/calls/index.ts';
import type { CachedDevice, Devices } from '../devices/index.ts';
import { answered, type HolderQuestion, type Holders } from './ask-holder.ts';

interface AskedDevice {
  readonly account: number;
  readonly vendor: string;
  readonly id: string;
}

const OPERATE: HolderQuestion<
  AskedDevice & { sender: Sender; operation: StationOperation },
  OperationAnswer
> = question('commands.operate');
const DESCRIBE: HolderQuestion<AskedDevice, StationView> = question('commands.describe');
const OPERATE_MS = 40_000;
const DESCRIBE_MS = 3_000;

interface OfDevice {
  readonly account: number;
  readonly deviceId: string;
  readonly vendor: string | undefined;
}

interface OperationRequest extends OfDevice, Sender {
  readonly operation: StationOperation;
  /** As with a command: called right before the station is asked. */
  readonly begun: Begin;
}

interface StationsOptions {
  readonly database: Database;
  readonly random: Random;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly devices: Devices;
  readonly calls: Pick<Calls, 'withVendor' | 'isConnectedHere'>;
  /** Names this process to the others. */
  readonly self: string;
  readonly holders: Holders;
  /** Runs what changes a device in its queue. */
  inQueueOf<T>(
    cached: CachedDevice,
    request: Sender & Pick<OperationRequest, 'begun'>,
    what: { readonly kept: StationOperation; work(session: Session): Promise<T> },
  ): Promise<T>;
}

/** Charging stations that dial in are run: by the process that they are connected to, in the queue of their commands. */
export function createStations({ database, random, adapters, devices, calls, ...options }: StationsOptions) {
  const { bus } = database;
  const { self, holders, inQueueOf } = options;

  async function found({ account, deviceId, vendor }: OfDevice) {
    const cached = await devices.find(account, deviceId, vendor);
    const operations = adapters.get(cached.row.vendor)?.dialIn?.operations;
    if (operations === undefined)
      throw new AppError(
        'station.unsupported',
        `${cached.row.id} is not a charging station that connects to this service; its vendor is ${cached.row.vendor}`,
      );
    return { cached, operations };
  }

  interface Found {
    readonly cached: CachedDevice;
    readonly operations: StationOperations;
  }

  const operateHere = ({ cached, operations }: Found, request: OperationRequest): Promise<OperationAnswer> =>
    inQueueOf(cached, request, {
      kept: request.operation,
      work: (session) => operations.operate(session, cached.row, request.operation),
    });

  const describeHere = ({ cached: { row }, operations }: Found): Promise<StationView> =>
    calls.withVendor(row, 'read', (session) => operations.describe(session, row));

  async function operate(request: OperationRequest): Promise<OperationAnswer> {
    const here = await found(request);
    const { row } = here.cached;
    if (calls.isConnectedHere(row)) return operateHere(here, request);
    const holder = await holders.of(row);
    if (holder === undefined)
      throw new AppError('device.offline', `the station of ${row.id} is not connected`);
    const sender = { ...senderOf(request), commandId: randomId(random) };
    await request.begun(sender.commandId);
    const { account, vendor, id } = row;
    const message = { account, vendor, id, sender, operation: request.operation };
    const asked = await holders.ask(OPERATE, message, { holder, timeoutMs: OPERATE_MS });
    return holders.done(asked, request.begun);
  }

  /** What the process that holds the station reports of it; where none does, what is kept, and what this process heard. */
  async function describe(of: OfDevice): Promise<StationView> {
    const here = await found(of);
    const { row } = here.cached;
    if (database.engine === 'sqlite' || calls.isConnectedHere(row)) return describeHere(here);
    const holder = await holders.of(row);
    if (holder === undefined) return describeHere(here);
    const { account, vendor, id } = row;
    const asked = await holders.ask(DESCRIBE, { account, vendor, id }, { holder, timeoutMs: DESCRIBE_MS });
    return asked.state === 'answered' ? holders.done(asked) : describeHere(here);
  }

  OPERATE.answer(bus, async ({ holder, account, vendor, id, sender, operation }) => {
    if (holder !== self) return undefined;
    const request = { ...sender, account, deviceId: id, vendor, operation };
    return answered(async (begun) => operateHere(await found(request), { ...request, begun }));
  });
  DESCRIBE.answer(bus, async ({ holder, account, vendor, id }) => {
    if (holder !== self) return undefined;
    return answered(async () => describeHere(await found({ account, deviceId: id, vendor })));
  });

  return { operate, describe };
}

export type Stations = ReturnType<typeof createStations>;

import type { IncomingMessage } from 'node:http';
import type {
  ChargingRecords,
  MeterReading,
  RunningTransaction,
  TransactionEnd,
  TransactionStart,
} from '../../adapter/charging.ts';
import type { Found } from '../../adapter/device.ts';
import type { Expected, StationHost } from '../../adapter/dial-in.ts';
import { type Documents, type LinkKey, type Session, WITHOUT_CALLS } from '../../adapter/session.ts';
import type { Clock } from '../../core/clock.ts';
import type { Json } from '../../core/json.ts';
import { silentLog } from '../../core/log.ts';
import type { Credentials } from './credentials.ts';
import { ocpp } from './index.ts';

/** All that the platform stores for one link, in memory. */
export class MemoryLink {
  readonly documents = new Map<string, Json>();
  readonly starts: (RunningTransaction & TransactionStart)[] = [];
  readonly ends: (TransactionEnd & { readonly givenUp?: boolean })[] = [];
  readonly readings: MeterReading[] = [];
  readonly observed: { readonly deviceId: string; readonly raw: unknown }[] = [];
  discovered: readonly Found[] | null = null;
  connections = 0;
  credentials: Expected['credentials'] = {};
  vendorAccount = '';
}

/** The platform as a station server uses it, without a database: for tests of the simulator and for conformance. */
export class MemoryHost implements StationHost {
  readonly clock: Clock;
  readonly log = silentLog;
  readonly links = new Map<string, MemoryLink>();
  /** The client address of requests; a test may change it. */
  addressOf = (request: IncomingMessage): string => request.socket.remoteAddress ?? '';
  /** Every storing function throws this while it is set. */
  storageFault: Error | null = null;
  #nextTransaction = 1;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Does what `POST /link` does. */
  async link(key: LinkKey, credentials: Credentials): Promise<MemoryLink> {
    const link = this.of(key);
    const linked = await ocpp.link(this.session(key, { credentials }));
    link.credentials = linked.credentials;
    link.vendorAccount = linked.vendorAccount;
    link.discovered ??= linked.devices;
    return link;
  }

  session(key: LinkKey, parts: Pick<Session, 'credentials' | 'frames'> & { station?: unknown }): Session {
    return {
      ...WITHOUT_CALLS,
      ...key,
      ...parts,
      userRef: 'user-1',
      linkedAt: this.clock.now(),
      clock: this.clock,
      log: this.log,
      documents: this.documents(key),
      signal: new AbortController().signal,
    };
  }

  of({ account, link }: LinkKey): MemoryLink {
    const key = `${account}/${link}`;
    const found = this.links.get(key) ?? new MemoryLink();
    this.links.set(key, found);
    return found;
  }

  async expected(identity: string): Promise<Expected[]> {
    return [...this.links]
      .filter(([, { vendorAccount }]) => vendorAccount === identity)
      .map(([key, { credentials }]) => {
        const [account, link] = key.split('/');
        return { account: Number(account), link: link ?? '', credentials };
      });
  }

  documents(key: LinkKey): Documents {
    const { documents } = this.of(key);
    return {
      get: async (name) => documents.get(name),
      put: async (name, value) => this.#stored(() => void documents.set(name, structuredClone(value))),
      remove: async (name) => this.#stored(() => void documents.delete(name)),
    };
  }

  records(key: LinkKey): ChargingRecords {
    const link = this.of(key);
    const sameStart = (a: TransactionStart, b: TransactionStart) =>
      a.transactionId === b.transactionId ||
      (b.transactionId === undefined &&
        a.deviceId === b.deviceId &&
        a.startedAt === b.startedAt &&
        a.meterStartWh === b.meterStartWh &&
        a.idTag === b.idTag);
    return {
      begin: async (start) =>
        this.#stored(() => {
          const existing = link.starts.find((other) => sameStart(other, start));
          if (existing !== undefined) return existing.transactionId;
          const transactionId = start.transactionId ?? String(this.#nextTransaction++);
          link.starts.push({ ...start, transactionId });
          return transactionId;
        }),
      end: async (end) =>
        this.#stored(() => {
          const existing = link.ends.findIndex(({ transactionId }) => transactionId === end.transactionId);
          if (existing < 0) link.ends.push(end);
          else if (link.ends[existing]?.givenUp === true) link.ends[existing] = end;
        }),
      giveUp: async ({ transactionId, by, reason }) =>
        this.#stored(() => {
          if (link.ends.some((end) => end.transactionId === transactionId)) return;
          const readings = link.readings.filter((reading) => reading.transactionId === transactionId);
          const meterStopWh = readings.findLast(({ registerWh }) => registerWh !== null)?.registerWh ?? null;
          const endedAt = readings.at(-1)?.at ?? by;
          link.ends.push({ transactionId, endedAt, meterStopWh, reason, givenUp: true });
        }),
      identify: async (transactionId, idTag) =>
        this.#stored(() => {
          const existing = link.starts.findIndex((start) => start.transactionId === transactionId);
          const start = link.starts[existing];
          if (start?.idTag === null) link.starts[existing] = { ...start, idTag };
        }),
      running: async (): Promise<RunningTransaction[]> =>
        this.#stored(() =>
          link.starts
            .filter((start) => !link.ends.some((end) => end.transactionId === start.transactionId))
            .sort((a, b) => a.startedAt - b.startedAt),
        ),
      append: async (readings) =>
        this.#stored(() => {
          const isStored = ({ deviceId, at }: MeterReading) =>
            link.readings.some((existing) => existing.deviceId === deviceId && existing.at === at);
          for (const reading of readings) if (!isStored(reading)) link.readings.push(reading);
        }),
      latest: async (deviceId) =>
        this.#stored(() =>
          link.readings
            .filter((reading) => reading.deviceId === deviceId)
            .sort((a, b) => a.at - b.at)
            .slice(-20),
        ),
    };
  }

  async discovered(key: LinkKey, devices: readonly Found[]): Promise<void> {
    this.#stored(() => {
      this.of(key).discovered = devices;
    });
  }

  observed(key: LinkKey, deviceId: string, raw: unknown): void {
    this.of(key).observed.push({ deviceId, raw });
  }

  async connected(key: LinkKey): Promise<void> {
    this.of(key).connections += 1;
  }

  #stored<T>(work: () => T): T {
    if (this.storageFault !== null) throw this.storageFault;
    return work();
  }
}

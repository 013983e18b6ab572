import type { ChargingRecords, RunningTransaction } from '../../adapter/charging.ts';
import type { StationHost } from '../../adapter/dial-in.ts';
import type { LinkKey } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import { Calls } from './calls.ts';
import { beginTransaction, type Connector, newConnector, rawOf, takeFigures } from './connector.ts';
import type { Dialect } from './dialect.ts';
import { figuresOf } from './figures.ts';
import type { Installation } from './installation.ts';
import type { Known } from './known.ts';
import { Learning } from './learning.ts';
import { type MeterValue, samplesOf } from './meter.ts';
import type { StationOptions } from './options.ts';
import { Roster } from './roster.ts';
import { callError, type Rpc, wordsOf } from './rpc.ts';
import { limitOf } from './schedule.ts';
import type { Schemas } from './schemas.ts';
import { soundTime } from './time.ts';
import type { Tolerance } from './tolerance.ts';
import type { ChargerRaw } from './translate.ts';

const MOST_CONNECTORS = 64;

export interface StationParts {
  readonly key: LinkKey;
  readonly identity: string;
  readonly host: StationHost;
  readonly options: StationOptions;
  readonly known: Known;
  readonly running: readonly RunningTransaction[];
  /** What the owner said of the installation when linking. */
  readonly installation: Installation;
  readonly schemas: Schemas;
  readonly tolerance: Tolerance;
  /** The protocol version that was agreed on. */
  readonly speak: (station: Station) => Dialect;
}

/** What a station told of itself when asked; null: nothing. */
export interface Told {
  readonly connectors: number | null;
  readonly smartCharging: boolean | null;
}

/** One connected station: the live state of its connectors, and the way to and from the platform. */
export class Station {
  readonly key: LinkKey;
  readonly identity: string;
  readonly host: StationHost;
  readonly options: StationOptions;
  readonly records: ChargingRecords;
  readonly dialect: Dialect;
  readonly learning: Learning;
  readonly roster: Roster;
  readonly installation: Installation;
  /** Whether it speaks of limits in ampere per phase or only in watt. */
  rateUnit: 'A' | 'W' = 'A';
  /** Phases of its supply, where it says so. */
  supplyPhases: number | null = null;
  /** How many periods a charging schedule may have, where it says so. */
  schedulePeriods: number | null = null;
  /** What it said to the limit of its installation; null: it has taken it, or there is none. */
  installationRefusal: string | null = null;
  #name: string | null;
  #online = true;
  #silent = false;
  #learned = false;
  readonly #calls: Calls;
  readonly #seen = new Set<number>();
  readonly #connectors = new Map<number, Connector>();
  readonly #watchers = new Set<() => void>();

  constructor(parts: StationParts, rpc: Rpc) {
    this.key = parts.key;
    this.identity = parts.identity;
    this.host = parts.host;
    this.options = parts.options;
    this.records = parts.host.records(parts.key);
    this.#calls = new Calls(rpc, { ...parts, clock: parts.host.clock });
    this.roster = new Roster(parts.identity, parts.key, parts);
    this.installation = parts.installation;
    this.#name = parts.known.name;
    for (const number of parts.known.connectors) this.#connectors.set(number, newConnector(number));
    for (const [number, limit] of Object.entries(parts.known.default_limits)) {
      const connector = this.#connectors.get(Number(number));
      if (connector !== undefined) connector.defaultLimit = limitOf(limit);
    }
    for (const transaction of parts.running.toSorted((a, b) => a.startedAt - b.startedAt)) {
      const connector = this.#connectors.get(this.roster.connectorOf(transaction.deviceId) ?? 0);
      if (connector === undefined) continue;
      beginTransaction(connector, transaction);
      const kept = parts.known.transaction_limits?.[connector.number];
      if (kept?.transaction_id === transaction.transactionId)
        connector.transactionLimit = limitOf(kept.limit);
    }
    this.dialect = parts.speak(this);
    this.learning = new Learning(this);
  }

  /** The connection stands. */
  arrived(): void {
    for (const connector of this.#connectors.values()) this.#observe(connector);
    this.learning.begin();
  }

  get online(): boolean {
    return this.#online;
  }

  connectors(): Connector[] {
    return [...this.#connectors.values()];
  }

  /** A connector that is known already; commands and reads go to these only. */
  find(number: number): Connector | undefined {
    return this.#connectors.get(number);
  }

  /** The connector that a message of the station is about; refuses numbers that no station has. */
  connector(number: number): Connector {
    if (number < 1 || number > MOST_CONNECTORS) {
      throw callError('PropertyConstraintViolation', `there is no connector ${number}`);
    }
    const connector = this.#connectors.get(number) ?? newConnector(number);
    this.#connectors.set(number, connector);
    if (!this.#seen.has(number)) {
      this.#seen.add(number);
      if (this.#learned) this.announce();
    }
    return connector;
  }

  /** Sends a command; throws an `AppError` of the `vendor.*` codes unless the station answers it. */
  command<R>(action: string, params: object): Promise<R> {
    const { callTimeoutMs, turnTimeoutMs } = this.options;
    return this.#calls.call(action, params, { timeoutMs: callTimeoutMs, turnMs: turnTimeoutMs });
  }

  /** Asks something that not every station can answer: null when it refuses, or answers what nobody understands. */
  async question<R>(action: string, params: object): Promise<R | null> {
    const { learnTimeoutMs, callTimeoutMs } = this.options;
    try {
      return await this.#calls.call<R>(action, params, { timeoutMs: learnTimeoutMs, turnMs: callTimeoutMs });
    } catch (error) {
      const refused =
        error instanceof AppError &&
        (error.code === 'vendor.refused' || error.code === 'vendor.answer_invalid');
      if (refused) return null;
      throw error;
    }
  }

  withTransaction(transactionId: string): Connector | undefined {
    return this.connectors().find(({ transaction }) => transaction?.transactionId === transactionId);
  }

  deviceId(connector: Connector): string {
    return this.roster.deviceId(connector.number);
  }

  raw(connector: Connector): ChargerRaw {
    return { ...rawOf(connector, this.#online), installation_a: this.installation.max_a };
  }

  /** When it happened, ms since 1970: by the station's clock, or by ours where that is plainly wrong. */
  timeOf(timestamp: string): number {
    const now = this.host.clock.now();
    return soundTime(timestamp, now) ?? now;
  }

  /** The station told something of a connector. */
  changed(connector: Connector): void {
    connector.at = this.host.clock.now();
    this.#observe(connector);
    for (const watcher of [...this.#watchers]) watcher();
  }

  /** Resolves when `reached` holds, or when the station has had its time for it. */
  settled(reached: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        cancel();
        this.#watchers.delete(look);
        resolve();
      };
      const look = () => {
        if (reached() || !this.#online) finish();
      };
      const cancel = this.host.clock.after(this.options.settleMs, finish);
      this.#watchers.add(look);
      look();
    });
  }

  /** Stores what was measured and takes it into the live state. */
  async measured(
    connector: Connector,
    values: readonly MeterValue[],
    transactionId: string | null,
  ): Promise<void> {
    const readings = values
      .map((value) => ({
        deviceId: this.deviceId(connector),
        at: this.timeOf(value.timestamp),
        transactionId,
        samples: samplesOf(value),
      }))
      .filter(({ samples }) => samples.length > 0);
    if (readings.length === 0) return;
    await this.records.append(readings);
    for (const { samples, at } of readings) takeFigures(connector, figuresOf(samples), at);
  }

  hasBooted(maker: string | undefined, model: string | undefined): void {
    const name = `${wordsOf(maker)} ${wordsOf(model)}`.trim();
    this.#name = name === '' ? null : name;
    this.learning.hasBooted();
  }

  /** It has been asked what it is; from now on every connector that shows up is announced at once. */
  learned({ connectors, smartCharging }: Told): void {
    if (connectors !== null && connectors >= 1 && connectors <= MOST_CONNECTORS) {
      for (const number of [...this.#connectors.keys()]) {
        if (number > connectors && !this.#seen.has(number)) this.#connectors.delete(number);
      }
      for (let number = 1; number <= connectors; number += 1) {
        if (!this.#connectors.has(number)) this.#connectors.set(number, newConnector(number));
      }
    }
    this.#learned = true;
    this.announce(smartCharging);
  }

  /** Tells the platform which devices there are, when that differs from what it knows. */
  announce(smartCharging: boolean | null = null): void {
    this.roster.announce(
      () => ({
        name: this.#name,
        ...(smartCharging !== null && { smart_charging: smartCharging }),
        connectors: [...this.#connectors.keys()].sort((a, b) => a - b),
      }),
      () => {
        for (const connector of this.#connectors.values())
          if (connector.at !== null) this.#observe(connector);
      },
    );
  }

  /** The connection ended. `tell` is false when it lives on elsewhere, or nobody is left to hear of it. */
  left(tell: boolean): void {
    this.#online = false;
    this.learning.stop();
    for (const watcher of [...this.#watchers]) watcher();
    if (tell) for (const connector of this.#connectors.values()) this.#observe(connector);
    this.#silent = true;
  }

  #observe(connector: Connector): void {
    // What is still being stored of an ended connection must not speak over the one that took its place.
    if (this.#silent) return;
    this.host.observed(this.key, this.deviceId(connector), this.raw(connector));
  }
}

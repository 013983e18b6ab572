import type { ChargingRecords } from '../../../adapter/charging.ts';
import type { StationHost } from '../../../adapter/dial-in.ts';
import type { DeviceRef, LinkKey, Session } from '../../../adapter/session.ts';
import { AppError } from '../../../core/errors.ts';
import type { Installation } from '../credentials.ts';
import type { StationOptions } from '../options.ts';
import { type ChargerRaw, drawnOf, mostOf } from '../translate.ts';
import { Calls } from '../wire/calls.ts';
import { callError, type Rpc, wordsOf } from '../wire/rpc.ts';
import type { Schemas, Tolerance } from '../wire/schemas.ts';

import { soundTime } from '../wire/values.ts';
import {
  type Connector,
  isCharging,
  markTransactionStale,
  newConnector,
  rawOf,
  takeFigures,
} from './connector.ts';
import { DetailKeeper } from './details.ts';
import type { Dialect } from './dialect.ts';
import { Fuse } from './fuse.ts';
import { Limits, ProfileForm } from './limits.ts';
import { Memory, type Recalled, restore } from './memory.ts';
import { figuresOf, type MeterValue, samplesOf } from './meter.ts';

import { Roster, type StoredStation } from './roster.ts';
import { type Limit, type ScheduleKind, scheduleOf } from './schedule.ts';
import { Setup } from './setup.ts';
import { Watchers } from './watchers.ts';

const MOST_CONNECTORS = 64;

export interface StationParts {
  readonly key: LinkKey;
  readonly identity: string;
  readonly host: StationHost;
  readonly options: StationOptions;
  readonly stored: StoredStation;
  readonly recalled: Recalled;
  /** The installation as its owner described it when linking. */
  readonly installation: Installation;
  readonly schemas: Schemas;
  readonly tolerance: Tolerance;
  /** Speaks the negotiated protocol version. */
  readonly speak: (station: Station) => Dialect;
}

/** A station's response to the configuration requests; null: it sent none. */
interface Configuration {
  readonly connectors: number | null;
  readonly smartCharging: boolean | null;
}

/** What a station says of itself in its BootNotification; `reason` in 2.0.1 only. */
interface Boot {
  readonly maker: string | undefined;
  readonly model: string | undefined;
  readonly reason?: string | undefined;
}

/** One connected station: the live state of its connectors, and its connection to the platform. */
export class Station {
  readonly key: LinkKey;
  readonly identity: string;
  readonly host: StationHost;
  readonly options: StationOptions;
  readonly records: ChargingRecords;
  readonly dialect: Dialect;
  readonly setup: Setup;
  readonly profileForm = new ProfileForm();
  readonly limits: Limits;
  readonly fuse: Fuse;
  readonly roster: Roster;
  readonly installation: Installation;
  readonly details: DetailKeeper;
  readonly memory: Memory;
  /** When it connected, ms since 1970. */
  readonly since: number;
  /** Whether its limits are in ampere per phase or in watts. */
  rateUnit: 'A' | 'W' = 'A';
  /** Phases of its supply, if reported. */
  supplyPhases: number | null = null;
  /** The maximum number of periods in a charging schedule, if reported. */
  schedulePeriods: number | null = null;
  /** The highest stack level that it accepts: a profile below another one, such as the installer's, would have no effect. */
  stackLevel = 0;
  /** The maximum number of charging profiles, if reported. */
  mostProfiles: number | null = null;
  /** It refused every kind of limit as not implemented; reset by a boot. */
  #isWithoutLimits: boolean;
  #name: string | null;
  #online = true;
  #silent = false;
  #configured = false;
  readonly #calls: Calls;
  readonly #reported = new Set<number>();
  readonly #connectors = new Map<number, Connector>();
  readonly #watchers: Watchers;

  constructor(parts: StationParts, rpc: Rpc) {
    this.key = parts.key;
    this.identity = parts.identity;
    this.host = parts.host;
    this.options = parts.options;
    this.records = parts.host.records(parts.key);
    this.#calls = new Calls(rpc, { ...parts, clock: parts.host.clock });
    this.roster = new Roster(parts.identity, parts.key, parts);
    this.installation = parts.installation;
    this.details = new DetailKeeper(parts.host.documents(parts.key), parts.host);
    this.since = parts.host.clock.now();
    this.#name = parts.stored.name;
    this.#isWithoutLimits = parts.stored.without_limits === true;
    for (const number of parts.stored.connectors) this.#connectors.set(number, newConnector(number));
    for (const connector of this.#connectors.values()) {
      restore(connector, parts, {
        deviceId: this.deviceId(connector),
        isHere: ({ deviceId }) => this.roster.connectorOf(deviceId) === connector.number,
        now: parts.host.clock.now(),
      });
    }
    this.memory = new Memory(parts.host.documents(parts.key), () => this.connectors(), parts.recalled);
    this.#watchers = new Watchers(parts.host.clock);
    this.dialect = parts.speak(this);
    const { dialect, roster } = this;
    const connectors = () => this.connectors();
    this.fuse = new Fuse({
      ...{ identity: parts.identity, host: parts.host, dialect, roster, connectors },
      installationA: parts.installation.max_a,
      onChange: () => {
        for (const connector of connectors()) this.#observe(connector);
      },
    });
    this.limits = new Limits({
      ...{ clock: parts.host.clock, dialect, roster, connectors, memory: this.memory, fuse: this.fuse },
      onUnsupported: () => {
        // Whatever it reported, limits are withheld until its next boot.
        this.#isWithoutLimits = true;
        this.announce();
      },
    });
    this.setup = this.#newSetup();
  }

  readonly #onFailure = (err: unknown): void => {
    const { host, identity } = this;
    host.log.debug({ err, identity }, 'a station did not respond to a configuration request');
  };

  #newSetup(): Setup {
    const { host, options } = this;
    return new Setup({
      clock: host.clock,
      bootMs: options.bootMs,
      run: async (state) => {
        try {
          await this.dialect.setUp();
        } finally {
          // A station that answers no question may still take a limit.
          await this.limits.send(state);
        }
      },
      onFailure: this.#onFailure,
    });
  }

  /** Call once the connection is established. */
  arrived(): void {
    for (const connector of this.#connectors.values()) this.#observe(connector);
    this.setup.begin();
  }

  get online(): boolean {
    return this.#online;
  }

  connectors(): Connector[] {
    return [...this.#connectors.values()];
  }

  /** An existing connector; commands and reads never create one. */
  find(number: number): Connector | undefined {
    return this.#connectors.get(number);
  }

  /** The connector that a message names, created when new; refuses impossible numbers. */
  connector(number: number): Connector {
    if (number < 1 || number > MOST_CONNECTORS) {
      throw callError('PropertyConstraintViolation', `there is no connector ${number}`);
    }
    const connector = this.#connectors.get(number) ?? newConnector(number);
    this.#connectors.set(number, connector);
    if (!this.#reported.has(number)) {
      this.#reported.add(number);
      if (this.#configured) {
        this.announce();
        this.fuse.hasGrown().catch(this.#onFailure);
      }
    }
    return connector;
  }

  /** Sends a command; throws an `AppError` of the `vendor.*` codes unless the station responds. */
  command<R>(action: string, params: object): Promise<R> {
    const { callTimeoutMs, queueTimeoutMs } = this.options;
    return this.#calls.call(action, params, { timeoutMs: callTimeoutMs, queueMs: queueTimeoutMs });
  }

  /** Sends a request that not every station supports: null when it refuses or its response is invalid. */
  async tryCommand<R>(action: string, params: object): Promise<R | null> {
    const { setupTimeoutMs, callTimeoutMs } = this.options;
    try {
      return await this.#calls.call<R>(action, params, { timeoutMs: setupTimeoutMs, queueMs: callTimeoutMs });
    } catch (error) {
      const refused =
        error instanceof AppError &&
        (error.code === 'vendor.refused' || error.code === 'vendor.answer_invalid');
      if (refused) return null;
      throw error;
    }
  }

  /** The charging schedule of a limit on a connector, in the form that the station takes. */
  scheduleOf(connector: Connector, limit: Limit, kind: ScheduleKind) {
    // The number of phases is the owner's, else the number in use, else that of the supply. In ampere, the phases of this car
    // must not limit the next one.
    const used = this.rateUnit === 'W' ? connector.phases : null;
    const phases = this.installation.phases ?? used ?? this.supplyPhases ?? 3;
    return scheduleOf(limit, { kind, rateUnit: this.rateUnit, phases, now: this.host.clock.now() });
  }

  withTransaction(transactionId: string): Connector | undefined {
    return this.connectors().find(({ transaction }) => transaction?.transactionId === transactionId);
  }

  deviceId(connector: Connector): string {
    return this.roster.deviceId(connector.number);
  }

  raw(connector: Connector): ChargerRaw {
    const raw = this.#ownRaw(connector);
    const most = mostOf(raw.cable_a, raw.installation_a ?? null);
    // Where connectors have no share each, what one takes is missing to the others.
    const { max_a } = this.installation;
    const isCommon = max_a !== null && this.fuse.heldBy !== 'connectors';
    const left = isCommon
      ? roomIn(
          max_a,
          this.connectors().map((one) => this.#drawn(one)),
        )
      : most;
    const own = roomIn(most, [this.#drawn(connector)]);
    return { ...raw, room_a: own === null || left === null ? null : Math.min(own, left) };
  }

  #ownRaw(connector: Connector): ChargerRaw {
    return {
      ...rawOf(connector, { online: this.#online, now: this.host.clock.now() }),
      installation_a: this.fuse.mostOf(connector),
      held_by: this.fuse.heldBy,
    };
  }

  #drawn(connector: Connector): number | null {
    return drawnOf(this.#ownRaw(connector), this.installation.phases ?? connector.phases);
  }

  /** The time of an event, ms since 1970: the station's, or ours where the station's is clearly wrong or absent. */
  timeOf(timestamp: string | undefined): number {
    const now = this.host.clock.now();
    return timestamp === undefined ? now : (soundTime(timestamp, now) ?? now);
  }

  /** Call when the station has reported something about a connector. */
  changed(connector: Connector): void {
    connector.at = this.host.clock.now();
    this.#observe(connector);
    this.#watchers.look();
  }

  /** As `changed`; resolves when everything that must outlive the connection is stored. */
  recordChange(connector: Connector): Promise<void> {
    this.changed(connector);
    return this.memory.store();
  }

  /** Resolves when `reached` holds or the time limit is over. */
  settled(reached: () => boolean, withinMs: number = this.options.settleMs): Promise<void> {
    return this.#watchers.until(() => reached() || !this.#online, withinMs);
  }

  /** Stores meter values and applies them to the live state. */
  async measured(
    connector: Connector,
    values: readonly MeterValue[],
    transactionId: string | null,
  ): Promise<void> {
    const readings = values
      .map((value) => {
        const samples = samplesOf(value);
        const figures = figuresOf(samples);
        const at = this.timeOf(value.timestamp);
        const registerWh = figures.register_wh;
        return { deviceId: this.deviceId(connector), at, transactionId, samples, registerWh, figures };
      })
      .filter(({ samples }) => samples.length > 0);
    if (readings.length === 0) return;
    await this.records.append(readings.map(({ figures, ...reading }) => reading));
    // Power measured in a transaction that has ended is not the present power.
    const isOver = transactionId !== null && connector.transaction === null;
    for (const { figures, at } of readings) {
      takeFigures(connector, isOver ? { ...figures, power_w: null, phases: null } : figures, at);
    }
  }

  /** Whether a setting was set, given the station's status; one that applies only after a restart is noted. */
  isSet(status: string | undefined): boolean {
    if (status === 'RebootRequired') this.details.update({ restart_needed: true });
    return status === 'Accepted' || status === 'RebootRequired';
  }

  /** Asks a station that never said what it is. Some restart when they are asked, so none is during a charge. */
  async askWhatItIs(): Promise<void> {
    const now = this.host.clock.now();
    const isBusy = this.connectors().some((one) => one.transaction !== null || isCharging(one, now));
    if (this.setup.booted || isBusy || (await this.details.isKnown())) return;
    await this.setup.triggerBoot(() =>
      this.tryCommand<{ status: string }>('TriggerMessage', { requestedMessage: 'BootNotification' }),
    );
  }

  hasBooted({ maker, model, reason }: Boot): void {
    const name = `${wordsOf(maker)} ${wordsOf(model)}`.trim();
    this.#name = name === '' ? null : name;
    if (this.setup.isTriggered(reason)) {
      if (this.#configured) this.announce();
      return;
    }
    this.#isWithoutLimits = false;
    this.details.update({ restart_needed: false });
    // It reports every plug again, and may have different ones.
    for (const connector of this.#connectors.values()) {
      connector.plugs.clear();
      markTransactionStale(connector);
    }
    this.setup.hasBooted();
  }

  /** Call when the configuration requests are done; from now on a new connector is announced at once. */
  configured({ connectors, smartCharging }: Configuration): void {
    if (connectors !== null && connectors >= 1 && connectors <= MOST_CONNECTORS) {
      for (const number of [...this.#connectors.keys()]) {
        if (number > connectors && !this.#reported.has(number)) this.#connectors.delete(number);
      }
      for (let number = 1; number <= connectors; number += 1) {
        if (!this.#connectors.has(number)) this.#connectors.set(number, newConnector(number));
      }
    }
    this.#configured = true;
    this.announce(smartCharging);
  }

  /** Reports the devices to the platform, when they have changed. */
  announce(smartCharging: boolean | null = null): void {
    this.roster.announce(
      () => ({
        name: this.#name,
        smart_charging: this.#canLimit(smartCharging),
        without_limits: this.#isWithoutLimits,
        connectors: [...this.#connectors.keys()].sort((a, b) => a - b),
      }),
      () => {
        for (const connector of this.#connectors.values())
          if (connector.at !== null) this.#observe(connector);
      },
    );
  }

  #canLimit(reported: boolean | null): boolean {
    if (this.#isWithoutLimits) return false;
    const { smart_charging, without_limits } = this.roster.stored;
    // A station that does not report it may support limits now that it has booted.
    return reported ?? (smart_charging || without_limits === true);
  }

  /** The connection ended. `publish` is false when the station is connected elsewhere, or its link was deleted. */
  left(publish: boolean): void {
    this.#online = false;
    this.setup.stop();
    this.#watchers.look();
    if (publish) for (const connector of this.#connectors.values()) this.#observe(connector);
    this.#silent = true;
    this.memory.close();
  }

  #observe(connector: Connector): void {
    // Pending updates of an ended connection must not overwrite those of the connection that replaced it.
    if (this.#silent) return;
    this.host.observed(this.key, this.deviceId(connector), this.raw(connector));
  }
}

/** What is left of a current; null: one of those who draw from it is not known. */
function roomIn(mostA: number, drawn: readonly (number | null)[]): number | null {
  let room = mostA;
  for (const amperes of drawn) {
    if (amperes === null) return null;
    room -= amperes;
  }
  return Math.max(0, room);
}

/** A device as a connector of a connected station. */
export interface Place {
  readonly station: Station;
  readonly connector: Connector;
}

export function placeOf(session: Session, device: DeviceRef): Place {
  const { station } = session;
  if (!(station instanceof Station) || !station.online) {
    throw new AppError('device.offline', 'the charging station is not connected');
  }
  const { connector: number } = device.details;
  const connector = typeof number === 'number' ? station.find(number) : undefined;
  if (connector === undefined) {
    throw new AppError('device.offline', 'the charging station no longer has this connector');
  }
  return { station, connector };
}

import { rfc3339 } from '../../../core/clock.ts';
import { callError, type Rpc } from '../wire/rpc.ts';
import { SimulatedLine } from './simulated-line.ts';
import {
  type Period,
  type Purpose,
  type Quirks,
  SimulatedPlug,
  type SimulatorOptions,
} from './simulated-plug.ts';

import { speak16 } from './simulator16.ts';
import { speak201 } from './simulator201.ts';

export type { SimulatedPlug } from './simulated-plug.ts';

/** The parts of a simulated station that differ between the protocol versions. */
export interface SimulatedProtocol {
  readonly handlers: Readonly<Record<string, (params: never) => object | Promise<object>>>;
  boot(): Promise<void>;
  /** Asks whether a card may charge; returns the central system's status. */
  authorize(idTag: string): Promise<string>;
  status(plug: SimulatedPlug): Promise<void>;
  begin(plug: SimulatedPlug, idTag: string): Promise<void>;
  end(plug: SimulatedPlug, reason: string): Promise<void>;
  /** Call when power starts or stops flowing within a transaction. */
  turned(plug: SimulatedPlug): Promise<void>;
  meter(plug: SimulatedPlug): Promise<void>;
}

/** A charging station that speaks the real protocol over a real socket, with a car at each connector. */
export class SimulatedStation {
  readonly options: SimulatorOptions;
  readonly quirks: Quirks;
  readonly plugs: SimulatedPlug[];
  /** The calls of the central system, in order. */
  readonly received: { readonly action: string; readonly params: unknown }[] = [];
  meterSeconds = 60;
  /** The charging profiles that were set, by id. */
  readonly #profiles = new Map<
    number,
    { readonly plugs: readonly SimulatedPlug[]; readonly purpose: Purpose }
  >();
  readonly #protocol: SimulatedProtocol;
  readonly #line: SimulatedLine;
  #work: Promise<void> = Promise.resolve();
  #stopTicking: () => void = () => undefined;

  constructor(options: SimulatorOptions) {
    this.options = options;
    this.quirks = options.quirks ?? {};
    this.plugs = Array.from(
      { length: options.connectors ?? 1 },
      (_, index) => new SimulatedPlug(index + 1, options.clock),
    );
    this.#line = new SimulatedLine(options);
    this.#protocol = options.protocol === 'ocpp1.6' ? speak16(this) : speak201(this);
  }

  /** The maximum number of periods in a charging schedule. */
  get mostPeriods(): number {
    return this.quirks.onePeriod === true ? 1 : 24;
  }

  get now(): string {
    return this.quirks.noClock === true ? '1970-01-01T00:01:00Z' : rfc3339(this.options.clock.now());
  }

  /** Connects and boots as after power-up; with `boots: false` as after a lost network. */
  async connect({ boots = true }: { boots?: boolean } = {}): Promise<void> {
    await this.#line.connect(Object.keys(this.#protocol.handlers), {
      hear: (action, params) => this.#answer(action, params),
      lost: () => this.#stopTicking(),
      back: () => this.connect({ boots: false }),
    });
    this.#tick();
    if (boots) {
      this.do(() => this.#protocol.boot());
      for (const plug of this.plugs) this.do(() => this.#protocol.status(plug));
    }
    await this.idle();
  }

  /** Closes the connection; the car and the running transaction stay. */
  disconnect(): Promise<void> {
    return this.#line.close();
  }

  /** The station's end of the connection, for messages that no correct station sends. */
  get rpc(): Rpc {
    return this.#line.rpc;
  }

  call(action: string, params: object): Promise<Record<string, unknown>> {
    return this.#line.call(action, params);
  }

  /** Queues a task. A refusal by the central system is ignored, as a station ignores it. */
  do(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch(() => undefined);
  }

  /** Resolves when all queued tasks are done. */
  async idle(): Promise<void> {
    for (let last: unknown; last !== this.#work; ) {
      last = this.#work;
      await this.#work;
    }
  }

  plug(number: number): SimulatedPlug {
    const plug = this.plugs[number - 1];
    if (plug === undefined) throw new Error(`the simulated station has no connector ${number}`);
    return plug;
  }

  async plugIn(number = 1): Promise<void> {
    const plug = this.plug(number);
    plug.plugged = true;
    this.do(() => this.#protocol.status(plug));
    const { awaited } = plug;
    plug.awaited = null;
    if (awaited !== null) this.begin(plug, awaited);
    await this.idle();
  }

  async unplug(number = 1): Promise<void> {
    const plug = this.plug(number);
    if (plug.transaction !== null) this.end(plug, 'EVDisconnected');
    await this.idle();
    plug.plugged = false;
    this.do(() => this.#protocol.status(plug));
    await this.idle();
  }

  /** Starts charging, after a card or a remote start; without a car it waits for one. */
  begin(plug: SimulatedPlug, idTag: string): void {
    if (!plug.plugged) {
      plug.awaited = idTag;
      return;
    }
    plug.run(this.options.clock.now());
    this.do(() => this.#protocol.begin(plug, idTag));
  }

  /** Presents a card and charges if it is accepted; returns the central system's status. */
  async card(idTag: string, number = 1): Promise<string> {
    const status = await this.#protocol.authorize(idTag);
    if (status === 'Accepted') this.begin(this.plug(number), idTag);
    await this.idle();
    return status;
  }

  end(plug: SimulatedPlug, reason: string): void {
    this.do(async () => {
      plug.run(this.options.clock.now());
      await this.#protocol.end(plug, reason);
      plug.limits.delete('transaction');
    });
  }

  /** Sets a limit on these plugs, and reports a start or stop of power and the new measurements. */
  limit(
    plugs: readonly SimulatedPlug[],
    { id, purpose }: { readonly id: number; readonly purpose: Purpose },
    periods: readonly Period[],
  ): void {
    this.#profiles.set(id, { plugs, purpose });
    const now = this.options.clock.now();
    for (const plug of plugs) {
      plug.run(now);
      const before = plug.amperes;
      plug.limits.set(purpose, periods);
      this.#turned(plug, before);
      // The station follows its schedule by its own clock, connected or not.
      for (const { from } of periods) {
        if (from > now)
          this.options.clock.after(from - now, () => this.#turned(plug, plug.amperesAt(from - 1)));
      }
    }
  }

  /** Clears the schedules of a connector, or the one with an id; returns whether there were any. */
  clear(connector: number | undefined, id: number | undefined): boolean {
    const meant = id === undefined ? undefined : this.#profiles.get(id);
    if (id !== undefined && meant === undefined) return false;
    const purposes: readonly Purpose[] = meant === undefined ? ['transaction', 'default'] : [meant.purpose];
    const plugs = meant?.plugs ?? (connector === undefined ? this.plugs : [this.plug(connector)]);
    const had = plugs.map((plug) => {
      plug.run(this.options.clock.now());
      const before = plug.amperes;
      const cleared = purposes.filter((purpose) => plug.limits.delete(purpose)).length > 0;
      this.#turned(plug, before);
      return cleared;
    });
    return had.includes(true);
  }

  #turned(plug: SimulatedPlug, before: number): void {
    plug.run(this.options.clock.now());
    if (plug.transaction === null) return;
    if (before > 0 !== plug.amperes > 0) this.do(() => this.#protocol.turned(plug));
    this.do(() => this.#protocol.meter(plug));
  }

  reportMeters(): void {
    for (const plug of this.plugs) this.do(() => this.#measure(plug));
  }

  reportStatus(plugs: readonly SimulatedPlug[] = this.plugs): void {
    for (const plug of plugs) this.do(() => this.#protocol.status(plug));
  }

  boot(): void {
    this.do(() => this.#protocol.boot());
  }

  #measure(plug: SimulatedPlug): Promise<void> {
    plug.run(this.options.clock.now());
    return this.#protocol.meter(plug);
  }

  #tick(): void {
    this.#stopTicking();
    this.#stopTicking = this.options.clock.after(this.meterSeconds * 1000, () => {
      for (const plug of this.plugs) if (plug.transaction !== null) this.do(() => this.#measure(plug));
      this.#tick();
    });
  }

  async #answer(action: string, params: unknown): Promise<Record<string, unknown>> {
    this.received.push({ action, params });
    this.options.onCall?.(action, params);
    const has = (list: readonly string[] | undefined) =>
      list?.some((name) => name === action || JSON.stringify(params).includes(`"${name}"`)) === true;
    if (has(this.quirks.hangs)) await new Promise(() => undefined);
    if (has(this.quirks.notImplemented)) throw callError('NotImplemented', 'no handler');
    if (has(this.quirks.rejects)) return { status: 'Rejected' };
    return { ...(await this.#protocol.handlers[action]?.(params as never)) };
  }
}

import { RPCClient } from 'ocpp-rpc';
import { type Clock, rfc3339 } from '../../core/clock.ts';
import { callError, type Rpc } from './rpc.ts';
import { type Period, type Purpose, SimulatedPlug } from './simulated-plug.ts';
import { speak16 } from './simulator16.ts';
import { speak201 } from './simulator201.ts';

export type { SimulatedPlug } from './simulated-plug.ts';

/** What real stations do that the specification does not. */
export interface Quirks {
  /** Sends energy as text in kWh with a long tail (Solidstudio). */
  readonly kilowattHours?: boolean;
  /** Sends StatusNotification without a timestamp, and none for connector 0 (SAP, Solidstudio; 1.6). */
  readonly bareStatus?: boolean;
  /** Sends values both for each phase and for all of them (SAP). */
  readonly phasesToo?: boolean;
  /** Sends Authorize before it answers a remote start (SAP). */
  readonly authorizesFirst?: boolean;
  /** Sends sequence number 0 throughout (Solidstudio, 2.0.1). */
  readonly seqNoZero?: boolean;
  /** Tells the charging state of a transaction when it changes, and not again (MicroOcpp, Mobility House; 2.0.1). */
  readonly statesOnce?: boolean;
  /** Says Charging as long as a transaction runs, also when it is paused (MicroOcpp, SAP, Solidstudio; 1.6). */
  readonly staysCharging?: boolean;
  /** Takes limits in watt only. */
  readonly wattsOnly?: boolean;
  /** Takes charging schedules of one period only. */
  readonly onePeriod?: boolean;
  /** Says that it has no smart charging. */
  readonly noSmartCharging?: boolean;
  /** Its clock stands at the beginning of 1970. */
  readonly noClock?: boolean;
  /** Actions, or purposes of charging profiles, that it answers with NotImplemented, with Rejected, or not at all. */
  readonly notImplemented?: readonly string[];
  readonly rejects?: readonly string[];
  readonly hangs?: readonly string[];
}

export interface SimulatorOptions {
  /** Without the identity, such as `ws://127.0.0.1:3000/ocpp`. */
  readonly url: string;
  readonly identity: string;
  readonly password: string;
  readonly protocol: 'ocpp1.6' | 'ocpp2.0.1';
  readonly clock: Clock;
  readonly connectors?: number;
  readonly quirks?: Quirks;
  /** Keeps what it cannot deliver, and delivers it in order when it is connected again. */
  readonly keeps?: boolean;
  /** Connects again by itself, this long after it lost the connection. */
  readonly reconnectMs?: number;
  /** Hears what the central system calls. */
  readonly onCall?: (action: string, params: unknown) => void;
}

/** What differs between the protocol versions, on the station's side. */
export interface Tongue {
  readonly handlers: Readonly<Record<string, (params: never) => object | Promise<object>>>;
  boot(): Promise<void>;
  /** Asks whether a card may charge; what the central system said. */
  authorize(idTag: string): Promise<string>;
  status(plug: SimulatedPlug): Promise<void>;
  begin(plug: SimulatedPlug, idTag: string): Promise<void>;
  end(plug: SimulatedPlug, reason: string): Promise<void>;
  /** Power began or ceased to flow within a transaction. */
  turned(plug: SimulatedPlug): Promise<void>;
  meter(plug: SimulatedPlug): Promise<void>;
}

/** A charging station that speaks the real protocol over a real socket, with a car for each connector. */
export class SimulatedStation {
  readonly options: SimulatorOptions;
  readonly quirks: Quirks;
  readonly plugs: SimulatedPlug[];
  /** What the central system called, in order. */
  readonly received: { readonly action: string; readonly params: unknown }[] = [];
  meterSeconds = 60;
  /** The charging profiles that it was given, by id. */
  readonly #profiles = new Map<
    number,
    { readonly plugs: readonly SimulatedPlug[]; readonly purpose: Purpose }
  >();
  readonly #tongue: Tongue;
  #client: Rpc | null = null;
  #work: Promise<void> = Promise.resolve();
  #stopTicking: () => void = () => undefined;
  #ended = false;
  /** Resolves at the next connection. */
  #again = Promise.withResolvers<void>();

  constructor(options: SimulatorOptions) {
    this.options = options;
    this.quirks = options.quirks ?? {};
    this.plugs = Array.from(
      { length: options.connectors ?? 1 },
      (_, index) => new SimulatedPlug(index + 1, options.clock),
    );
    this.#tongue = options.protocol === 'ocpp1.6' ? speak16(this) : speak201(this);
  }

  /** How many periods a charging schedule may have. */
  get mostPeriods(): number {
    return this.quirks.onePeriod === true ? 1 : 24;
  }

  get now(): string {
    return this.quirks.noClock === true ? '1970-01-01T00:01:00Z' : rfc3339(this.options.clock.now());
  }

  /** Connects; boots as after power-up unless told that it only lost its network. */
  async connect({ boots = true }: { boots?: boolean } = {}): Promise<void> {
    const { url, identity, password, protocol, reconnectMs, clock } = this.options;
    const client = new RPCClient({
      endpoint: url,
      identity,
      password,
      protocols: [protocol],
      strictMode: true,
      strictModeValidators: [],
      reconnect: false,
      maxReconnects: 0,
      callTimeoutMs: 10_000,
      pingIntervalMs: 60_000,
      deferPingsOnActivity: false,
      respondWithDetailedErrors: false,
      callConcurrency: 1,
      maxBadMessages: Number.POSITIVE_INFINITY,
      wsOpts: {},
      headers: {},
      backoff: { initialDelay: 1000, maxDelay: 2000, factor: 2, randomisationFactor: 0 },
    });
    for (const [action, handler] of Object.entries(this.#tongue.handlers)) {
      client.handle(action, ({ params }) => this.#answer(action, params, handler));
    }
    client.on('close', () => {
      this.#stopTicking();
      if (this.#ended || reconnectMs === undefined) return;
      clock.after(reconnectMs, () => void this.connect({ boots: false }).catch(() => undefined));
    });
    await client.connect();
    this.#client = client;
    this.#again.resolve();
    this.#again = Promise.withResolvers();
    this.#tick();
    if (boots) {
      this.do(() => this.#tongue.boot());
      for (const plug of this.plugs) this.do(() => this.#tongue.status(plug));
    }
    await this.idle();
  }

  /** Closes the connection; the car and the running transaction stay. */
  async disconnect(): Promise<void> {
    this.#ended = true;
    // A call that is left hanging would be waited for.
    await this.#client?.close({ code: 1000, force: this.quirks.hangs !== undefined });
    this.#ended = false;
  }

  /** The station's end of the connection, for what no well-behaved station sends. */
  get rpc(): Rpc {
    if (this.#client === null) throw new Error('the simulated station is not connected');
    return this.#client;
  }

  /** A call of the station's, sent as it is; one that keeps what it cannot deliver sends it until it has an answer. */
  async call(action: string, params: object): Promise<Record<string, unknown>> {
    for (;;) {
      const { promise: again } = this.#again;
      try {
        return (await this.rpc.call(action, params)) as Record<string, unknown>;
      } catch (error) {
        const wasAnswered = error instanceof Error && 'rpcErrorCode' in error;
        if (this.options.keeps !== true || wasAnswered) throw error;
        await again;
      }
    }
  }

  /** Does one thing after what is being done. What the central system refuses is left, as a station leaves it. */
  do(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch(() => undefined);
  }

  /** Resolves when all that was begun has been done and answered. */
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
    this.do(() => this.#tongue.status(plug));
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
    this.do(() => this.#tongue.status(plug));
    await this.idle();
  }

  /** Charging starts with a tag at the station or a remote start; without a car it waits for one. */
  begin(plug: SimulatedPlug, idTag: string): void {
    if (!plug.plugged) {
      plug.awaited = idTag;
      return;
    }
    plug.run(this.options.clock.now());
    this.do(() => this.#tongue.begin(plug, idTag));
  }

  /** A card is held to the reader: it begins to charge when it is accepted. What the central system said. */
  async card(idTag: string, number = 1): Promise<string> {
    const status = await this.#tongue.authorize(idTag);
    if (status === 'Accepted') this.begin(this.plug(number), idTag);
    await this.idle();
    return status;
  }

  end(plug: SimulatedPlug, reason: string): void {
    this.do(async () => {
      plug.run(this.options.clock.now());
      await this.#tongue.end(plug, reason);
      plug.limits.delete('transaction');
    });
  }

  /** Lays a limit on one plug, or on all; tells when power began or ceased to flow, and the new measurements. */
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
      // It keeps its schedule by its own clock, connected or not.
      for (const { from } of periods) {
        if (from > now)
          this.options.clock.after(from - now, () => this.#turned(plug, plug.amperesAt(from - 1)));
      }
    }
  }

  /** Forgets the schedules of a connector, or the one with an id; whether there were any. */
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
    if (before > 0 !== plug.amperes > 0) this.do(() => this.#tongue.turned(plug));
    this.do(() => this.#tongue.meter(plug));
  }

  tellMeters(): void {
    for (const plug of this.plugs) this.do(() => this.#measure(plug));
  }

  tellStatus(): void {
    for (const plug of this.plugs) this.do(() => this.#tongue.status(plug));
  }

  boot(): void {
    this.do(() => this.#tongue.boot());
  }

  #measure(plug: SimulatedPlug): Promise<void> {
    plug.run(this.options.clock.now());
    return this.#tongue.meter(plug);
  }

  #tick(): void {
    this.#stopTicking();
    this.#stopTicking = this.options.clock.after(this.meterSeconds * 1000, () => {
      for (const plug of this.plugs) if (plug.transaction !== null) this.do(() => this.#measure(plug));
      this.#tick();
    });
  }

  async #answer(
    action: string,
    params: unknown,
    handler: (params: never) => object | Promise<object>,
  ): Promise<Record<string, unknown>> {
    this.received.push({ action, params });
    this.options.onCall?.(action, params);
    const has = (list: readonly string[] | undefined) =>
      list?.some((name) => name === action || JSON.stringify(params).includes(`"${name}"`)) === true;
    if (has(this.quirks.hangs)) await new Promise(() => undefined);
    if (has(this.quirks.notImplemented)) throw callError('NotImplemented', 'no handler');
    if (has(this.quirks.rejects)) return { status: 'Rejected' };
    return { ...(await handler(params as never)) };
  }
}

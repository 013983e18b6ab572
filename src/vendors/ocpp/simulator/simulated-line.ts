import { RPCClient } from 'ocpp-rpc';
import type { Rpc } from '../wire/rpc.ts';
import type { SimulatorOptions } from './simulated-plug.ts';

/** Responds to a call of the central system. */
type Hear = (action: string, params: unknown) => Promise<Record<string, unknown>>;

/** The simulated station's end of the WebSocket: connects, reconnects where the options say so, and sends calls. */
export class SimulatedLine {
  readonly #options: SimulatorOptions;
  #client: Rpc | null = null;
  #ended = false;
  /** Resolves at the next connection. */
  #again = Promise.withResolvers<void>();

  constructor(options: SimulatorOptions) {
    this.#options = options;
  }

  /** `hear` handles these actions; `lost` is called when the connection ends, `back` when it should reconnect. */
  async connect(
    actions: readonly string[],
    {
      hear,
      lost,
      back,
    }: { readonly hear: Hear; readonly lost: () => void; readonly back: () => Promise<void> },
  ): Promise<void> {
    const { url, identity, password, protocol, reconnectMs, clock } = this.#options;
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
    for (const action of actions) client.handle(action, ({ params }) => hear(action, params));
    client.on('close', () => {
      lost();
      if (this.#ended || reconnectMs === undefined) return;
      clock.after(reconnectMs, () => void back().catch(() => undefined));
    });
    await client.connect();
    this.#client = client;
    this.#again.resolve();
    this.#again = Promise.withResolvers();
  }

  async close(): Promise<void> {
    this.#ended = true;
    // A normal close would wait for calls that the simulator never answers.
    await this.#client?.close({ code: 1000, force: this.#options.quirks?.hangs !== undefined });
    this.#ended = false;
  }

  get rpc(): Rpc {
    if (this.#client === null) throw new Error('the simulated station is not connected');
    return this.#client;
  }

  /** Sends a call; with `keeps`, retries after each reconnect until it has a response. */
  async call(action: string, params: object): Promise<Record<string, unknown>> {
    for (;;) {
      const { promise: again } = this.#again;
      try {
        return (await this.rpc.call(action, params)) as Record<string, unknown>;
      } catch (error) {
        const wasAnswered = error instanceof Error && 'rpcErrorCode' in error;
        if (this.#options.keeps !== true || wasAnswered) throw error;
        await again;
      }
    }
  }
}

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { send } from '../../adapter/adapters.ts';
import type { StationServer } from '../../adapter/dial-in.ts';
import type { DeviceRef, LinkKey, Session } from '../../adapter/session.ts';
import { type Clock, systemClock } from '../../core/clock.ts';
import { charger } from './charger.ts';
import type { Credentials } from './credentials.ts';
import { DEFAULTS, type StationOptions } from './options.ts';
import { openStations } from './server.ts';
import type { SimulatorOptions } from './simulator/simulated-plug.ts';
import { SimulatedStation } from './simulator/simulator.ts';
import { MemoryHost, type MemoryLink } from './test-memory-host.ts';
import { type ChargerRaw, statusOf } from './translate.ts';

/** Short enough for a test, long enough for a busy machine. */
const QUICK: StationOptions = { ...DEFAULTS, settleMs: 1_000, bootMs: 150, lingerMs: 300, suspectMs: 20 };

export const KEY: LinkKey = { account: 1, link: 'one' };
export const IDENTITY = 'CP:A1';
export const PASSWORD = 'correct horse';

/** The installation as it may be described when linking. */
export type Installed = Partial<Pick<Credentials, 'installation_max_a' | 'fallback_a' | 'phases' | 'id_tag'>>;

/** A platform, a real HTTP server on a free port, and the stations of one test. */
export class World {
  readonly host: MemoryHost;
  readonly options: StationOptions;
  readonly #stations: SimulatedStation[] = [];
  #http: Server | null = null;
  port = 0;
  #stationServer: StationServer;

  constructor(options: Partial<StationOptions> = {}, clock: Clock = systemClock) {
    this.host = new MemoryHost(clock);
    this.options = { ...QUICK, ...options };
    this.#stationServer = openStations(this.host, this.options);
  }

  get server(): StationServer {
    return this.#stationServer;
  }

  get link(): MemoryLink {
    return this.host.of(KEY);
  }

  async open(credentials: Installed = {}): Promise<this> {
    await this.host.link(KEY, { identity: IDENTITY, password: PASSWORD, ...credentials });
    const http = createServer();
    http.on('upgrade', (request, socket, head) => this.#stationServer.upgrade(request, socket, head));
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    this.#http = http;
    this.port = (http.address() as AddressInfo).port;
    return this;
  }

  /** Restarts the station server. */
  async restart(): Promise<void> {
    await this.#stationServer.close();
    this.#stationServer = openStations(this.host, this.options);
  }

  async close(): Promise<void> {
    await Promise.all(this.#stations.map((station) => station.disconnect()));
    await this.#stationServer.close();
    this.#http?.closeAllConnections();
    await new Promise((resolve) => this.#http?.close(resolve));
  }

  station(options: Partial<SimulatorOptions> = {}): SimulatedStation {
    const station = new SimulatedStation({
      url: `ws://127.0.0.1:${this.port}/ocpp`,
      identity: IDENTITY,
      password: PASSWORD,
      protocol: 'ocpp1.6',
      clock: this.host.clock,
      ...options,
    });
    this.#stations.push(station);
    return station;
  }

  session(key: LinkKey = KEY): Session {
    const station = this.#stationServer.station(key);
    const { credentials } = this.host.of(key);
    return this.host.session(key, {
      credentials,
      ...(station !== undefined && { station }),
      frames: () => this.#stationServer.frames(key),
    });
  }

  device(connector = 1, id = IDENTITY): DeviceRef {
    return { ...KEY, id, type: 'charger', details: { connector } };
  }

  async read(connector = 1): Promise<ChargerRaw> {
    return (await charger.read(this.session(), this.device(connector))) as ChargerRaw;
  }
}

/** Polls a condition, since a test of both ends of a socket cannot await it; names it when it gives up. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 8_000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`never came: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

interface Setting {
  readonly world: World;
  readonly station: SimulatedStation;
}

interface Wish {
  readonly station?: Partial<SimulatorOptions>;
  readonly options?: Partial<StationOptions>;
  /** The clock of the test; real time when absent. */
  readonly clock?: Clock;
  readonly credentials?: Installed;
}

/** A world with one station that is connected and has answered the configuration requests. */
export async function settle(
  t: TestContext,
  { station: wish = {}, options = {}, clock, credentials = {} }: Wish = {},
): Promise<Setting> {
  const world = await new World(options, clock).open(credentials);
  t.after(() => world.close());
  const station = world.station(wish);
  await station.connect();
  await until('it has a name', () => world.link.discovered?.[0]?.name !== undefined);
  await station.idle();
  return { world, station };
}

/** Sends a command as the platform does. */
export const command = (world: World, type: 'start_charge' | 'stop_charge', connector = 1) =>
  send(charger, world.session(), world.device(connector), { type });
export const setCurrent = (
  world: World,
  current_a: number,
  ending: { readonly for_seconds?: number; readonly then_current_a?: number } = {},
) => send(charger, world.session(), world.device(), { type: 'set_current', current_a, ...ending });
export const charging = async (world: World) => statusOf(await world.read()).charging;

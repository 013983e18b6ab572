import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TurnedClock, turnedClock } from '../../core/clock.ts';
import type { Quirks } from './simulated-options.ts';
import type { SimulatedStation } from './simulator.ts';
import { type Cut, Line } from './test-line.ts';
import { command, setCurrent } from './test-settled-station.ts';
import { until, World } from './test-world.ts';
import { energyOf, powerOf, statusOf } from './translate.ts';

type Protocol = 'ocpp1.6' | 'ocpp2.0.1';

/** Real stations do both, which makes the live state hard to determine. */
const QUIRKS: Quirks = { statesOnce: true, staysCharging: true };

interface Setting {
  readonly protocol: Protocol;
  readonly restarts: boolean;
}

/** A station, a connection that may break, and the service, on a clock that only the session advances. */
class Session {
  readonly clock: TurnedClock = turnedClock();
  readonly world: World;
  readonly line: Line;
  readonly station: SimulatedStation;
  /** The reported state after each step. */
  readonly states: unknown[] = [];

  /** Whether the service restarts while the connection is down. */
  readonly restarts: boolean;

  constructor(world: World, line: Line, { protocol, restarts }: Setting) {
    this.clock = world.host.clock as TurnedClock;
    this.world = world;
    this.line = line;
    this.restarts = restarts;
    const url = `ws://127.0.0.1:${line.port}/ocpp`;
    this.station = world.station({ protocol, url, keeps: true, quirks: QUIRKS });
  }

  /** Waits until no message is in flight; after a cut, until the station has reconnected and reported its state. */
  async quiet(): Promise<void> {
    let before = -1;
    await until('no message is in flight', async () => {
      if (!this.line.isUp) {
        const cuts = this.line.cuts;
        await until('the service has noticed', () => this.world.server.count() === 0);
        if (this.restarts) await this.world.restart();
        this.station.connect({ boots: false }).catch(() => undefined);
        await until('the connection is up', () => this.world.server.count() === 1);
        assert.equal(this.line.cuts, cuts);
        // The time that a station has to boot: its state is requested then.
        this.clock.turn(this.world.options.bootMs);
        return false;
      }
      const now = this.line.passed.length;
      const isQuiet = this.line.isQuiet && now === before;
      before = now;
      return isQuiet && (await this.isIdle());
    });
  }

  /** Whether the station has sent everything; it sends nothing while the connection is down. */
  isIdle(): Promise<boolean> {
    const idle = this.station.idle().then(() => true);
    const { promise: notYet, resolve } = Promise.withResolvers<boolean>();
    setImmediate(() => resolve(false));
    return Promise.race([idle, notYet]);
  }

  /** Sends a command as its user would: again after a lost connection, unless it has already had its effect. */
  async commanded(send: () => Promise<void>, hasEffect: () => Promise<boolean>): Promise<void> {
    try {
      await send();
    } catch (error) {
      if (this.line.cuts === 0) throw error;
      await this.quiet();
      if (!(await hasEffect())) await send();
    }
    await this.quiet();
  }

  async step(name: string): Promise<void> {
    this.clock.turn(60_000);
    await this.quiet();
    this.station.reportMeters();
    await this.quiet();
    const raw = await this.world.read();
    const { charging } = statusOf(raw);
    this.states.push({
      name,
      charging,
      power_w: powerOf(raw),
      energy_wh: Math.round(energyOf(raw) ?? 0),
      limit_a: raw.limit_a,
      in_transaction: raw.in_transaction,
    });
  }

  async run(): Promise<void> {
    const { world, station } = this;
    const running = async () => (await world.read()).in_transaction;
    const never = async () => false;
    station.connect().catch(() => undefined);
    await until('the connection is up', () => this.line.isUp || this.line.cuts > 0);
    await this.quiet();
    station.plugIn().catch(() => undefined);
    await this.quiet();
    await this.step('plugged in');
    await this.commanded(() => command(world, 'start_charge'), running);
    await this.step('started');
    await this.commanded(() => setCurrent(world, 10), never);
    await this.step('limited');
    await this.commanded(() => setCurrent(world, 0), never);
    await this.step('paused');
    await this.commanded(() => command(world, 'start_charge'), never);
    await this.step('resumed');
    await this.commanded(
      () => command(world, 'stop_charge'),
      async () => !(await running()),
    );
    await this.step('stopped');
  }
}

interface Outcome {
  readonly states: readonly unknown[];
  readonly transactions: readonly unknown[];
  readonly energies: readonly number[];
  readonly messages: number;
  readonly cuts: number;
}

const seconds = (at: number) => Math.floor(at / 1000);

async function outcomeOf(protocol: Protocol, cut: Cut | null): Promise<Outcome> {
  // A boot time of a millisecond, so that the time while the connection is down does not show in the figures.
  const world = await new World(
    { bootMs: 1, messagesPerSecond: 1_000, messagesBurst: 1_000 },
    turnedClock(),
  ).open();
  const line = await new Line(world.port, cut).open();
  const session = new Session(world, line, { protocol, restarts: (cut?.at ?? 0) % 2 === 1 });
  try {
    await session.run();
    const { starts, ends, observed } = world.link;
    return {
      states: session.states,
      transactions: starts.map(({ transactionId, startedAt, meterStartWh, idTag }) => ({
        ...{ startedAt: seconds(startedAt), meterStartWh, idTag },
        ends: ends
          .filter((end) => end.transactionId === transactionId)
          .map(({ endedAt, meterStopWh, reason }) => [
            seconds(endedAt),
            Math.round(meterStopWh ?? 0),
            reason,
          ]),
      })),
      energies: observed.map(({ raw }) => energyOf(raw as never) ?? 0),
      messages: line.passed.length,
      cuts: line.cuts,
    };
  } finally {
    line.close();
    await world.close();
  }
}

/** Fails a session that never ends, so that the others can go on. */
function inTime<T>(work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('the session never ended')), 60_000);
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Concurrent sessions: each mostly waits for its sockets. */
const AT_ONCE = 8;

async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

for (const protocol of ['ocpp1.6', 'ocpp2.0.1'] as const) {
  test(`${protocol}: state and transactions are the same wherever the connection breaks`, async () => {
    const whole = await outcomeOf(protocol, null);
    assert.equal(whole.cuts, 0);
    assert.deepEqual(whole.transactions.length, 1);
    // At every second message the service restarts too.
    const cuts = Array.from({ length: whole.messages }, (_, at) => at).flatMap((at) => [
      { at, arrives: false },
      { at, arrives: true },
    ]);
    assert.ok(cuts.length > 100, `${cuts.length} sessions`);
    const faults: unknown[] = [];
    await forEach(cuts, async (cut) => {
      try {
        const broken = await inTime(outcomeOf(protocol, cut));
        assert.equal(broken.cuts, 1);
        assert.deepEqual(broken.states, whole.states);
        assert.deepEqual(broken.transactions, whole.transactions);
        const sunk = broken.energies.findIndex((energy, index) => energy < (broken.energies[index - 1] ?? 0));
        assert.equal(sunk, -1, `energy ran backwards: ${broken.energies}`);
      } catch (error) {
        faults.push([cut, error instanceof Error ? error.message : error]);
      }
    });
    assert.deepEqual(faults, []);
  });
}

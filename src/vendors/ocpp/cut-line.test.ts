import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TurnedClock, turnedClock } from '../../core/clock.ts';
import type { Quirks } from './simulator/simulated-plug.ts';
import type { SimulatedStation } from './simulator/simulator.ts';
import { bare } from './test-bare-station.ts';
import { chargerState, frames16, frames201, reconnect } from './test-frames.ts';
import { type Cut, Line } from './test-line.ts';
import { command, setCurrent, until, World } from './test-world.ts';
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

const QUICKLY = { options: { settleMs: 50 } };

for (const word of ['Available', 'Preparing']) {
  for (const reconnects of [false, true]) {
    const after = reconnects ? ', then lost its connection,' : '';

    test(`1.6: a station that booted${after} and says ${word} is sent a start, whatever ran before`, async (t) => {
      const { world, station } = await bare(t, 'ocpp1.6', QUICKLY);
      await station.connect();
      const frames = frames16(world, station);
      const lost = await frames.start(100, { at: -60 });
      await frames.status('Charging', -59);
      await frames.meter(lost, { power: 7_000, energy: 150 }, -30);
      await reconnect(world, station, false);
      await frames.boot();
      await frames.status(word);
      if (reconnects) await reconnect(world, station, true);
      assert.deepEqual(await chargerState(world), [false, 0, 150]);
      await command(world, 'start_charge');
      assert.equal(station.calls('RemoteStartTransaction').length, 1);
      const next = await frames.start(150);
      assert.equal((await world.read()).in_transaction, true);
      assert.deepEqual(
        world.link.ends.map(({ transactionId, reason }) => [transactionId, reason]),
        [[String(lost), reconnects ? 'Unknown' : 'PowerLoss']],
      );
      await command(world, 'start_charge');
      assert.equal(station.calls('RemoteStartTransaction').length, 1, 'one is running');
      await frames.stop(next, 160);
    });
  }
}

test('1.6: a station that booted and continues its transaction is not sent another start', async (t) => {
  const { world, station } = await bare(t, 'ocpp1.6', QUICKLY);
  await station.connect();
  const frames = frames16(world, station);
  const transaction = await frames.start(100, { at: -60 });
  await frames.status('Charging', -59);
  for (const goesOn of [
    () => frames.status('SuspendedEV'),
    () => frames.meter(transaction, { power: 5_000 }),
  ]) {
    await frames.boot();
    await goesOn();
    await command(world, 'start_charge');
  }
  assert.deepEqual(await chargerState(world), [true, 5_000, 100]);
  assert.deepEqual(station.calls('RemoteStartTransaction'), []);
});

test('2.0.1: a station that booted has the state that it reported since, and is sent a start', async (t) => {
  const { world, station } = await bare(t, 'ocpp2.0.1', QUICKLY);
  await station.connect();
  const frames = frames201(world, station);
  await frames.status('Occupied', -60);
  await frames.started('lost', { at: -60, card: 'C', energy: 100, info: { chargingState: 'Charging' } });
  await frames.updated('lost', { at: -30, power: 5_520, energy: 150 });
  await frames.boot();
  await frames.status('Occupied');
  assert.deepEqual(await chargerState(world), [null, null, 150], 'the transaction may or may not continue');
  await frames.status('Available');
  const state = { online: true, connected: false, charging: false, operation_state: 'Available' };
  assert.deepEqual(statusOf(await world.read()), state);
  assert.deepEqual(await chargerState(world), [false, 0, 150]);
  await frames.status('Occupied');
  await command(world, 'start_charge');
  assert.equal(station.calls('RequestStartTransaction').length, 1);
  await frames.started('next', { energy: 150, info: { chargingState: 'Charging' } });
  assert.deepEqual(
    world.link.ends.map(({ transactionId, reason }) => [transactionId, reason]),
    [['lost', 'PowerLoss']],
  );
});

test('2.0.1: a station that booted and continues its transaction is not sent another start', async (t) => {
  const { world, station } = await bare(t, 'ocpp2.0.1', QUICKLY);
  await station.connect();
  const frames = frames201(world, station);
  await frames.started('tx', { at: -60, card: 'C', energy: 100, info: { chargingState: 'Charging' } });
  await frames.boot();
  await frames.status('Occupied');
  await frames.updated('tx', { power: 5_000, energy: 150 });
  await command(world, 'start_charge');
  assert.deepEqual(await chargerState(world), [true, 5_000, 150]);
  assert.equal((await world.read()).word, 'Charging');
  assert.deepEqual(station.calls('RequestStartTransaction'), []);
});

test('1.6: a start that a station refuses after its boot is reported as refused', async (t) => {
  const { world, station } = await bare(t, 'ocpp1.6', QUICKLY);
  station.answers.RemoteStartTransaction = { status: 'Rejected' };
  await station.connect();
  const frames = frames16(world, station);
  await frames.start(100);
  await frames.boot();
  await frames.status('Preparing');
  await until('the status has arrived', async () => (await world.read()).word === 'Preparing');
  await assert.rejects(command(world, 'start_charge'), { code: 'vendor.refused' });
});

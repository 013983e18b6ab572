import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { systemClock } from '../src/core/clock.ts';
import type { Database } from '../src/db/database.ts';
import { createDeviceStore, type Sighting } from '../src/domain/devices/store.ts';
import { openCore } from '../test/kit/core-world.ts';
import { ENGINES, type Engine, makePlace } from '../test/kit/databases.ts';
import { testVendor } from '../test/kit/vendor-for-tests.ts';
import { addAccount } from './account.ts';
import { median } from './load.ts';
import { plainSightings } from './plain-sightings.ts';
import { count, percent, run, type Section } from './report.ts';

/** Each has its next state as soon as the one before is stored. */
const DEVICES = 1_000;
const ROUNDS = 5;
const ROUND_MS = 2_000;
/** How long one load lasts, at the end of which history is to be where the log is. */
const HISTORY_MS = 10_000;
const MOST_BEHIND_SECONDS = 2;
/** State changes a second. */
const TARGETS: Readonly<Record<Engine, number>> = { sqlite: 5_000, postgres: 3_000 };

interface Contender {
  readonly database: Database;
  /** Stores states for so long; how many a second, and the processor time of this process for each. */
  drive(milliseconds: number): Promise<Measured>;
  remove(): Promise<void>;
}

interface Measured {
  readonly perSecond: number;
  readonly cpuMicros: number;
}

type See = (sighting: Sighting) => Promise<unknown>;

async function contender(engine: Engine, seeOf: (database: Database) => See): Promise<Contender> {
  const vendor = testVendor();
  vendor.devices = Array.from({ length: DEVICES }, (_, index) => `charger-${index}`);
  const place = await makePlace(engine);
  const core = await openCore({ place, clock: systemClock, adapters: [vendor.adapter] });
  const account = await addAccount(core.database);
  await core.link(account, 'testvendor');
  const see = seeOf(core.database);
  let energy = 0;
  /** What a charger reports every few seconds: another value each time. */
  const sighting = (id: string): Sighting => {
    energy += 1;
    const at = Date.now();
    const state = {
      online: true,
      connected: true,
      charging: true,
      power_w: 11_000 - (energy % 50),
      energy_wh: energy,
    };
    const limits = { min_a: 6, max_a: 32, min_w: null, max_w: null };
    return {
      account,
      vendor: 'testvendor',
      id,
      seen: { state, limits, capacity: null, observedAt: at, fetchedAt: at },
    };
  };
  return {
    database: core.database,
    async drive(milliseconds) {
      const before = process.cpuUsage();
      const began = performance.now();
      const end = began + milliseconds;
      let stored = 0;
      await Promise.all(
        vendor.devices.map(async (id) => {
          while (performance.now() < end) {
            await see(sighting(id));
            stored += 1;
          }
        }),
      );
      const { user, system } = process.cpuUsage(before);
      return {
        perSecond: (stored * 1_000) / (performance.now() - began),
        cpuMicros: (user + system) / stored,
      };
    },
    async remove() {
      await core.close();
      await place.remove();
    },
  };
}

/** Events that history has not applied. */
async function behindOf({ queries }: Database): Promise<number> {
  const { rows } = await sql<{ behind: number }>`
    select count(*) as behind from events join event_readers on event_readers.name = 'history'
    where events.tx > event_readers.tx or (events.tx = event_readers.tx and events.id > event_readers.id)`.execute(
    queries,
  );
  return Number(rows[0]?.behind);
}

async function bench(engine: Engine): Promise<Section> {
  let changes = 0;
  const logged = await contender(engine, (database) => {
    const { see } = createDeviceStore(database);
    return (sighting) => {
      changes += 1;
      return see(sighting);
    };
  });
  const plain = await contender(engine, plainSightings);
  const ours: Measured[] = [];
  const theirs: Measured[] = [];
  for (const one of [logged, plain]) await one.drive(ROUND_MS);
  for (let round = 0; round < ROUNDS; round += 1) {
    ours.push(await logged.drive(ROUND_MS));
    theirs.push(await plain.drive(ROUND_MS));
  }
  const { events } = await logged.database.queries
    .selectFrom('events')
    .select(({ fn }) => fn.countAll<number>().as('events'))
    .where('type', '=', 'device.state_changed')
    .executeTakeFirstOrThrow();
  assert.equal(events, changes, 'each change has its event');
  const whole = await logged.drive(HISTORY_MS);
  const behind = await behindOf(logged.database);
  const ended = performance.now();
  while ((await behindOf(logged.database)) > 0) await setTimeout(20);
  const caughtUpMs = performance.now() - ended;
  await logged.remove();
  await plain.remove();
  const of = (measured: readonly Measured[], what: keyof Measured) =>
    median(measured.map((one) => one[what]));
  const perSecond = of(ours, 'perSecond');
  const ratio = median(
    ours.map((one, round) => one.perSecond / (theirs[round]?.perSecond ?? Number.POSITIVE_INFINITY)),
  );
  const target = TARGETS[engine];
  return {
    title: `State changes of ${count(DEVICES)} devices with their events, ${engine}`,
    note: 'each device has its next state when the one before is durable; the opponent stores the same states in the same shared commits, without events; history is made of the events in the same process',
    rows: [
      {
        what: 'State changes a second',
        figure: count(perSecond),
        against: `without events ${count(of(theirs, 'perSecond'))}`,
        ratio: percent(ratio),
        target: `at least ${count(target)}`,
        met: perSecond >= target,
      },
      {
        what: 'Processor time of a change, without the database server',
        figure: `${Math.round(of(ours, 'cpuMicros'))} µs`,
        against: `without events ${Math.round(of(theirs, 'cpuMicros'))} µs`,
      },
      {
        what: `State changes a second over ${HISTORY_MS / 1_000} s, with event and history`,
        figure: count(whole.perSecond),
        target: `at least ${count(target)}`,
        met: whole.perSecond >= target,
      },
      {
        what: 'Changes that history does not have at the end of that load',
        figure: `${count(behind)}, for ${caughtUpMs.toFixed(0)} ms`,
        target: `those of ${MOST_BEHIND_SECONDS} s at most`,
        met: behind <= MOST_BEHIND_SECONDS * whole.perSecond,
      },
    ],
  };
}

await run(ENGINES.map((engine) => async () => [await bench(engine)]));

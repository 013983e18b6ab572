import { setTimeout } from 'node:timers/promises';
import { systemClock } from '../src/core/clock.ts';
import { openCore } from '../test/kit/core-world.ts';
import { placeAt } from '../test/kit/databases.ts';
import { testVendor } from '../test/kit/vendor-for-tests.ts';
import { answerQuestions, ready } from './child-side.ts';

// One of several instances on a PostgreSQL: its devices report a state every few seconds, and it is asked for some devices of the others.
interface Work {
  readonly account: number;
  readonly link: string;
  /** Devices that report to this instance. */
  readonly own: readonly string[];
  /** Devices of others that it is asked for. */
  readonly watched: readonly string[];
  readonly everyMs: number;
  readonly askedMs: number;
  /** Moments are told as the power of a device, ms since this one. */
  readonly began: number;
}

const work = JSON.parse(process.env.BENCH_WORK ?? '') as Work;
const vendor = testVendor({ pollSeconds: 3_600 });
const core = await openCore({
  place: placeAt(process.env.BENCH_DIR ?? '', process.env.BENCH_URL),
  clock: systemClock,
  adapters: [vendor.adapter],
});
const { account, link, own, watched, everyMs, askedMs, began } = work;
let isOver = false;
let lateness: number[] = [];
let changes = 0;
const untold = new Set<string>();

async function report(id: string, index: number): Promise<void> {
  await setTimeout((everyMs * index) / own.length);
  for (let due = performance.now(); !isOver; due += everyMs) {
    const of = { account, link, vendor: 'testvendor' };
    await core.devices.observe(of, id, { online: true, on: true, watt: Date.now() - began });
    changes += 1;
    untold.add(id);
    await setTimeout(Math.max(0, due + everyMs - performance.now()));
  }
}

/** Notes how old a state is when it is first answered. */
async function watch(id: string): Promise<void> {
  let last = Number.NaN;
  while (!isOver) {
    const { state } = JSON.parse(await core.devices.read(account, id)) as { state: { power_w?: number } };
    if (state.power_w !== undefined && state.power_w !== last) {
      if (!Number.isNaN(last)) lateness.push(Date.now() - began - state.power_w);
      last = state.power_w;
    }
    await setTimeout(askedMs);
  }
}

/** As it was before instances read the log: each shared commit is followed by a message with what has changed. */
async function tell(): Promise<void> {
  while (!isOver) {
    await setTimeout(20);
    if (untold.size === 0) continue;
    const devices = [...untold].map((id) => [account, id]);
    untold.clear();
    await core.devices.flush();
    await core.database.bus.publish('devices.announced', { from: 'bench', devices });
  }
}

const working = Promise.all([
  ...own.map(report),
  ...watched.map(watch),
  ...(process.env.BENCH_TELLS === undefined ? [] : [tell()]),
]);

answerQuestions(
  async () => {
    isOver = true;
    await working;
    await core.close();
  },
  {
    found: () => {
      const found = { lateness, changes };
      [lateness, changes] = [[], 0];
      return found;
    },
  },
);
ready({});

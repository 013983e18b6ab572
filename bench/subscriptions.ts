import { setTimeout } from 'node:timers/promises';
import { systemClock } from '../src/core/clock.ts';
import { openCore } from '../test/kit/core-world.ts';
import { type Engine, makePlace } from '../test/kit/databases.ts';
import { snapshotStore } from '../test/kit/snapshots.ts';
import { testVendor } from '../test/kit/vendor-for-tests.ts';
import { startChild } from './children.ts';
import { quantile } from './load.ts';
import { count, ms, percent, type Section, sized } from './report.ts';
import { addAccount } from './year.ts';

const ACCOUNTS = sized(50, 3);
/** Subscriptions of each account, as many as it may have; the dead ones are among them. */
const OF_ACCOUNT = 20;
const DEAD_OF_ACCOUNT = 2;
/** Each account has a state change so often, which goes to all its subscriptions. */
const CHANGE_MS = 2_000;
const WARM_UP_MS = sized(20_000, 3_000);
const WATCH_MS = sized(30_000, 4_000);
const MOST_P99_MS = 1_000;
const WANTED = { types: ['device.state_changed'], device: null, userRef: null };

/** Events on their way to the servers of apps. */
export async function subscriptionsBench(engine: Engine): Promise<Section[]> {
  const receiver = await startChild<{ readonly base: string }>('serve-receiver.ts');
  const vendor = testVendor();
  const place = await makePlace(engine);
  const core = await openCore({ place, clock: systemClock, adapters: [vendor.adapter] });
  const { write } = snapshotStore(core.database);
  const accounts: number[] = [];
  for (let index = 0; index < ACCOUNTS; index += 1) {
    const id = await addAccount(core.database, index);
    vendor.devices = ['charger'];
    await core.link(id, 'testvendor');
    accounts.push(id);
  }
  const subscribe = async (path: string, each: number) => {
    for (const account of accounts)
      for (let index = 0; index < each; index += 1)
        await core.subscriptions.create(
          account,
          { ...WANTED, url: `${receiver.ready.base}/${path}` },
          'hmac-sha256',
        );
  };
  core.subscriptions.start();

  let changes = 0;
  const change = async (account: number) => {
    changes += 1;
    const at = Date.now();
    const seen = {
      state: { online: true, power_w: changes },
      ...{ limits: null, capacity: null, observedAt: at, fetchedAt: at },
    };
    await write({ account, vendor: 'testvendor', id: 'charger', snapshot: seen });
  };
  let isOver = false;
  const driven = accounts.map(async (account, index) => {
    // Spread over the interval, as homes are.
    await setTimeout((CHANGE_MS * index) / ACCOUNTS);
    for (let due = performance.now(); !isOver; due += CHANGE_MS) {
      await change(account);
      await setTimeout(Math.max(0, due + CHANGE_MS - performance.now()));
    }
  });

  const watch = async () => {
    await setTimeout(WARM_UP_MS);
    await receiver.ask('arrivals');
    const [before, cpu] = [changes, process.cpuUsage()];
    await setTimeout(WATCH_MS);
    const { user, system } = process.cpuUsage(cpu);
    const cpuShare = (user + system) / 1_000 / WATCH_MS;
    const expected = (changes - before) * (OF_ACCOUNT - DEAD_OF_ACCOUNT);
    const arrivals = await receiver.ask<number[]>('arrivals');
    return { arrivals, p99: quantile(arrivals, 0.99), p50: quantile(arrivals, 0.5), expected, cpuShare };
  };
  await subscribe('living', OF_ACCOUNT - DEAD_OF_ACCOUNT);
  const alone = await watch();
  await subscribe('dead', DEAD_OF_ACCOUNT);
  const beside = await watch();
  isOver = true;
  await Promise.all(driven);
  await core.close();
  await place.remove();
  await receiver.stop();
  return [
    {
      title: `${count(ACCOUNTS * OF_ACCOUNT)} subscriptions of ${ACCOUNTS} accounts, ${count(ACCOUNTS * DEAD_OF_ACCOUNT)} of them to receivers that never answer, ${engine}`,
      note: `a state of each account changes every ${CHANGE_MS / 1_000} s and is posted to all its receivers; the opponent is the same without the dead ones`,
      rows: [
        {
          what: 'From the change to the receiver, 99th percentile',
          figure: ms(beside.p99),
          against: `without the dead ones ${ms(alone.p99)}`,
          ratio: percent(beside.p99 / alone.p99),
          target: `under ${ms(MOST_P99_MS)}`,
          met: beside.p99 < MOST_P99_MS,
        },
        {
          what: 'the median',
          figure: ms(beside.p50),
          against: `without the dead ones ${ms(alone.p50)}`,
        },
        {
          what: 'Events that came to living receivers, of those due in that time',
          figure: `${count(beside.arrivals.length)} of ${count(beside.expected)}`,
          against: `without the dead ones ${count(alone.arrivals.length)} of ${count(alone.expected)}`,
        },
        {
          what: 'Processor time of the process, of one core',
          figure: percent(beside.cpuShare),
          against: `without the dead ones ${percent(alone.cpuShare)}`,
        },
      ],
    },
  ];
}

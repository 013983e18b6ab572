import { writeSync } from 'node:fs';
import { systemClock } from '../../src/core/clock.ts';
import { AppError } from '../../src/core/errors.ts';
import { openCore } from '../kit/core-world.ts';
import { placeAt } from '../kit/databases.ts';
import { snapshotStore } from '../kit/snapshots.ts';
import { testVendor } from '../kit/vendor-for-tests.ts';

// States, commands and links of an account, each printed once it is done, until the process is killed: by itself after so many of them
// and one of each kind, unless something else does it before. `first` is the first of its values, which no other process has.
const [dataDir = '', account = '', first = '', killedAfter = '', url] = process.argv.slice(2);
const owner = Number(account);
const SEEN = Array.from({ length: 8 }, (_, index) => `light-${index}`);
const COMMANDED = Array.from({ length: 3 }, (_, index) => `light-commanded-${index}`);

let value = Number(first);
const next = () => {
  value += 1;
  return value;
};
let done = 0;
const kinds = new Set<string>();
/** Returns when the reader has it, or will have: a pipe that is full refuses more until the reader has read some. */
function write(line: string): void {
  for (;;) {
    try {
      writeSync(1, line);
      return;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
function print(
  kind: 'seen' | 'commanded' | 'linked' | 'removed',
  ...words: readonly (string | number)[]
): void {
  write(`${[kind, ...words].join(' ')}\n`);
  done += 1;
  kinds.add(kind);
  if (done >= Number(killedAfter) && kinds.size === 4) process.kill(process.pid, 'SIGKILL');
}

const vendor = testVendor();
vendor.onLink = async ({ credentials: { user } }) => {
  vendor.devices = user === 'home' ? [...SEEN, ...COMMANDED] : [`light-of-${user}`];
};
vendor.onRead = async () => {
  const watt = next();
  vendor.reading = { online: watt % 5 !== 0, on: watt % 2 === 0, watt };
};
const FAULTS = [null, 'vendor.refused', 'vendor.timeout'] as const;
vendor.onCommand = async () => {
  const fault = FAULTS[next() % FAULTS.length] ?? null;
  if (fault !== null) throw new AppError(fault, 'as the test has it');
};

const core = await openCore({ place: placeAt(dataDir, url), clock: systemClock, adapters: [vendor.adapter] });
const store = snapshotStore(core.database);

async function seeForever(id: string, see: typeof store.write): Promise<never> {
  for (;;) {
    const watt = next();
    const state = { online: watt % 3 !== 0, power_w: watt, ...(watt % 2 === 0 ? { power_on: true } : {}) };
    const at = Date.now();
    const seen = { state, limits: null, capacity: null, observedAt: at, fetchedAt: at };
    await see({ account: owner, vendor: 'testvendor', id, snapshot: seen });
    print('seen', id, watt);
  }
}

async function commandForever(id: string): Promise<never> {
  for (;;) {
    await core.send(owner, id, { type: 'turn_on' }).catch(() => {});
    print('commanded', id);
  }
}

async function linkForever(): Promise<never> {
  for (let isKept = false; ; isKept = !isKept) {
    const user = `guest-${next()}`;
    const credentials = { user, password: 'p' };
    const linked = {
      account: owner,
      vendor: 'testvendor',
      userRef: user,
      credentials,
      begun: async () => {},
    };
    const { link } = await core.links.link(linked);
    print('linked', user, link);
    if (isKept) continue;
    await core.links.remove(owner, link);
    print('removed', user, link);
  }
}

await core.link(owner, 'testvendor', { user: 'home', password: 'p' });
await Promise.all([
  ...SEEN.map((id, index) => seeForever(id, index % 2 === 0 ? store.write : store.writeInBackground)),
  ...COMMANDED.map(commandForever),
  linkForever(),
]);

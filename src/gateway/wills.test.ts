import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Duplex, duplexPair } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { turnedClock } from '../core/clock.ts';
import type { JsonObject } from '../core/json.ts';
import { willFile } from './will-file.ts';
import { createWills, type Wills } from './wills.ts';
import { type Destination, failure } from './wire/protocol.ts';
import { WILL_PATHS } from './wire/wills.ts';

const MINUTE = 60_000;
const KEY = 'a battery';

const willOf = (changes: JsonObject = {}): JsonObject => ({
  key: KEY,
  version: 'v1',
  after_ms: 3 * MINUTE,
  steps: [{ to: '192.168.1.5:502', exchanges: [{ send: btoa('auto'), reply: btoa('ok') }] }],
  ...changes,
});

/** A gateway with a device, as far as its wills go. */
function world(test: Pick<TestContext, 'after'>) {
  const dataDir = mkdtempSync(join(tmpdir(), 'elnav-wills-'));
  test.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const clock = turnedClock();
  const heard: string[] = [];
  const opened: string[] = [];
  const printed: string[] = [];
  const print = (line: string) => void printed.push(line);
  const here = {
    ...{ dataDir, clock, heard, opened, printed },
    /** What the device answers; null: it is not there. */
    reply: 'ok' as string | null,
    /** The device's end of the newest connection. */
    device: undefined as Duplex | undefined,
    start: (): Wills => createWills({ file: willFile(dataDir, print), clock, open, print }),
    /** Lets time pass, second by second, with what is sent in it. */
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 1_000) {
        clock.turn(1_000);
        await turns();
      }
    },
  };
  async function open({ host, port }: Destination) {
    opened.push(`${host}:${port}`);
    if (here.reply === null) throw failure('ETIMEDOUT', 'it is not there');
    const [near, far] = duplexPair();
    here.device = far;
    far.on('data', (chunk: Buffer) => {
      heard.push(chunk.toString());
      far.write(here.reply ?? '');
    });
    return near;
  }
  return here;
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

const listOf = (wills: Wills) =>
  (wills.answer(WILL_PATHS.list, {}) as { wills: JsonObject[] }).wills.map(
    ({ key, version, state }) => `${key} ${version} ${state}`,
  );

/** A gateway that was connected, has a will, and has just lost Connect. */
function lost(here: ReturnType<typeof world>, will: JsonObject = willOf()): Wills {
  const wills = here.start();
  wills.connected();
  wills.answer(WILL_PATHS.leave, will);
  wills.lost();
  return wills;
}

describe('a will of a gateway', () => {
  it('a will of a gateway is carried out once, when Connect was not heard for its time', async (test) => {
    const here = world(test);
    const wills = lost(here);
    await here.pass(3 * MINUTE - 1_000);
    assert.deepEqual(here.heard, []);
    await here.pass(1_000);
    assert.deepEqual(here.heard, ['auto']);
    assert.deepEqual(listOf(wills), ['a battery v1 done']);
    await here.pass(60 * MINUTE);
    assert.deepEqual(here.heard, ['auto']);
  });

  it('a will of a gateway is not carried out while Connect is heard, nor when it was withdrawn', async (test) => {
    const here = world(test);
    const wills = here.start();
    wills.connected();
    wills.answer(WILL_PATHS.leave, willOf());
    await here.pass(10 * MINUTE);
    wills.heard();
    wills.lost();
    await here.pass(2 * MINUTE);
    wills.connected();
    wills.lost();
    await here.pass(2 * MINUTE);
    assert.deepEqual(here.opened, [], 'its time begins again with each sign of life');
    wills.connected();
    wills.answer(WILL_PATHS.withdraw, { keys: [KEY] });
    wills.lost();
    await here.pass(10 * MINUTE);
    assert.deepEqual(here.opened, []);
    assert.equal(wills.count, 0);
  });

  it('a will of a gateway is given way to Connect in the middle of it, and said to have begun', async (test) => {
    const here = world(test);
    here.reply = '';
    const exchanges = ['first', 'second'].map((text) => ({ send: btoa(text), reply: btoa('ok') }));
    const wills = lost(here, willOf({ steps: [{ to: '192.168.1.5:502', exchanges }] }));
    await here.pass(3 * MINUTE);
    assert.deepEqual(here.heard, ['first']);
    wills.connected();
    here.device?.write('ok');
    await turns();
    await here.pass(10 * MINUTE);
    assert.deepEqual([here.heard, listOf(wills)], [['first'], ['a battery v1 begun']]);
  });

  it('a will of a gateway is tried again for a day where it fails, less and less often', async (test) => {
    const here = world(test);
    here.reply = null;
    const wills = lost(here);
    await here.pass(4 * MINUTE);
    const soon = here.opened.length;
    assert.ok(soon >= 3 && soon <= 6, `${soon} times in a minute`);
    here.reply = 'no';
    await here.pass(30 * MINUTE);
    assert.ok(
      here.heard.length >= 4 && here.heard.length <= 12,
      `${here.heard.length} times in half an hour`,
    );
    assert.deepEqual(listOf(wills), ['a battery v1 begun']);
    here.clock.turn(24 * 60 * MINUTE);
    await turns();
    const before = here.opened.length;
    await here.pass(20 * MINUTE);
    assert.ok(here.opened.length - before <= 1, 'and then no more');
  });

  it('a will of a gateway ends when the device answers at last', async (test) => {
    const here = world(test);
    here.reply = null;
    const wills = lost(here);
    await here.pass(5 * MINUTE);
    here.reply = 'ok';
    await here.pass(5 * MINUTE);
    assert.deepEqual([here.heard, listOf(wills)], [['auto'], ['a battery v1 done']]);
  });

  it('a will of a gateway leaves out the steps after one that failed', async (test) => {
    const here = world(test);
    here.reply = 'no';
    const [step] = willOf().steps as JsonObject[];
    assert.ok(step !== undefined);
    lost(here, willOf({ steps: [step, { ...step, to: '192.168.1.6:502' }] }));
    await here.pass(3 * MINUTE);
    assert.deepEqual(here.opened, ['192.168.1.5:502']);
  });

  it('a will of a gateway goes on after a restart, from when Connect was heard last', async (test) => {
    const here = world(test);
    lost(here).close();
    assert.equal(statSync(join(here.dataDir, 'wills.json')).mode & 0o777, 0o600);
    await here.pass(2 * MINUTE);
    const again = here.start();
    await here.pass(MINUTE - 1_000);
    assert.deepEqual(here.heard, []);
    await here.pass(1_000);
    assert.deepEqual(here.heard, ['auto']);
    again.close();
    // And what was done is not done again.
    here.start();
    await here.pass(10 * MINUTE);
    assert.deepEqual(here.heard, ['auto']);
  });

  it('a will of a gateway waits half a minute for Connect where the gateway has just started', async (test) => {
    const here = world(test);
    lost(here).close();
    here.clock.turn(60 * MINUTE);
    here.start();
    await here.pass(29_000);
    assert.deepEqual(here.heard, []);
    await here.pass(1_000);
    assert.deepEqual(here.heard, ['auto']);
  });

  it('a will of a gateway is dropped where Connect was there and has not renewed it for long', async (test) => {
    const here = world(test);
    const wills = here.start();
    wills.connected();
    wills.answer(WILL_PATHS.leave, willOf());
    await here.pass(16 * MINUTE);
    wills.heard();
    wills.lost();
    await here.pass(10 * MINUTE);
    assert.deepEqual([here.opened, wills.count], [[], 0]);
  });

  it('a will of a gateway is replaced by the next one of its key', async (test) => {
    const here = world(test);
    const wills = lost(here);
    await here.pass(3 * MINUTE);
    wills.connected();
    wills.answer(WILL_PATHS.leave, willOf({ version: 'v2' }));
    assert.deepEqual(listOf(wills), ['a battery v2 kept']);
    wills.lost();
    await here.pass(3 * MINUTE);
    assert.deepEqual(here.heard, ['auto', 'auto']);
  });

  it('a will of a gateway is refused where it is none, or leads nowhere, or there are too many', (test) => {
    const wills = world(test).start();
    for (const wrong of [
      { after_ms: 0 },
      { after_ms: '180000' },
      { key: '' },
      { steps: [] },
      { steps: [{ to: 'nowhere', exchanges: [{ send: '', reply: '' }] }] },
      { steps: [{ to: '192.168.1.5:502', exchanges: [{ send: 'not base64!', reply: '' }] }] },
      { steps: [{ to: '192.168.1.5:502', exchanges: [] }] },
    ])
      assert.throws(() => wills.answer(WILL_PATHS.leave, willOf(wrong)), { code: 'EINVAL' });
    assert.throws(() => wills.answer(WILL_PATHS.leave, {}), { code: 'EINVAL' });
    for (let one = 0; one < 256; one += 1) wills.answer(WILL_PATHS.leave, willOf({ key: `k${one}` }));
    assert.throws(() => wills.answer(WILL_PATHS.leave, willOf()), { code: 'EBUSY' });
    assert.equal(wills.answer('/unknown', {}), undefined);
  });

  it('a will of a gateway is forgotten with a file that is not understood', (test) => {
    const here = world(test);
    writeFileSync(join(here.dataDir, 'wills.json'), '{"wills":[{"will":1}]}');
    assert.equal(here.start().count, 0);
    assert.match(here.printed.join(), /wills\.json could not be read, and is ignored/);
  });
});

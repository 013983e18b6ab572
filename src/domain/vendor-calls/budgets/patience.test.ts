import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { makeCoreWorld } from '../../../../test/kit/core-world.ts';
import { until } from '../../../../test/kit/until.ts';
import { EMPTY_RESPONSE, testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import type { Adapter } from '../../../adapter/adapter.ts';
import { vendorFailure } from '../../../adapter/failures.ts';
import { HttpFailure } from '../../../adapter/http.ts';
import { limit } from '../../../adapter/kit/index.ts';

const ON = { type: 'turn_on' } as const;

describe('a call beyond a limit of its vendor', () => {
  /** A vendor of lamps that permits two calls in so many seconds, and tells what it was sent when, in seconds. */
  async function limited(test: Pick<TestContext, 'after'>, seconds: number) {
    const vendor = testVendor();
    vendor.devices = ['light-1', 'light-2', 'light-3', 'light-4'];
    const adapter: Adapter = {
      ...vendor.adapter,
      hosts: { api: 'https://vendor.example' },
      budgets: [limit('calls', { calls: 3, seconds, reserve: 0, source: 'a test' })],
    };
    const sent: string[] = [];
    let failure: HttpFailure | undefined;
    const world = await makeCoreWorld('sqlite', [adapter], {
      hostOf: () => ({
        async send({ path }) {
          sent.push(`${path} ${(world.clock.now() - begun) / 1_000}`);
          if (failure !== undefined) throw failure;
          return EMPTY_RESPONSE;
        },
      }),
    });
    test.after(() => world.remove());
    const account = await world.newAccount();
    await world.link(account, 'testvendor');
    const begun = world.clock.now();
    const call =
      (use: 'read' | 'command') =>
      async (...[device, , session]: Parameters<typeof vendor.onCommand>) => {
        await session.http.send({ path: `${use} ${device.id}`, use }).catch((cause: unknown) => {
          throw vendorFailure('Test vendor', cause);
        });
      };
    vendor.onCommand = call('command');
    const reads = (
      device: Parameters<typeof vendor.onRead>[0],
      session: Parameters<typeof vendor.onRead>[1],
    ) => call('read')(device, ON, session);
    /** Lets time pass second by second, with what is due in it. */
    const pass = async (count: number) => {
      for (let second = 0; second < count; second += 1) {
        world.clock.turn(1_000);
        for (let turn = 0; turn < 30; turn += 1) await setImmediate();
      }
    };
    const ask = (id: string) => world.read(account, id);
    const command = (id: string) => world.send(account, id, ON);
    return {
      ...{ vendor, world, account, sent, reads, pass, ask, command },
      fail: (with_: HttpFailure | undefined) => {
        failure = with_;
      },
    };
  }

  it('a command beyond a limit of some seconds waits for it, and is carried out', async (test) => {
    const { sent, pass, command } = await limited(test, 1);
    await command('light-1');
    await command('light-2');
    const third = command('light-3');
    await pass(2);
    assert.equal((await third).id, 'light-3');
    assert.equal(sent.length, 3);
    assert.ok(Number(sent[2]?.split(' ')[2]) >= 1, sent[2]);
  });

  it('a command waits for no longer than ten seconds: where that is known beforehand, it is refused at once', async (test) => {
    const { sent, command } = await limited(test, 60);
    await command('light-1');
    await command('light-2');
    await assert.rejects(command('light-3'), { code: 'vendor.rate_limited' });
    assert.equal(sent.length, 2);
  });

  it('a command goes before a read that came first, where both wait for the same limit', async (test) => {
    const { vendor, sent, reads, pass, ask, command } = await limited(test, 2);
    await command('light-1');
    await command('light-1');
    vendor.onRead = reads;
    const read = ask('light-2').catch((error: unknown) => error);
    await pass(0);
    vendor.onRead = async (device, session) => (device.id === 'light-2' ? reads(device, session) : undefined);
    const commands = [command('light-3'), command('light-4')];
    await pass(14);
    await Promise.all(commands);
    await read;
    const late = sent.slice(2).map((one) => one.split(' ').slice(0, 2).join(' '));
    assert.deepEqual(late.slice(0, 2), ['command light-3', 'command light-4']);
  });

  it('a read beyond a limit waits for some seconds, and is refused beyond that', async (test) => {
    const short = await limited(test, 1);
    short.vendor.onRead = short.reads;
    await short.ask('light-1');
    await short.ask('light-2');
    const waiting = short.ask('light-3');
    await short.pass(3);
    assert.equal(typeof (await waiting), 'object');
    const long = await limited(test, 10);
    long.vendor.onRead = long.reads;
    await long.ask('light-1');
    await long.ask('light-2');
    await assert.rejects(long.ask('light-3'), { code: 'vendor.rate_limited' });
  });

  it('a command waits for a vendor that refuses calls for some seconds', async (test) => {
    const { vendor, sent, reads, pass, ask, command, fail } = await limited(test, 1);
    vendor.onRead = reads;
    fail(new HttpFailure('rate_limited', 'enough', { status: 429, retryAfterSeconds: 5 }));
    await assert.rejects(ask('light-1'), { code: 'vendor.rate_limited', retryAfterSeconds: 5 });
    fail(undefined);
    vendor.onRead = async () => {};
    const late = command('light-1');
    await pass(6);
    await late;
    assert.deepEqual(sent.slice(1), ['command light-1 5']);
  });

  it('a command that waits is given up with its time, and is then not sent', async (test) => {
    const { vendor, world, sent, pass, command } = await limited(test, 10);
    vendor.onCommand = async (device, _command, session) => {
      for (const part of [1, 2, 3])
        await session.http.send({ path: `part ${part} of ${device.id}`, use: 'command' });
    };
    const late = command('light-1').catch((error: { code: string }) => error.code);
    await until('it waits', () => sent.length === 2);
    const { clock } = world;
    clock.turn(14_000);
    assert.equal(await late, 'command.outcome_unknown');
    await pass(20);
    assert.equal(sent.length, 2);
  });
});

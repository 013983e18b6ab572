import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import type { Adapter } from '../src/adapter/adapter.ts';
import type { Exchange, Target } from '../src/adapter/connections.ts';
import type { Session } from '../src/adapter/session.ts';
import { conforms } from '../src/proof/conformance/index.ts';
import { openLocalVendor } from './kit/local-vendor.ts';
import { meters } from './kit/meters.ts';

const right = meters();
const { light } = right.kinds;
const { turn_on: turnOn, turn_off: turnOff } = light.controls.on_off ?? assert.fail();

/** What the adapter asks its connections for, changed. */
interface Changed {
  readonly exchange?: (exchange: Exchange) => Exchange;
  readonly target?: (target: Target, exchange: Exchange) => Target;
}

/** The meters, with what they ask of their connections changed. */
function asking({ exchange = (one) => one, target = (one) => one }: Changed): Adapter {
  const changed = (session: Session): Session => ({
    ...session,
    connections: {
      ...session.connections,
      tcp: (to) => ({
        exchange: (one) => session.connections.tcp(target(to, one)).exchange(exchange(one)),
      }),
    },
  });
  return {
    ...right,
    link: (session) => right.link(changed(session)),
    kinds: {
      light: {
        ...light,
        read: (session, device) => light.read(changed(session), device),
        controls: {
          on_off: {
            turn_on: (session, device, command) => turnOn(changed(session), device, command),
            turn_off: (session, device, command) => turnOff(changed(session), device, command),
          },
        },
      },
    },
  };
}

const withLight = (changes: Partial<typeof light>): Adapter => ({
  ...right,
  kinds: { light: { ...light, ...changes } },
});

let before: Promise<unknown> = Promise.resolve();

/** Deliberate mistakes, and what is said of each. */
const MISTAKES: Readonly<Record<string, readonly [Adapter, RegExp]>> = {
  'says of a command that it reads': [
    asking({ exchange: ({ use: _use, ...rest }) => rest }),
    /^hang: a turn_on that was taken .*: vendor\.timeout/m,
  ],
  'sends a command again that was not answered': [
    withLight({
      controls: {
        on_off: {
          turn_off: turnOff,
          turn_on: (session, device, command) =>
            turnOn(session, device, command).catch(() => turnOn(session, device, command)),
        },
      },
    }),
    /^reset: a turn_on .*: the device was told write 0 = 1, write 0 = 1, and write 0 = 1 is the whole/m,
  ],
  'links whatever answers': [
    {
      ...right,
      link: async (session) => {
        await light.read(session, { account: 1, link: 'l', id: 'lamp-1', type: 'light', details: {} });
        return { vendorAccount: 'lamps', devices: [{ id: 'lamp-1', type: 'light' }] };
      },
    },
    /^a wrong device is not linked: nothing failed/m,
  ],
  'reads something where nothing came': [
    withLight({
      read: (session, device) => light.read(session, device).catch(() => ({ on: 0, watt: 0 })),
    }),
    /^refused: read light: nothing failed/m,
  ],
  'waits for a response for a minute': [
    asking({ exchange: (one) => ({ ...one, timeoutMs: 60_000 }) }),
    /^hang: read light: it does not end within 14 s/m,
  ],
  'takes any bytes for a response': [
    asking({ exchange: (one) => ({ ...one, responseLength: ({ length }) => length }) }),
    /^garbage: read light: vendor\.refused instead of vendor\.answer_invalid/m,
  ],
  'fails where a value is unknown': [
    withLight({
      status: (raw) => {
        const status = light.status(raw);
        if (status.power_on === null) throw new Error('neither on nor off');
        return status;
      },
    }),
    /^unknown values: read light: neither on nor off/m,
  ],
  'throws what callers cannot be told': [
    withLight({
      read: (session, device) =>
        light.read(session, device).catch(() => {
          throw new TypeError('on is undefined');
        }),
    }),
    /^exception: read light: not an AppError: TypeError/m,
  ],
  'opens connections of its own': [
    withLight({
      read: async (session, device) => {
        const { host, port } = session.credentials;
        connect(Number(port), String(host)).on('error', () => {});
        return light.read(session, device);
      },
    }),
    /^connections are closed with the link: \d+ are open after/m,
  ],
  'opens two connections for one link': [
    asking({
      target: (to, { use }) => (use === 'list' ? { ...to, host: '127.1' } : to),
    }),
    /^all work of a link shares one connection: 2 were opened/m,
  ],
  'makes each link wait for all others': [
    withLight({
      read: (session, device) => {
        const read = before.then(() => light.read(session, device));
        before = read.catch(() => {});
        return read;
      },
    }),
    /^another link goes on while this one hangs: it waits for it/m,
  ],
};

const faultsOf = async (adapter: Adapter) => {
  const { simulator, close } = await openLocalVendor(adapter);
  const findings = await conforms(adapter, simulator).finally(close);
  return findings.flatMap(({ check, fault }) => (fault === null ? [] : [`${check}: ${fault}`])).join('\n');
};

describe('the conformance of vendors that are reached over connections', () => {
  for (const [mistake, [adapter, said]] of Object.entries(MISTAKES))
    it(`the conformance of vendors that are reached over connections finds one that ${mistake}`, async () =>
      assert.match(await faultsOf(adapter), said));

  it('the conformance of vendors that are reached over connections finds nothing where nothing is wrong', async () =>
    assert.equal(await faultsOf(right), ''));
});

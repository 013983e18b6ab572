import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { LOOPBACK } from '../../../test/kit/loopback.ts';
import { until } from '../../../test/kit/until.ts';
import type { Exchange, Target } from '../../adapter/connections.ts';
import { turnedClock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import { permittedAddresses, publicAddresses } from '../address-guard.ts';
import { createConnections, type Dialer, directDialer } from './index.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from './test-certificate.ts';
import { echoes, type LineServer, lineLength, lineServer, type Peer } from './test-lines.ts';

const LINK = { account: 1, link: 'link-1' };

interface Options {
  readonly dialer?: Dialer;
  readonly target?: Partial<Target>;
}

/** A server, and connections of a link to it. */
async function served(test: TestContext, peers: readonly Peer[], options: Options = {}) {
  const server = await lineServer(test, peers);
  const clock = turnedClock();
  const dialled: string[] = [];
  const inner = options.dialer ?? directDialer(permittedAddresses(LOOPBACK));
  const connections = createConnections({
    dialerOf: () => ({
      dial(to, signal) {
        dialled.push(`${to.host}:${to.port}`);
        return inner.dial(to, signal);
      },
    }),
    clock,
    // The shortest of the drawn waits: half of the full one.
    random: (bytes) => Buffer.alloc(bytes),
  });
  test.after(() => connections.close());
  const target = { host: '127.0.0.1', port: server.port, ...options.target };
  const ask = async (
    request: string,
    more: Partial<Exchange> & {
      readonly link?: typeof LINK;
      readonly signal?: AbortSignal;
      readonly target?: Target;
    } = {},
  ): Promise<string> => {
    const { link = LINK, signal = new AbortController().signal, ...asked } = more;
    const response = await connections.exchange(
      { ...link, name: 'Meter', ports: [502] },
      { target, request: Buffer.from(request), responseLength: lineLength, ...asked },
      { signal, sent: () => {} },
    );
    return Buffer.from(response).toString().trim();
  };
  return { server, clock, connections, dialled, ask, address: `127.0.0.1:${server.port}` };
}

const failsWith = (code: string, sentence: string | RegExp) => (error: unknown) => {
  assert.ok(error instanceof AppError, String(error));
  assert.equal(error.code, code, error.message);
  if (typeof sentence === 'string') assert.equal(error.message, sentence);
  else assert.match(error.message, sentence);
  return true;
};

/** Lets the network have its time, and the clock stand still. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await setImmediate();
}

const heardBy = ({ heard }: LineServer, count: number) =>
  until('the server has heard so much', () => heard.length >= count);

describe('an exchange over TCP', () => {
  it('an exchange over TCP opens one connection for all that a link asks, one after the other', async (test) => {
    let atOnce = 0;
    let most = 0;
    const slow: Peer = (socket, say) =>
      socket.on('data', (data: Buffer) => {
        atOnce += 1;
        most = Math.max(most, atOnce);
        setTimeout(() => {
          atOnce -= 1;
          // In pieces, as a network may cut it.
          say(String(data));
          setTimeout(() => say('!\n'), 2);
        }, 3);
      });
    const { ask, server, connections } = await served(test, [slow]);
    const asked = ['a', 'b', 'c', 'd', 'e'];
    assert.deepEqual(await Promise.all(asked.map((one) => ask(one))), ['a!', 'b!', 'c!', 'd!', 'e!']);
    assert.deepEqual(server.heard, asked);
    assert.deepEqual([most, server.sockets.length, connections.count()], [1, 1, 1]);
  });

  it('an exchange over TCP has a connection for each link, which ends with the link and nobody else', async (test) => {
    const { ask, server, connections } = await served(test, [echoes]);
    await ask('a');
    await ask('b', { link: { account: 1, link: 'link-2' } });
    await ask('c', { link: { account: 2, link: 'link-1' } });
    assert.equal(server.sockets.length, 3);
    const [first] = server.sockets;
    assert.ok(first !== undefined);
    connections.closeLink(LINK);
    await until('the server sees the end', () => first.closed);
    assert.equal(connections.count(), 2);
    assert.equal(await ask('d', { link: { account: 1, link: 'link-2' } }), 'dd');
    assert.equal(server.sockets.length, 3);
    assert.equal(await ask('e'), 'ee');
    assert.equal(server.sockets.length, 4);
  });

  it('an exchange over TCP is closed when nobody has used it for a while, and opened again', async (test) => {
    const { ask, server, clock, connections } = await served(test, [echoes], { target: { idleSeconds: 30 } });
    await ask('a');
    clock.turn(29_000);
    await ask('b');
    clock.turn(29_000);
    assert.equal(connections.count(), 1);
    const [first] = server.sockets;
    assert.ok(first !== undefined);
    clock.turn(1_000);
    await until('the server sees the end', () => first.closed);
    assert.equal(connections.count(), 0);
    assert.equal(await ask('c'), 'cc');
    assert.equal(server.sockets.length, 2);
  });

  it('an exchange over TCP reads once more where the kept connection had ended, was reset, or is half open', async (test) => {
    const first: Peer = (socket, say) => {
      socket.once('data', (data: Buffer) => {
        say(`${data}\n`);
        socket.once('data', () => socket.resetAndDestroy());
      });
    };
    const ended = await served(test, [first, echoes]);
    await ended.ask('a');
    assert.equal(await ended.ask('b'), 'bb');
    assert.deepEqual(ended.server.heard, ['a', 'b', 'b']);

    const deaf: Peer = (socket, say) => void socket.once('data', (data: Buffer) => say(`${data}\n`));
    const half = await served(test, [deaf, echoes]);
    await half.ask('a');
    const again = half.ask('b');
    await heardBy(half.server, 2);
    half.clock.turn(5_000);
    assert.equal(await again, 'bb');

    const gone = await served(test, [
      (socket) => void socket.once('data', (data: Buffer) => socket.end(`${data}\n`)),
      echoes,
    ]);
    await gone.ask('a');
    await until('the end of the connection is seen', () => gone.connections.count() === 0);
    assert.equal(await gone.ask('b'), 'bb');
    assert.deepEqual(gone.server.heard, ['a', 'b']);
  });

  it('an exchange over TCP never sends a command twice, and says that its outcome is unknown', async (test) => {
    const first: Peer = (socket, say) => {
      socket.once('data', (data: Buffer) => {
        say(`${data}\n`);
        socket.once('data', () => socket.resetAndDestroy());
      });
    };
    const { ask, server, clock } = await served(test, [first, () => {}]);
    await ask('a');
    await assert.rejects(ask('b', { use: 'command' }), failsWith('command.outcome_unknown', /Meter/));
    const slow = ask('c', { use: 'command' });
    await heardBy(server, 3);
    clock.turn(5_000);
    await assert.rejects(slow, failsWith('command.outcome_unknown', /Meter/));
    assert.deepEqual(server.heard, ['a', 'b', 'c']);
  });

  it('an exchange over TCP that is answered too late, or in the middle of which the connection is cut, costs the connection', async (test) => {
    const { ask, server, clock, address } = await served(test, [
      (_socket, say) => say(''),
      (socket, say) =>
        socket.once('data', () => {
          say('half of a l');
          socket.end();
        }),
      echoes,
    ]);
    const slow = ask('a', { timeoutMs: 2_000 });
    await heardBy(server, 1);
    clock.turn(2_000);
    await assert.rejects(slow, failsWith('vendor.timeout', `Meter did not respond in time at ${address}`));
    server.sockets[0]?.write('a response to a\n');
    await assert.rejects(
      ask('b'),
      failsWith('vendor.unreachable', `the connection to Meter at ${address} was lost`),
    );
    assert.equal(await ask('c'), 'cc');
    assert.deepEqual(server.heard, ['a', 'b', 'c']);
  });

  it('an exchange over TCP that is no response, or has no end, costs the connection', async (test) => {
    const { ask, server } = await served(test, [
      (socket, say) => socket.on('data', () => say('?')),
      (socket, say) => socket.on('data', () => say('x'.repeat(70_000))),
      (socket, say) => socket.on('data', (data: Buffer) => say(`${data}\nand more\n`)),
      echoes,
    ]);
    await assert.rejects(ask('a'), failsWith('vendor.answer_invalid', /sent what is no response$/));
    await assert.rejects(ask('b'), failsWith('vendor.answer_invalid', /more than 65536 bytes$/));
    assert.equal(await ask('c'), 'c');
    assert.equal(await ask('d'), 'dd', 'what came besides is no response to it');
    assert.equal(server.sockets.length, 4);
  });

  it('an exchange over TCP does not take what came unasked for the response to what is asked next', async (test) => {
    const { ask, server, connections } = await served(test, [echoes]);
    await ask('a');
    server.sockets[0]?.write('unasked\n');
    await until('it has cost the connection', () => connections.count() === 0);
    assert.equal(await ask('b'), 'bb');
    assert.equal(server.sockets.length, 2);
  });

  it('an exchange over TCP is given up with the call that wanted it, and costs others nothing', async (test) => {
    const { ask, server } = await served(test, [
      (socket, say) => {
        socket.on('data', (data: Buffer) => {
          if (!String(data).includes('slow')) say(`${data}\n`);
        });
      },
    ]);
    const abort = new AbortController();
    const slow = ask('slow', { signal: abort.signal });
    await heardBy(server, 1);
    const waiting = new AbortController();
    const waits = ask('waits', { signal: waiting.signal });
    const other = ask('other');
    waiting.abort();
    await assert.rejects(waits, failsWith('vendor.timeout', /did not respond in time/));
    abort.abort();
    await assert.rejects(slow, failsWith('vendor.timeout', /did not respond in time/));
    assert.equal(await other, 'other');
    assert.deepEqual(server.heard, ['slow', 'other']);
  });
});

describe('a connection that cannot be opened', () => {
  it('a connection that cannot be opened is tried ever later, and says when', async (test) => {
    const { ask, clock, dialled } = await served(test, [echoes], {
      dialer: { dial: () => Promise.reject(Object.assign(new Error('secret'), { code: 'ECONNREFUSED' })) },
    });
    const waits: number[] = [];
    for (let attempt = 0; attempt < 9; attempt += 1) {
      await assert.rejects(
        ask('a'),
        failsWith('vendor.unreachable', /is unreachable at 127.0.0.1:\d+ \(ECONNREFUSED\)$/),
      );
      const refused = await ask('a').catch((error: unknown) => error);
      assert.ok(refused instanceof AppError && refused.retryAfterSeconds !== undefined);
      waits.push(refused.retryAfterSeconds);
      clock.turn(refused.retryAfterSeconds * 1_000);
    }
    assert.deepEqual(waits, [1, 1, 2, 4, 8, 16, 30, 30, 30]);
    assert.equal(dialled.length, 9);
  });

  it('a connection that cannot be opened is not waited for longer than five seconds, even where others want it', async (test) => {
    const { ask, clock, dialled } = await served(test, [echoes], {
      dialer: {
        dial: (_to, signal) =>
          new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      },
    });
    const asked = [
      assert.rejects(ask('a'), failsWith('vendor.timeout', /did not respond in time/)),
      assert.rejects(ask('b'), failsWith('vendor.unreachable', /is unreachable/)),
    ];
    await settle();
    assert.equal(dialled.length, 1);
    clock.turn(5_000);
    await Promise.all(asked);
    assert.equal(dialled.length, 1);
  });

  it('a connection that cannot be opened is not opened at an address or a port that is not permitted', async (test) => {
    const { server, connections } = await served(test, [echoes], { dialer: directDialer(publicAddresses()) });
    const names = publicAddresses(async () => [{ address: '127.0.0.1', family: 4 }]);
    const inside = createConnections({
      dialerOf: () => directDialer(names),
      clock: turnedClock(),
      random: (bytes) => Buffer.alloc(bytes),
    });
    const { signal } = new AbortController();
    const tried = (to: typeof connections, host: string, port: number) =>
      to.exchange(
        { ...LINK, name: 'Meter', ports: [server.port] },
        { target: { host, port }, request: Buffer.from('a'), responseLength: lineLength },
        { signal, sent: () => {} },
      );
    for (const host of ['127.0.0.1', '::ffff:127.0.0.1', '127.1', '0x7f.1', 'localhost', '169.254.169.254'])
      await assert.rejects(
        tried(connections, host, server.port),
        failsWith('vendor.address_not_permitted', /private network|IPv6|link-local/),
        host,
      );
    await assert.rejects(
      tried(inside, 'turns.inside.example', server.port),
      failsWith('vendor.address_not_permitted', /^turns.inside.example leads into a private network/),
    );
    await assert.rejects(
      tried(connections, '93.184.215.14', 25),
      failsWith('vendor.address_not_permitted', /at port \d+ only/),
    );
    assert.equal(server.sockets.length, 0);
    inside.close();
  });

  it('a connection that cannot be opened never leads to the metadata of a cloud, though private addresses are permitted', async (test) => {
    const { connections, ask } = await served(test, [echoes]);
    assert.equal(await ask('a'), 'aa', 'a device of a private network is reached');
    const { signal } = new AbortController();
    for (const host of [
      '169.254.169.254',
      'fe80::1',
      '::ffff:169.254.169.254',
      '0.0.0.0',
      '::',
      'fd00:ec2::254',
      'ff02::1',
    ])
      await assert.rejects(
        connections.exchange(
          { ...LINK, name: 'Meter', ports: [80] },
          { target: { host, port: 80 }, request: Buffer.from('a'), responseLength: lineLength },
          { signal, sent: () => {} },
        ),
        failsWith('vendor.address_not_permitted', /at which no device is/),
        host,
      );
  });
});

describe('a connection with TLS', () => {
  it('a connection with TLS is read like any other, from a host whose certificate is trusted', async (test) => {
    const trusted = getCACertificates('default');
    const server = createServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, (socket) =>
      socket.on('data', (data: Buffer) => socket.write(`${data}\n`)).on('error', () => {}),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    test.after(() => {
      setDefaultCACertificates(trusted);
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const of = (host: string): Target => ({ host, port, isSecure: true });
    const strange = await served(test, [echoes]);
    await assert.rejects(
      strange.ask('a', { target: of('localhost') }),
      failsWith('vendor.unreachable', /DEPTH_ZERO_SELF_SIGNED_CERT/),
    );
    setDefaultCACertificates([...trusted, CERTIFICATE]);
    const known = await served(test, [echoes]);
    assert.equal(await known.ask('a', { target: of('localhost') }), 'a');
    await assert.rejects(
      known.ask('a', { target: of('127.0.0.1') }),
      failsWith('vendor.unreachable', /ERR_TLS_CERT_ALTNAME_INVALID/),
    );
    const plain = await served(test, [echoes], { target: { isSecure: true } });
    await assert.rejects(plain.ask('a'), failsWith('vendor.unreachable', /is unreachable/));
    known.connections.close();
  });
});

describe('connections', () => {
  it('connections of an account are so many at most; those that nobody uses give way', async (test) => {
    const { ask, connections, server } = await served(test, [
      (socket, say) => {
        socket.on('data', (data: Buffer) => {
          if (!String(data).startsWith('held')) say(`${data}\n`);
        });
      },
    ]);
    const linkOf = (index: number) => ({ account: 1, link: `link-${index}` });
    await ask('first', { link: linkOf(0) });
    const abort = new AbortController();
    const held = Array.from({ length: 99 }, (_, index) =>
      ask(`held ${index}`, { link: linkOf(index + 1), signal: abort.signal }),
    );
    await heardBy(server, 100);
    assert.equal(connections.count(), 100);
    await ask('one more', { link: linkOf(100) });
    assert.equal(connections.count(), 100, 'the first gave way');
    const more = Promise.all([
      ask('held a', { link: linkOf(101), signal: abort.signal }),
      ask('b', { link: linkOf(102) }),
    ]);
    await assert.rejects(more, failsWith('vendor.rate_limited', /too many connections are in use/));
    assert.equal(
      await ask('of another account', { link: { account: 2, link: 'link-0' } }),
      'of another account',
    );
    abort.abort();
    await Promise.allSettled(held);
  });

  it('connections end at once when the process stops', async (test) => {
    const { ask, connections, server } = await served(test, [() => {}]);
    const slow = ask('a');
    await heardBy(server, 1);
    connections.close();
    await assert.rejects(slow, failsWith('vendor.unreachable', /was lost$/));
    await assert.rejects(ask('b'), failsWith('vendor.unreachable', /was lost$/));
    assert.equal(connections.count(), 0);
  });
});

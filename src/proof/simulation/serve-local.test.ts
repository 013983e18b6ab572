import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { DeviceFault, LocalSimulator } from '../../adapter/simulator.ts';
import { systemClock } from '../../core/clock.ts';
import { systemRandom } from '../../core/ids.ts';
import { passOn, type ServedLocal, serveLocal } from './serve-local.ts';

const doneAs = (number: number) => `done ${number}`;
const DONE = doneAs(1);

/** Answers each request with its number, and takes a note of it. */
function echo(): LocalSimulator & { readonly heard: string[]; readonly faultsSet: (DeviceFault | null)[] } {
  const heard: string[] = [];
  const faultsSet: (DeviceFault | null)[] = [];
  return {
    heard,
    faultsSet,
    credentials: {},
    faults: ['exception'],
    fault: (next) => void faultsSet.push(next),
    arrange: () => {},
    commands: () => heard,
    accept: (socket) =>
      void socket.on('data', (request) => {
        heard.push(String(request));
        socket.write(doneAs(heard.length));
      }),
  };
}

describe('a simulated device on a port', () => {
  let device: ReturnType<typeof echo>;
  let served: ServedLocal;
  let client: Socket;
  const open = async () => {
    const socket = connect(served.address.port, served.address.host);
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket;
  };
  beforeEach(async () => {
    device = echo();
    served = await serveLocal({
      module: { createLocalSimulator: () => device },
      clock: systemClock,
      random: systemRandom,
    });
    client = await open();
  });
  afterEach(async () => {
    client.destroy();
    await served.close();
  });
  /** What comes back until the connection ends or something whole is there. */
  const ask = async (whole = DONE.length) => {
    let received = '';
    const { promise, resolve } = Promise.withResolvers<string>();
    client.on('data', (chunk) => {
      received += chunk;
      if (received.length >= whole) resolve(received);
    });
    client.on('close', () => resolve(received));
    client.write('read');
    return promise;
  };

  it('a simulated device on a port answers, and counts who is there', async () => {
    assert.equal(await ask(), DONE);
    const second = await open();
    second.destroy();
    await once(second, 'close');
    client.end();
    await once(client, 'close');
    assert.deepEqual(served.connections(), { opened: 2, open: 0, most: 2 });
  });

  it('a simulated device on a port hangs after it has heard the request', async () => {
    await served.fault('hang');
    client.write('write');
    await served.met();
    await served.fault(null);
    assert.equal(await ask(), doneAs(2));
    assert.deepEqual(device.heard, ['write', 'read']);
  });

  it('a simulated device on a port hears nothing of a half-open connection', async () => {
    await served.fault('half_open');
    client.write('write');
    await served.met();
    await served.fault(null);
    assert.equal(await ask(), DONE);
    assert.deepEqual(device.heard, ['read']);
  });

  it('a simulated device on a port cuts a connection instead of the response, or in its middle, after it has heard the request', async () => {
    await served.fault('reset');
    assert.equal(await ask(), '');
    client = await open();
    await served.fault('truncated');
    assert.equal(await ask(), 'don');
    assert.deepEqual(device.heard, ['read', 'read']);
  });

  it('a simulated device on a port sends what is no response', async () => {
    await served.fault('garbage');
    assert.match(await ask(64), /^\uFFFD{64}$/);
  });

  it('a simulated device on a port refuses connections, and listens at the same port when it is mended', async () => {
    await served.fault('refused');
    await served.met();
    await once(client, 'close');
    const refused = connect(served.address.port, served.address.host);
    const [error] = await once(refused, 'error').catch((cause: unknown) => [cause]);
    assert.equal(error.code, 'ECONNREFUSED');
    await served.fault(null);
    client = await open();
    assert.equal(await ask(), DONE);
  });

  it('a simulated device on a port passes faults of the device on, and ends them', async () => {
    await served.fault('exception');
    await served.fault('hang');
    assert.deepEqual(device.faultsSet, ['exception', null]);
  });

  it('a simulated device on a port leads connections to a library that listens by itself', async () => {
    const front = await serveLocal({
      module: {
        createLocalSimulator: () => ({
          ...echo(),
          accept: (socket) => passOn(socket, served.address.port),
        }),
      },
      clock: systemClock,
      random: systemRandom,
    });
    client.destroy();
    client = connect(front.address.port, front.address.host);
    assert.equal(await ask(), DONE);
    client.end();
    await once(client, 'close');
    await front.close();
  });
});

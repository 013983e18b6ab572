import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { StatusCodes } from 'node-opcua-client';
import { LOOPBACK } from '../../../test/kit/loopback.ts';
import { OPCUA_POLICIES, type OpcuaServer } from '../../adapter/connections.ts';
import type { OpcuaTasks } from '../../adapter/reach.ts';
import { type Clock, systemClock, turnedClock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import { systemRandom } from '../../core/ids.ts';
import type { SimulatedVariable } from '../../proof/simulation/opcua/address-space.ts';
import { createOpcuaServer } from '../../proof/simulation/opcua/server.ts';
import { permittedAddresses } from '../address-guard.ts';
import { createConnections, directDialer } from './index.ts';

const NAMESPACE = 'urn:test:plant';
const OWNER = { account: 1, link: 'link-1', name: 'Plant', ports: [4_840] };
const POWER = `nsu=${NAMESPACE};s=Press1.Power`;
const LIMIT = `nsu=${NAMESPACE};s=Press1.Limit`;

interface Plant {
  power: number;
  limit: number;
}

const variablesOf = (plant: Plant): SimulatedVariable[] => [
  { id: 's=Press1.Power', name: 'Power', parent: 'Press1', type: 'Double', read: () => plant.power },
  {
    id: 's=Press1.Limit',
    name: 'Limit',
    parent: 'Press1',
    type: 'UInt16',
    read: () => plant.limit,
    write(value) {
      plant.limit = Number(value);
      return undefined;
    },
  },
  ...Array.from({ length: 50 }, (_, number): SimulatedVariable => {
    const name = `Point${number}`;
    return { id: `i=${number + 1}`, name, parent: 'Many', type: 'Int32', read: () => number };
  }),
];

/** A server on a port of this machine, and connections to it. */
async function plantServer(
  test: TestContext,
  users?: ReadonlyMap<string, string>,
  clock: Clock = systemClock,
) {
  const plant = { power: 12.5, limit: 100 };
  const sockets: Socket[] = [];
  const listener = createServer((socket) => {
    sockets.push(socket);
    server.accept(socket);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  const server = await createOpcuaServer({
    clock: systemClock,
    variables: variablesOf(plant),
    namespace: NAMESPACE,
    address: { host: '127.0.0.1', port },
    ...(users === undefined ? {} : { users }),
  });
  const connections = createConnections({
    dialerOf: () => directDialer(permittedAddresses(LOOPBACK)),
    clock,
    random: systemRandom,
  });
  test.after(async () => {
    connections.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => listener.close(resolve));
  });
  const ending = new AbortController();
  const { signal } = ending;
  const work = { signal, sent: () => {} };
  const application = await connections.makeApplicationCertificate('urn:elnav:test');
  const at = (more: Partial<OpcuaServer>): OpcuaServer => ({
    host: '127.0.0.1',
    port,
    mode: 'sign_and_encrypt',
    ...more,
  });
  return {
    plant,
    server,
    sockets,
    connections,
    application,
    end: () => ending.abort(),
    ask<T>(task: (tasks: OpcuaTasks) => Promise<T>, more: Partial<OpcuaServer> = {}, isCommand = false) {
      return connections.opcua(OWNER, { server: at(more), application, task, isCommand }, work);
    },
    changes: (nodes: readonly string[], more: Partial<OpcuaServer> = {}) =>
      connections.opcuaChanges(
        OWNER,
        { server: at(more), application, subscription: { nodes, everyMs: 100 } },
        { signal, heard: () => {} },
      ),
  };
}

const failsWith = (code: string, sentence: RegExp) => (error: unknown) => {
  assert.ok(error instanceof AppError, String(error));
  assert.equal(error.code, code, error.message);
  assert.match(error.message, sentence);
  return true;
};

const readPower = async (tasks: OpcuaTasks) => (await tasks.read([POWER]))[0]?.value;

describe('a session at an OPC UA server', { timeout: 600_000 }, () => {
  it('a session at an OPC UA server reads and writes by the URI of the namespace, with every policy and mode', async (test) => {
    const { ask, plant } = await plantServer(test);
    const ways: Partial<OpcuaServer>[] = [
      { mode: 'none' },
      ...OPCUA_POLICIES.flatMap((policy) => [
        { mode: 'sign' as const, policy },
        { mode: 'sign_and_encrypt' as const, policy },
      ]),
    ];
    for (const [index, way] of ways.entries()) {
      const write = { node: LIMIT, type: 'UInt16' as const, value: index };
      assert.deepEqual(await ask((tasks) => tasks.write([write]), way, true), ['Good']);
      assert.equal(plant.limit, index);
      assert.equal(await ask(readPower, way), 12.5, JSON.stringify(way));
    }
    assert.equal(ways.length, 7);
  });

  it('a session at an OPC UA server describes and browses what the server has, page by page', async (test) => {
    const { ask } = await plantServer(test);
    const nodes = [
      POWER,
      LIMIT,
      `nsu=${NAMESPACE};s=Press1`,
      `nsu=${NAMESPACE};s=None`,
      'nsu=urn:other;s=Power',
    ];
    const [power, limit, press, none, other] = await ask((tasks) => tasks.describe(nodes));
    assert.deepEqual(
      [power, limit, press].map((one) => [one?.name, one?.type, one?.isVariable, one?.isWritable]),
      [
        ['Power', 'Double', true, false],
        ['Limit', 'UInt16', true, true],
        ['Press1', null, false, false],
      ],
    );
    assert.deepEqual([none?.reading.status, other?.reading.status], ['BadNodeIdUnknown', 'BadNodeIdUnknown']);
    const [objects = []] = await ask((tasks) => tasks.browse(['i=85'], 100));
    assert.deepEqual(
      objects.map(({ node, name, isVariable }) => [node, name, isVariable]),
      [
        [`nsu=${NAMESPACE};s=Press1`, 'Press1', false],
        [`nsu=${NAMESPACE};s=Many`, 'Many', false],
      ],
    );
    const [all, some] = await Promise.all(
      [100, 30].map((most) => ask((tasks) => tasks.browse([`nsu=${NAMESPACE};s=Many`], most))),
    );
    assert.deepEqual([all?.[0]?.length, some?.[0]?.length], [50, 30]);
    const { applicationUri, namespaces } = await ask((tasks) => tasks.identity());
    assert.equal(applicationUri, `${NAMESPACE}:server`);
    assert.equal(namespaces.at(-1), NAMESPACE);
  });

  it('a session at an OPC UA server is signed in as the user who is named, and as nobody else', async (test) => {
    const { ask } = await plantServer(test, new Map([['anna', 'correct']]));
    for (const mode of ['none', 'sign', 'sign_and_encrypt'] as const)
      assert.equal(await ask(readPower, { mode, username: 'anna', password: 'correct' }), 12.5);
    const wrong = { username: 'anna', password: 'wrong-password' };
    await assert.rejects(
      ask(readPower, { ...wrong, isUsersSignIn: true, path: '/wrong' }),
      failsWith('vendor.login_expired', /^Plant at 127\.0\.0\.1:\d+ refuses the user name or the password$/),
    );
    await assert.rejects(ask(readPower), failsWith('vendor.refused', /wants a user name and a password/));
  });

  it('a session at an OPC UA server is refused a certificate that has expired or is another than was pinned', async (test) => {
    const { ask, server } = await plantServer(test);
    const { fingerprint } = await ask((tasks) => tasks.identity());
    assert.match(fingerprint ?? '', /^[0-9a-f]{64}$/);
    const pinned = { fingerprint: fingerprint ?? '' };
    assert.equal(await ask(readPower, pinned), 12.5);
    await server.changeCertificate('expired');
    server.cut();
    await assert.rejects(
      ask(readPower, { path: '/expired' }),
      failsWith('vendor.refused', /has a certificate that expired on \d{4}-\d\d-\d\d; make it a new one/),
    );
    await server.changeCertificate('valid');
    await assert.rejects(
      ask(readPower, { ...pinned, path: '/changed' }),
      failsWith('vendor.refused', /has another certificate than when it was linked \(SHA-256 [0-9a-f]{64}\)/),
    );
    assert.equal(await ask(readPower, { path: '/anew' }), 12.5);
  });

  it('a session at an OPC UA server names the certificate that the server has to trust', async (test) => {
    const { ask, server, application } = await plantServer(test);
    server.faults.refusesCertificates = true;
    const { fingerprint } = new X509Certificate(Buffer.from(application.certificate, 'base64'));
    const thumbprint = fingerprint.replaceAll(':', '');
    await assert.rejects(
      ask(readPower),
      failsWith('vendor.refused', new RegExp(`does not trust the certificate .* thumbprint ${thumbprint} `)),
    );
  });

  it('a session at an OPC UA server names what the server offers where it has not what is asked for', async (test) => {
    const { ask, connections } = await plantServer(test);
    await ask(readPower, { mode: 'none' });
    assert.equal(connections.count(), 1);
    const policy = 'Basic128' as 'Basic256Sha256';
    await assert.rejects(
      ask(readPower, { policy }),
      failsWith(
        'vendor.refused',
        /does not have sign_and_encrypt with Basic128: it has sign with Basic256Sha256,.* none$/,
      ),
    );
  });

  it('a session at an OPC UA server is opened again for a reader when it was lost, and not for a command', async (test) => {
    const { ask, server, plant, connections } = await plantServer(test);
    await ask(readPower, { mode: 'none' });
    server.cut();
    assert.equal(await ask(readPower, { mode: 'none' }), 12.5);
    server.faults.requests = StatusCodes.BadSessionIdInvalid;
    const write = { node: LIMIT, type: 'UInt16' as const, value: 7 };
    await assert.rejects(
      ask((tasks) => tasks.write([write]), { mode: 'none' }, true),
      failsWith('command.outcome_unknown', /Plant/),
    );
    server.faults.requests = undefined;
    assert.equal(plant.limit, 100);
    assert.equal(await ask(readPower, { mode: 'none' }), 12.5);
    assert.equal(connections.count(), 1);
  });

  it('a session at an OPC UA server is given up when the server falls silent', async (test) => {
    const clock = turnedClock();
    const { ask, sockets, connections, plant } = await plantServer(test, undefined, clock);
    await ask(readPower, { mode: 'none' });
    const arrived = Promise.withResolvers<void>();
    for (const socket of sockets) socket.removeAllListeners('data').once('data', () => arrived.resolve());
    const write = { node: LIMIT, type: 'UInt16' as const, value: 7 };
    const silent = assert.rejects(
      ask((tasks) => tasks.write([write]), { mode: 'none' }, true),
      failsWith('command.outcome_unknown', /Plant/),
    );
    await arrived.promise;
    clock.turn(10_000);
    await silent;
    assert.equal(connections.count(), 0);
    assert.equal(plant.limit, 100);
  });

  it('a session at an OPC UA server tells changes until it is lost', async (test) => {
    const { changes, plant, server } = await plantServer(test);
    const told = (await changes([POWER, `nsu=${NAMESPACE};s=None`]))[Symbol.asyncIterator]();
    const next = async () => {
      const { value } = await told.next();
      return [value.node, value.reading.value, value.reading.status];
    };
    const first = [await next(), await next()].toSorted();
    assert.deepEqual(first, [
      [`nsu=${NAMESPACE};s=None`, null, 'BadNodeIdUnknown'],
      [POWER, 12.5, 'Good'],
    ]);
    plant.power = 13;
    assert.deepEqual(await next(), [POWER, 13, 'Good']);
    server.cut();
    await assert.rejects(told.next(), failsWith('vendor.unreachable', /was lost/));
  });

  it('a session at an OPC UA server says that the server has no subscription to give', async (test) => {
    const { changes, ask, server } = await plantServer(test);
    server.faults.subscriptions = StatusCodes.BadTooManySubscriptions;
    await assert.rejects(
      changes([POWER]),
      failsWith('vendor.refused', /refused the request \(BadTooManySubscriptions\)/),
    );
    assert.equal(await ask(readPower), 12.5, 'the session is good for reading');
  });
});

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { generateClient } from '../../tools/generated-client.ts';
import { makeWorld, type World } from '../kit/world.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const TSC = join(root, 'node_modules/typescript/bin/tsc');

/** Where the client is generated, beside the program. */
const CLIENT = './client';

/** What a developer writes with the generated client; the lines after `@ts-expect-error` must not compile. */
const PROGRAM = `
import { client } from '${CLIENT}/client.gen.ts';
import { commandDevice, createSubscription, linkAccount, listDevices, listEvents } from '${CLIENT}/index.ts';
import type { Command, Device, Event } from '${CLIENT}/index.ts';

const [, , baseUrl = '', key = ''] = process.argv;
client.setConfig({ baseUrl, auth: key });

const { data: linked } = await linkAccount({
  body: { vendor: 'sandbox', user_ref: 'anna', credentials: { device_types: ['light', 'charger'] } },
  throwOnError: true,
});
const { data: devices } = await listDevices({ query: { user_ref: 'anna' }, throwOnError: true });
const nameOf = (device: Device): string => device.name ?? device.id;
const [light] = devices.filter(({ device_type }) => device_type === 'light');
if (light === undefined) throw new Error('there is no light');

const command: Command = { type: 'set_current', current_a: 8 };
const { error, response } = await commandDevice({ path: { id: light.id }, body: command });
// @ts-expect-error a current is needed
const wrong: Command = { type: 'set_current' };
// @ts-expect-error no command has this type
const unknown: Command = { type: 'dance' };

const textOf = (event: Event): string => {
  // @ts-expect-error not every event has capabilities
  event.data.capabilities;
  switch (event.type) {
    case 'device.linked':
      return event.data.capabilities.join();
    case 'command.failed':
      return event.data.error ?? '';
    default:
      return event.type;
  }
};
const { data: page } = await listEvents({ query: { types: 'device.linked' }, throwOnError: true });

const { data: subscription } = await createSubscription({
  body: { url: 'https://127.0.0.1:8443/events', signature: 'hmac-sha256' },
  throwOnError: true,
});
const secret: string = subscription.signature === 'hmac-sha256' ? subscription.secret : subscription.public_key;

console.log(
  JSON.stringify({
    linked: linked.devices.length,
    names: devices.map(nameOf).length,
    refused: [response?.status, response?.headers.get('elnav-error'), error?.error],
    events: page.events.map(textOf),
    secret: secret.slice(0, 6),
    unused: [wrong, unknown].length,
  }),
);
`;

const TSCONFIG = {
  compilerOptions: {
    target: 'esnext',
    module: 'nodenext',
    lib: ['esnext', 'dom', 'dom.iterable'],
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
  },
  include: ['program.ts', 'client'],
};

describe('a client that is generated from the document', () => {
  const folder = mkdtempSync(join(tmpdir(), 'elnav-client-'));
  let world: World;
  before(async () => {
    world = await makeWorld({ engine: 'sqlite', env: { ELNAV_LOCAL_NETWORKS: '127.0.0.0/8' } });
    await generateClient(join(root, 'docs/openapi/connect.json'), join(folder, 'client'));
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
    writeFileSync(join(folder, 'program.ts'), PROGRAM);
  });
  after(async () => {
    await world?.close();
    rmSync(folder, { recursive: true });
  });

  it('a client that is generated from the document compiles under strict, with events and commands narrowed by their type', async () => {
    const checked = await run(process.execPath, [TSC, '-p', folder]).catch(
      (error) => error as { stdout: string },
    );
    assert.equal(checked.stdout, '');
  });

  it('a client that is generated from the document links the sandbox, lists devices, has a command refused, and reads events', async () => {
    const { key } = await world.newAccount();
    const { stdout } = await run(process.execPath, [join(folder, 'program.ts'), world.connect, key]);
    const printed = JSON.parse(stdout) as Record<string, unknown>;
    const { events, refused, ...rest } = printed as { events: string[]; refused: unknown[] };
    assert.deepEqual(rest, { linked: 2, names: 2, secret: 'whsec_', unused: 2 });
    assert.deepEqual(refused.slice(0, 2), [422, 'device.capability_missing']);
    assert.match(String(refused[2]), /set_current/);
    assert.equal(events.length, 2);
    assert.ok(
      events.some((text) => text.includes('set_light')),
      events.join(' '),
    );
  });
});

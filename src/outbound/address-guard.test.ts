import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { describe, it } from 'node:test';
import { HttpFailure } from '../adapter/http.ts';
import { turnedClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { isPublicAddress } from './address-guard.ts';
import { createAgent, createHttp, publicAddresses } from './index.ts';
import { answers, testServer } from './test-server.ts';

const PUBLIC: LookupAddress = { address: '93.184.215.14', family: 4 };

describe('addresses of the public internet', () => {
  it('are told from all others', () => {
    const inside = [
      '127.0.0.1 127.255.0.1 10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1 100.127.255.255',
      '0.0.0.0 192.0.0.8 198.18.0.1 203.0.113.5 224.0.0.1 255.255.255.255 :: ::1 fe80::1 fe80::1%eth0 fc00::1 fd12::1',
      '::ffff:127.0.0.1 ::ffff:93.184.215.14 64:ff9b::7f00:1 64:ff9b:1::1 2002:7f00:1:: 2001:db8::1 2001::1 ff02::1 localhost',
    ].flatMap((line) => line.split(' '));
    for (const address of inside) assert.equal(isPublicAddress(address), false, address);
    const outside =
      '93.184.215.14 172.32.0.1 100.128.0.1 11.0.0.1 2606:4700::1111 2a00:1450:400f::1 2001:200::1';
    for (const address of outside.split(' ')) assert.equal(isPublicAddress(address), true, address);
  });

  it('are all that a base address may name', () => {
    const { faultIn } = publicAddresses();
    const faultOf = (url: string) => faultIn(new URL(url));
    for (const host of [
      '169.254.169.254',
      '[::ffff:127.0.0.1]',
      '0x7f.1',
      '127.1',
      '2130706433',
      '[::1]',
      '10.0.0.1',
    ])
      assert.equal(faultOf(`https://${host}/api`), 'is not a public address', host);
    assert.equal(faultOf('http://example.org'), 'is not an https address');
    assert.match(faultOf('https://example.org:22') ?? '', /port 22/);
    assert.match(faultOf('https://a:b@example.org') ?? '', /user name/);
    assert.equal(faultOf('https://example.org/api'), null);
    assert.equal(faultOf('https://93.184.215.14:8443'), null);
  });
});

describe('a guarded client', () => {
  const options = {
    name: 'tester',
    clock: turnedClock(),
    random: (bytes: number) => Buffer.alloc(bytes),
    log: silentLog,
  };
  const isRefused = (error: unknown) => error instanceof HttpFailure && error.kind === 'refused';

  it('calls nothing inside, however it is written', async (test) => {
    // One that would answer, so that only the guard can be what stops the call.
    const { url, requests } = await testServer(test, [answers(200)]);
    const { port } = new URL(url);
    for (const host of [
      '127.0.0.1',
      '[::ffff:127.0.0.1]',
      '0x7f.1',
      '127.1',
      '169.254.169.254',
      'localhost',
    ]) {
      const http = createHttp({ ...options, baseUrl: `https://${host}:${port}`, guard: publicAddresses() });
      await assert.rejects(http.send({ path: '/' }), isRefused, host);
      await http.close();
    }
    assert.equal(requests.length, 0);
  });

  it('connects to the address that it judged: a name that turns inside is refused', async () => {
    const asked: string[] = [];
    let addresses: LookupAddress[] = [{ address: '127.0.0.1', family: 4 }];
    const guard = publicAddresses(async (hostname) => {
      asked.push(hostname);
      return addresses;
    });
    const http = createHttp({ ...options, baseUrl: 'https://rebinding.example:8443', guard });
    await assert.rejects(http.send({ path: '/' }), isRefused);
    addresses = [PUBLIC, { address: '::ffff:10.0.0.1', family: 6 }];
    await assert.rejects(http.send({ path: '/' }), isRefused, 'one address inside is enough');
    assert.deepEqual(
      asked,
      ['rebinding.example', 'rebinding.example'],
      'it is resolved once for a connection',
    );
    await http.close();
  });

  it('gives the socket the addresses that it judged, once', async () => {
    const answersInTurn = [[PUBLIC], [{ address: '127.0.0.1', family: 4 }]];
    const { lookup } = publicAddresses(async () => answersInTurn.shift() ?? []);
    const looked = (all: boolean) =>
      new Promise((resolve) => {
        lookup('a.example', { all }, (error, address) => resolve(error?.code ?? address));
      });
    assert.deepEqual(await looked(true), [PUBLIC]);
    assert.equal(await looked(false), 'ENOTPERMITTED');
    assert.equal(await looked(false), 'ENOTFOUND');
  });

  it('shares its connections and its guard', async () => {
    const agent = createAgent(publicAddresses(async () => [{ address: '127.0.0.1', family: 4 }]));
    const first = createHttp({ ...options, baseUrl: 'https://a.example', agent });
    const second = createHttp({ ...options, baseUrl: 'https://b.example', agent });
    await assert.rejects(first.send({ path: '/' }), isRefused);
    await first.close();
    await assert.rejects(second.send({ path: '/' }), isRefused, 'the shared connections are still there');
    await agent.close();
  });
});

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, it } from 'node:test';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { makeWorld, type World } from '../../../../test/kit/world.ts';

const SECRET = 'the client secret of the tests';
const LARGEST = 256 * 1024;

onEachEngine('POST /webhooks/{vendor}', (engine) => {
  let world: World;
  before(async () => {
    const env = { ELNAV_NETATMO_CLIENT_ID: 'client', ELNAV_NETATMO_CLIENT_SECRET: SECRET };
    world = await makeWorld({ engine, env });
  });
  after(() => world.close());

  async function post(
    body: string | Uint8Array<ArrayBuffer>,
    { vendor = 'netatmo', headers = {} as Record<string, string>, signed = true } = {},
  ) {
    const signature = createHmac('sha256', SECRET).update(body).digest('hex');
    const answer = await fetch(`${world.connect}/webhooks/${vendor}`, {
      method: 'POST',
      headers: { ...(signed ? { 'x-netatmo-secret': signature } : {}), ...headers },
      body,
    });
    return { status: answer.status, code: answer.headers.get('elnav-error'), text: await answer.text() };
  }
  const taken = { status: 202, code: null, text: '' };

  it('POST /webhooks/{vendor} takes what is signed, whatever its type, with an empty answer', async () => {
    assert.deepEqual(await post('{"a":1}'), taken);
    assert.deepEqual(await post('{"a":1}'), taken, 'the same again');
    for (const type of [
      'application/json',
      'text/plain',
      'application/x-www-form-urlencoded',
      'odd/type',
      '',
    ])
      assert.deepEqual(await post(`{"type":"${type}"}`, { headers: { 'content-type': type } }), taken, type);
    assert.deepEqual(await post('not JSON at all'), taken);
    assert.deepEqual(await post(Uint8Array.from([0xff, 0x00, 0xfe])), taken);
  });

  it('POST /webhooks/{vendor} refuses what is not signed, and stores nothing of it', async () => {
    const metric = async () =>
      Number(
        /elnav_webhook_deliveries_total\{vendor="netatmo",outcome="accepted"\} (\d+)/.exec(
          await (await fetch(`${world.connect}/metrics`)).text(),
        )?.[1] ?? 0,
      );
    const accepted = await metric();
    for (const answer of [
      await post('{"b":1}', { signed: false }),
      await post('{"b":1}', { signed: false, headers: { 'x-netatmo-secret': 'a'.repeat(64) } }),
      await post('', { signed: false }),
    ]) {
      assert.deepEqual([answer.status, answer.code], [401, 'webhook.signature_invalid']);
      assert.match(answer.text, /^\{"error":"the signature is not valid for Netatmo"\}$/);
    }
    assert.equal(await metric(), accepted);
  });

  it('POST /webhooks/{vendor} refuses vendors that are unknown or post nothing', async () => {
    const codes = async (vendor: string) => {
      const { status, code } = await post('{}', { vendor });
      return [status, code];
    };
    assert.deepEqual(await codes('nobody'), [400, 'vendor.unknown']);
    assert.deepEqual(await codes('constructor'), [400, 'vendor.unknown']);
    assert.deepEqual(await codes('sandbox'), [400, 'vendor.without_webhooks']);
  });

  it('POST /webhooks/{vendor} takes 256 KiB and no more', async () => {
    const sized = (bytes: number) => `{"x":"${'x'.repeat(bytes - 8)}"}`;
    assert.deepEqual(await post(sized(LARGEST)), taken);
    const { status, code } = await post(sized(LARGEST + 1));
    assert.deepEqual([status, code], [413, 'request.too_large']);
    // Before it has sent it all, the client may find its connection closed.
    const huge = await post(sized(10 * 1024 * 1024)).catch(() => undefined);
    assert.ok(huge === undefined || huge.status === 413);
    assert.deepEqual(await post('{"after":1}'), taken);
  });
});

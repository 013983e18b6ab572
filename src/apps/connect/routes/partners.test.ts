import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makeWorld, type World } from '../../../../test/kit/world.ts';

const APPLICATION = JSON.stringify({ company: 'Example AB', email: 'a@example.com' });
const INVALID = JSON.stringify({ company: 'Example AB', email: '', vendors: [1, 2] });

describe('an application', () => {
  let world: World;
  before(async () => {
    world = await makeWorld({ engine: 'sqlite', env: { ELNAV_TRUST_PROXY: '127.0.0.1' } });
  });
  after(() => world.close());

  const apply = async (address: string, body: string) => {
    const response = await fetch(`${world.connect}/partners/apply`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body,
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const statuses = async (count: number, address: string, body: string) =>
    Array.fromAsync({ length: count }, async () => (await apply(address, body)).status);

  it('an application is taken five times a day from one address', async () => {
    assert.deepEqual(await statuses(6, '192.0.2.1', APPLICATION), [202, 202, 202, 202, 202, 429]);
    assert.equal((await apply('192.0.2.2', APPLICATION)).status, 202);
  });

  it('an application that cannot be taken leaves the five as they are', async () => {
    assert.deepEqual(await statuses(7, '192.0.2.3', INVALID), Array(7).fill(400));
    assert.deepEqual(await statuses(5, '192.0.2.3', APPLICATION), Array(5).fill(202));
  });

  it('an application is tried sixty times an hour from one address, and no further body is read', async () => {
    assert.deepEqual(await statuses(60, '192.0.2.4', INVALID), Array(60).fill(400));
    for (const body of [APPLICATION, INVALID, 'no JSON', 'x'.repeat(40_000)]) {
      const { status, headers, text } = await apply('192.0.2.4', body);
      assert.deepEqual([status, headers.get('elnav-error')], [429, 'limit.exceeded'], text);
      assert.ok(Number(headers.get('retry-after')) > 0);
    }
  });

  it('an application of an address that has had its five is not read either', async () => {
    assert.deepEqual(await statuses(5, '192.0.2.5', APPLICATION), Array(5).fill(202));
    assert.deepEqual(await statuses(2, '192.0.2.5', 'no JSON'), [429, 429]);
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { VendorDescription } from '../../src/adapter/describe.ts';
import { turnedClock } from '../../src/core/clock.ts';
import { systemRandom } from '../../src/core/ids.ts';
import { vendors } from '../../src/vendors/index.ts';
import { ENGINES } from '../kit/databases.ts';
import { type Caller, makeWorld, type World } from '../kit/world.ts';

const simulated = vendors.filter(({ simulator }) => simulator !== undefined);

/** What an end user visits: pages, and where they lead. */
async function follow(
  url: string,
  init: RequestInit = {},
): Promise<{ response: Response; location: string }> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  return { response, location: new URL(response.headers.get('location') ?? '', url).href };
}

async function signInByPage(world: World, vendor: string, user: Record<string, string>): Promise<unknown> {
  const { response, location: page } = await follow(`${world.connect}/oauth/${vendor}/authorize`);
  assert.equal(response.status, 302, vendor);
  assert.ok(page.startsWith(`${world.connect}/simulated/${vendor}/`), page);
  assert.match(await (await fetch(page)).text(), /This is a simulator inside elnav/);
  const back = await follow(page, { method: 'POST', body: new URLSearchParams(user) });
  assert.equal(back.response.status, 302, vendor);
  const cookie = (response.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
  const code = await fetch(back.location, { headers: { cookie, accept: 'application/json' } });
  assert.equal(code.status, 200, vendor);
  const { link_code } = (await code.json()) as { link_code: string };
  return { link_code };
}

for (const engine of ENGINES) {
  describe(`a newcomer without any vendor account, ${engine}`, () => {
    let world: World;
    let caller: Caller;
    before(async () => {
      // By name, so that they are also enabled with PostgreSQL.
      const env = { ELNAV_SIMULATE: simulated.map(({ slug }) => slug).join() };
      world = await makeWorld({ engine, env });
      caller = await world.newAccount();
    });
    after(() => world.close());

    it(`a newcomer without any vendor account, ${engine} is told which vendors are simulated`, async () => {
      const { body } = await caller.call('GET', '/vendors');
      const simulatedVendors = (body as VendorDescription[]).filter((vendor) => vendor.simulated);
      assert.deepEqual(
        simulatedVendors.map(({ slug, configured }) => [slug, configured]),
        simulated.map(({ slug }) => [slug, true]),
      );
      assert.ok(simulatedVendors.length >= 3);
    });

    it(`a newcomer without any vendor account, ${engine} finds them on the page of a link session`, async () => {
      const { body } = await caller.call('POST', '/link/sessions', { user_ref: 'newcomer' });
      const page = await (await fetch((body as { url: string }).url)).text();
      const ofTesla = page.split('<li ').filter((item) => item.includes('>Tesla'));
      assert.equal(ofTesla.length, 1);
      assert.match(ofTesla[0] ?? '', />Simulated</);
    });

    for (const { slug, simulator, oauth } of simulated)
      it(`a newcomer without any vendor account, ${engine} links ${slug}, and reads devices whose names say that they are simulated`, async () => {
        const { createSimulator } = (await simulator?.()) ?? assert.fail();
        // Another instance of the simulator, since its users are the same.
        const baseUrl = () => 'http://192.168.1.20';
        const { user } = createSimulator({ clock: turnedClock(), random: systemRandom, baseUrl });
        const credentials =
          oauth === undefined
            ? user.credentials
            : await signInByPage(world, slug, { username: user.name, password: user.password });
        const linked = await caller.call('POST', '/link', {
          vendor: slug,
          user_ref: 'newcomer',
          credentials,
        });
        assert.equal(linked.status, 200, JSON.stringify(linked.body));
        const { body } = await caller.call('GET', `/devices?vendor=${slug}`);
        const devices = body as { id: string; name: string }[];
        assert.ok(devices.length > 0);
        for (const { name } of devices) assert.match(name, /simulated/i);
        const [first] = devices;
        const read = await caller.call(
          'GET',
          `/devices/${encodeURIComponent(first?.id ?? '')}?vendor=${slug}`,
        );
        assert.equal(read.status, 200, JSON.stringify(read.body));
      });
  });
}

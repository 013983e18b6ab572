import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isForEndUsers } from '../../src/adapter/credential-fields.ts';
import { needsPartner } from '../../src/bin/vendor-needs.ts';
import { turnedClock } from '../../src/core/clock.ts';
import { vendors } from '../../src/vendors/index.ts';
import { CookieBrowser } from '../kit/cookie-browser.ts';
import { onEachEngine } from '../kit/databases.ts';
import { makeWorld } from '../kit/world.ts';

/** By name. Nobody is set up, and none of them is simulated. */
const OTHERS = vendors
  .filter((vendor) => vendor.slug !== 'sandbox' && !needsPartner(vendor) && isForEndUsers(vendor))
  .toSorted((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1))
  .map(({ slug }) => slug);

const PRODUCTION = { simulate: 'none', offered: OTHERS, found: [], withoutName: 303 };
const TEST = { simulate: 'sandbox', offered: [...OTHERS, 'sandbox'], found: ['sandbox'], withoutName: 200 };

onEachEngine('the vendors that users of a link session choose from', (engine) => {
  for (const { simulate, offered, found, withoutName } of [PRODUCTION, TEST])
    it(`the vendors that users of a link session choose from with ELNAV_SIMULATE=${simulate}: ${offered.length} of them; a session that names the sandbox has it`, async (test) => {
      const env = { ELNAV_SIMULATE: simulate };
      // Without client ids: the embedded database simulates what needs them otherwise.
      const adapters = vendors.filter((vendor) => !needsPartner(vendor));
      const world = await makeWorld({ engine, adapters, clock: turnedClock(), env });
      test.after(() => world.close());
      const caller = await world.newAccount();
      const pageOf = async (body: object): Promise<string> => {
        const answer = await caller.call('POST', '/link/sessions', { user_ref: 'anna', ...body });
        return (answer.body as { url: string }).url;
      };
      const browser = CookieBrowser.inLanguage('en');
      const url = await pageOf({});
      const slugsAt = async (address: string) => {
        const page = await (await browser.get(address)).text();
        return [...page.matchAll(/<a class="vendor" href="[^"]*?(\w+)"/g)].map(([, slug]) => slug);
      };
      assert.deepEqual(await slugsAt(url), offered);
      assert.deepEqual(await slugsAt(`${url}?q=sandbox`), found);
      const guessed = await browser.get(`${url}/sandbox`);
      assert.equal(guessed.status, withoutName);
      const named = await browser.get(`${await pageOf({ vendor: 'sandbox' })}/sandbox`);
      assert.equal(named.status, 200, await named.text());
    });
});

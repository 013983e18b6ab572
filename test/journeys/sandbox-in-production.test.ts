import assert from 'node:assert/strict';
import { it } from 'node:test';
import { needsPartner } from '../../src/bin/vendor-needs.ts';
import { turnedClock } from '../../src/core/clock.ts';
import { vendors } from '../../src/vendors/index.ts';
import { CookieBrowser } from '../kit/cookie-browser.ts';
import { onEachEngine } from '../kit/databases.ts';
import { makeWorld } from '../kit/world.ts';

/** By name. The service of the test has no client ids, and simulates nobody. */
const OTHERS = vendors
  .filter((vendor) => vendor.slug !== 'sandbox' && !needsPartner(vendor))
  .toSorted((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1))
  .map(({ slug }) => slug);
const OFFERED = { sqlite: [...OTHERS, 'sandbox'], postgres: OTHERS };
const WITHOUT_A_NAME = { sqlite: 200, postgres: 303 };

onEachEngine('the vendors that users of a link session choose from', (engine) => {
  it('include the sandbox only with the embedded database; otherwise a session must name it', async (test) => {
    const world = await makeWorld({ engine, clock: turnedClock() });
    test.after(() => world.close());
    const caller = await world.newAccount();
    const pageOf = async (body: object): Promise<string> => {
      const answer = await caller.call('POST', '/link/sessions', { user_ref: 'anna', ...body });
      return (answer.body as { url: string }).url;
    };
    const browser = CookieBrowser.inLanguage('en');
    const url = await pageOf({});
    const page = await (await browser.get(url)).text();
    const slugs = [...page.matchAll(/<a class="vendor" href="[^"]*?(\w+)"/g)].map(([, slug]) => slug);
    assert.deepEqual(slugs, OFFERED[engine]);
    const guessed = await browser.get(`${url}/sandbox`);
    assert.equal(guessed.status, WITHOUT_A_NAME[engine]);
    const named = await browser.get(`${await pageOf({ vendor: 'sandbox' })}/sandbox`);
    assert.equal(named.status, 200, await named.text());
  });
});

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { accountsWorld } from '../../../../test/kit/accounts.ts';
import { assets } from '../../../../test/kit/assets.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { healthPartsOf } from '../../../../test/kit/health.ts';
import { pricesOf, productionOf } from '../../../../test/kit/market.ts';
import { openOperatorPages } from '../../../../test/kit/operator-pages.ts';
import { until } from '../../../../test/kit/until.ts';
import type { VendorHealth } from '../../../domain/links/vendor-states/index.ts';
import { createHealthLook } from '../health/look.ts';

const BAD = `"><script>alert(1)</script>`;

onEachEngine("the operator's page of health", (engine) => {
  const world = accountsWorld(engine);

  /** The page, with vendors that are read so. */
  async function open(vendors: () => Promise<readonly VendorHealth[]>, sourceUrl?: string) {
    const { database, clock } = world;
    const { prices } = await pricesOf(database, { clock });
    const { production } = await productionOf(database, { clock });
    const lookAtHealth = createHealthLook({
      ...healthPartsOf(world),
      ...{ prices, production, clock, vendors },
      probes: [{ name: 'redis', vital: false, check: () => Promise.reject(new Error(BAD)) }],
      registers: [{ table: BAD, name: BAD, licence: '', as_of: '2026-08-17' }],
    });
    const site = { ...assets.site, sourceUrl };
    return openOperatorPages(world, { lookAtHealth, assets: { ...assets, site } });
  }

  it("the operator's page of health asks for a sign-in", async () => {
    const { status, headers } = await (await open(async () => [])).browser().get('/operator/health');
    assert.equal(status, 303);
    assert.match(String(headers.location), /^\/operator\/sign-in/);
  });

  it("the operator's page of health says what is wrong, worst first, and leads to the guide", async () => {
    const pages = await open(async () => [], 'https://git.example.com/elnav/');
    const { text } = await (await pages.signedIn()).get('/operator/health');
    assert.match(text, /2 problems, one of them critical: act now\./);
    assert.ok(text.indexOf('prices are missing') < text.indexOf('redis does not work'));
    assert.match(
      text,
      /href="https:\/\/git\.example\.com\/elnav\/blob\/HEAD\/docs\/guides\/alerts\.md#elnavpricesmissing"/,
    );
    assert.match(text, /Nobody has linked anything yet/);
    assert.ok(!text.includes('<script>alert'));
  });

  it('the guide of a problem is named where the source code is not known', async () => {
    const pages = await open(async () => []);
    const { text } = await (await pages.signedIn()).get('/operator/health');
    assert.match(text, /2 problems, one of them critical: act now\./);
    assert.match(text, /More in <code>docs\/guides\/alerts\.md<\/code>/);
  });

  it("the operator's page of health has a row for each vendor, which the pages of accounts lead to", async () => {
    const vendor: VendorHealth = {
      ...{ slug: 'easee', name: 'Easee', state: 'ok', refused: 0, blockedUntil: null, blockedLinks: 0 },
      ...{ links: { active: 2, unreachable: 1, needsRelink: 0 }, limits: [], deliveries: 0 },
      reads: { waiting: 0, late: 0, oldestDue: null },
    };
    const pages = await open(async () => [vendor]);
    const { text } = await (await pages.signedIn()).get('/operator/health');
    assert.match(text, /<th scope="row"><span id="vendor-easee">Easee<\/span><\/th>/);
  });

  it("the operator's page of health comes without a part that hangs, and says so in its place", async () => {
    let isAsked = false;
    const pages = await open(() => {
      isAsked = true;
      return new Promise(() => {});
    });
    const operator = await pages.signedIn();
    const page = operator.get('/operator/health');
    await until('the vendors are asked', () => isAsked);
    // PostgreSQL may still respond to others.
    await until('the page comes', async () => {
      world.clock.turn(500);
      return Promise.race([
        page.then(() => true),
        new Promise<false>((resolve) => setImmediate(resolve, false)),
      ]);
    });
    const { status, text } = await page;
    assert.equal(status, 200);
    const vendors = text.slice(text.indexOf('data-live="vendors"'));
    assert.match(vendors, /Could not be read: no response in 2 seconds\./);
  });
});

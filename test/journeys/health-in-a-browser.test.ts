import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { systemClock } from '../../src/core/clock.ts';
import { assertAccessible } from '../kit/axe.ts';
import { openBrowser, withoutBrowser } from '../kit/chromium.ts';
import { everyDay, fakeSource } from '../kit/market.ts';
import { ADMIN_TOKEN, makeWorld, type World } from '../kit/world.ts';

const textOf = async (part: Locator) => (await part.textContent()) ?? '';

describe("the operator's pages of health and prices in a browser", { skip: withoutBrowser }, () => {
  let world: World;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];
  before(async () => {
    world = await makeWorld({
      engine: 'sqlite',
      priceSources: [fakeSource(systemClock, 'entsoe', { answer: everyDay })],
    });
    browser = await openBrowser();
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.on('console', (message) => {
      if (message.type() === 'error' && !/status of 422/.test(message.text()))
        complaints.push(message.text());
    });
    await page.goto(`${world.grid}/operator/sign-in`);
    await page.fill('input[name=token]', ADMIN_TOKEN);
    await page.press('input[name=token]', 'Enter');
    await page.waitForURL('**/operator');
  });
  after(async () => {
    await browser?.close();
    await world?.close();
  });

  it("the operator's pages of health and prices in a browser shows this instance and its sources, for everybody", async () => {
    await page.goto(`${world.grid}/operator/health`);
    await page.getByRole('cell', { name: 'Runs' }).first().waitFor();
    assert.match(await textOf(page.locator('[data-live=sources]')), /ENTSO-E/);
    await assertAccessible(page);
  });

  it("the operator's pages of health and prices in a browser reads itself again, without reloading, but not what somebody is using", async () => {
    await page.clock.install();
    await page.goto(`${world.grid}/operator/health`);
    const problems = page.locator('[data-live=problems]');
    const before = await textOf(problems);
    assert.match(before, /Read at /);
    const heading = await page.locator('h1').elementHandle();
    const used = await page.locator('[data-live=instances] h2').elementHandle();
    const unused = await page.locator('[data-live=vendors] h2').elementHandle();
    await page.locator('[data-live=instances] [tabindex="0"]').focus();
    // The seconds in it are the server's, which has a clock of its own.
    for (let looks = 0; looks < 200 && (await textOf(problems)) === before; looks += 1) {
      await Promise.all([
        page.waitForResponse((response) => response.url().endsWith('/operator/health')),
        page.clock.runFor(15_000),
      ]);
    }
    assert.notEqual(await textOf(problems), before);
    assert.equal(await unused?.evaluate((element) => element.isConnected), false);
    assert.equal(await used?.evaluate((element) => element.isConnected), true);
    assert.ok(await heading?.evaluate((element) => element.isConnected), 'the page was not reloaded');
    const focused = await page.evaluate('document.activeElement.closest("[data-live]")?.dataset.live');
    assert.equal(focused, 'instances');
  });

  it("the operator's pages of health and prices in a browser fetches past days: form, confirmation, progress", async () => {
    await page.getByRole('button', { name: /Turn on changes/ }).click();
    await page.goto(`${world.grid}/operator/prices`);
    await assertAccessible(page);
    await page.fill('#from', '2026-11-10');
    await page.fill('#to', '2026-11-09');
    await page.getByRole('button', { name: 'Fetch …' }).click();
    await page.locator('#to[aria-invalid="true"]:focus').waitFor();
    await assertAccessible(page);
    await page.fill('#to', '2026-11-10');
    await page.getByRole('button', { name: 'Fetch …' }).click();
    await page.getByRole('button', { name: 'Fetch them' }).click();
    await page.waitForURL('**/operator/prices?done=begun*');
    assert.match(await textOf(page.locator('[data-live=backfills]')), /2026-11-10 – 2026-11-10/);
    await assertAccessible(page);
  });

  it("the operator's pages of health and prices in a browser breaks no rule of the policy of pages", () => {
    assert.deepEqual(complaints, []);
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { systemClock } from '../../src/core/clock.ts';
import { assertAccessible } from '../kit/axe.ts';
import { openBrowser, withoutBrowser } from '../kit/chromium.ts';
import { everyDay, fakeSource, scriptedSource } from '../kit/market.ts';
import { until } from '../kit/until.ts';
import { type WatchedPage, watchedPage } from '../kit/watched-page.ts';
import { makeWorld, type World } from '../kit/world.ts';

const PHONE = { viewport: { width: 360, height: 800 } } satisfies BrowserContextOptions;
const SCREEN = { viewport: { width: 1_600, height: 1_000 } } satisfies BrowserContextOptions;

/** Names of price areas that are wrapped inside. */
const BROKEN_NAMES = `[...document.querySelectorAll('.area-code, .area-name')]
  .filter((name) => name.getClientRects().length > 1).map((name) => name.textContent)`;

describe('the front page in a browser', { skip: withoutBrowser }, () => {
  let full: World;
  let sample: World;
  let empty: World;
  let browser: Browser;
  before(async () => {
    full = await makeWorld({
      engine: 'sqlite',
      priceSources: [fakeSource(systemClock, 'elprisetjustnu', { answer: everyDay })],
      productionSource: scriptedSource(),
    });
    sample = await makeWorld({ engine: 'sqlite', env: { ELNAV_SAMPLE_PRICES: 'on' } });
    empty = await makeWorld({ engine: 'sqlite', env: { ELNAV_SAMPLE_PRICES: 'off' } });
    for (const what of ['prices', 'production'])
      await until(
        `${what} are there`,
        async () => (await fetch(`${full.grid}/api/v1/${what}/current`)).status === 200,
      );
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    for (const world of [full, sample, empty]) await world?.close();
  });

  const open = async (
    world: World,
    options: BrowserContextOptions = {},
    path = '/',
  ): Promise<WatchedPage> => {
    const watched = await watchedPage(browser, world.grid, { locale: 'sv-SE', ...options });
    await watched.page.goto(`${world.grid}${path}`);
    return watched;
  };
  const end = async (watched: WatchedPage): Promise<void> => {
    assert.deepEqual(watched.faults(), []);
    await watched.close();
  };

  for (const [state, worldOf] of [
    ['full', () => full],
    ['sample', () => sample],
    ['empty', () => empty],
  ] as const) {
    it(`the front page in a browser has no serious accessibility fault in its ${state} state, narrow and wide, light and dark`, async () => {
      for (const options of [PHONE, SCREEN]) {
        for (const colorScheme of ['light', 'dark'] as const) {
          const watched = await open(worldOf(), { ...options, colorScheme });
          await assertAccessible(watched.page);
          for (const summary of await watched.page.locator('summary:visible').all()) await summary.click();
          await assertAccessible(watched.page);
          await watched.page.goto(`${worldOf().grid}/status`);
          await assertAccessible(watched.page);
          await end(watched);
        }
      }
    });
  }

  it('the front page in a browser has none with an area, its municipality and its switches chosen either', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const watched = await open(
        full,
        { ...PHONE, colorScheme, locale: 'en-GB' },
        '/SE2?kommun=2281&vat=on&tax=on',
      );
      await watched.page
        .getByRole('heading', { level: 1, name: 'Electricity price in Sundsvall (SE2) now' })
        .waitFor();
      await assertAccessible(watched.page);
      await end(watched);
    }
  });

  it('the front page in a browser never wraps names inside, even in the narrowest window', async () => {
    const watched = await open(full, { viewport: { width: 320, height: 640 } });
    assert.equal(await watched.page.locator('.area-name').count(), 4);
    assert.deepEqual(await watched.page.evaluate(BROKEN_NAMES), []);
    await end(watched);
  });

  it('the front page in a browser looks places up without scripts', async () => {
    const watched = await open(full, { ...PHONE, javaScriptEnabled: false });
    const { page } = watched;
    assert.equal(await page.locator('#locate').isVisible(), false);
    assert.equal(await page.locator('.reader').isVisible(), false);
    assert.equal(await page.locator('.day-bars > svg:visible').count(), 1 + Number(await hasTomorrow()));
    await page.getByLabel('Postnummer, ort eller koordinater').fill('972 31');
    await page.getByRole('button', { name: 'Slå upp' }).click();
    await page.waitForURL(`${full.grid}/lookup?q=972+31`);
    const answer = page.locator('#answer');
    assert.match((await answer.textContent()) ?? '', /972 31 Luleå.*SE1 Luleå.*Pris just nu/s);
    assert.equal(await page.locator('.map-pin').isVisible(), true);
    await page.getByLabel('Postnummer, ort eller koordinater').fill('Stokholm');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Stockholm', exact: true }).click();
    await page.waitForURL(`${full.grid}/lookup?q=Stockholm`);
    assert.match((await page.locator('#answer').textContent()) ?? '', /SE3 Stockholm/);
    await assertAccessibleWithScripts('/lookup?q=Stokholm');
    await end(watched);
  });

  const hasTomorrow = async () => (await (await fetch(full.grid)).text()).includes('Tomorrow, ');
  const assertAccessibleWithScripts = async (path: string) => {
    for (const options of [PHONE, SCREEN]) {
      const watched = await open(full, options, path);
      await assertAccessible(watched.page);
      await end(watched);
    }
  };

  it('the front page in a browser shows results in place with a script, by input and by location', async () => {
    const watched = await open(full, {
      ...SCREEN,
      geolocation: { latitude: 55.605, longitude: 13.0038 },
      permissions: ['geolocation'],
    });
    const { page } = watched;
    await page.getByLabel('Postnummer, ort eller koordinater').fill('Umea');
    await page.keyboard.press('Enter');
    await page.locator('#answer h3').waitFor();
    assert.match((await page.locator('#answer').textContent()) ?? '', /Umeå.*SE2 Sundsvall/s);
    assert.equal(page.url(), `${full.grid}/`);
    await page.getByRole('button', { name: 'Använd min plats' }).click();
    await page.locator('#answer', { hasText: 'SE4 Malmö' }).waitFor();
    assert.equal(await page.locator('.map-pin').isVisible(), true);
    await assertAccessible(page);
    await page.getByLabel('Postnummer, ort eller koordinater').fill('Stokholm');
    await page.keyboard.press('Enter');
    await page.locator('.near').getByRole('link', { name: 'Stockholm', exact: true }).click();
    await page.locator('#answer', { hasText: 'SE3 Stockholm' }).waitFor();
    await end(watched);
  });

  it('the front page in a browser reports that the browser does not share its location', async () => {
    const watched = await open(full, { ...PHONE, permissions: [] });
    await watched.page.getByRole('button', { name: 'Använd min plats' }).click();
    await watched.page.locator('#answer', { hasText: 'lämnade inte ut din plats' }).waitFor();
    await end(watched);
  });

  it('the front page in a browser shows prices by keyboard and pointer', async () => {
    const watched = await open(full, SCREEN, '/SE3');
    const { page } = watched;
    const slider = page.getByLabel('Priset vid en vald tid');
    const tip = page.locator('.tip:visible');
    assert.equal(await tip.count(), 0);
    await slider.focus();
    await page.keyboard.press('Home');
    const said = (await slider.getAttribute('aria-valuetext')) ?? '';
    assert.match(said, /00:00–00:15: [\d,−]+ öre\/kWh, (?:mycket lågt|lågt|medel|högt|mycket högt)$/);
    const cell = page.locator('.tables').first().locator('tbody td').first();
    const price = (await cell.textContent()) ?? '';
    assert.ok(price !== '' && said.includes(`: ${price} öre/kWh`), `${said}, and ${price} in the table`);
    assert.ok(((await tip.textContent()) ?? '').includes(`${price} öre/kWh`));
    await page.keyboard.press('ArrowRight');
    assert.match((await slider.getAttribute('aria-valuetext')) ?? '', /00:15–00:30/);
    await assertAccessible(page);
    await slider.blur();
    assert.equal(await tip.count(), 0);
    const chart = page.locator('.day-bars').first();
    await chart.scrollIntoViewIfNeeded();
    const box = (await chart.boundingBox()) ?? assert.fail();
    await page.mouse.move(box.x + box.width * 0.5, box.y + box.height / 2);
    assert.match((await tip.textContent()) ?? '', /1[123]:\d\d–1[123]:\d\d/);
    assert.equal(await page.locator('.bars-mark:not([hidden])').count(), 1);
    const framed = (await tip.boundingBox()) ?? assert.fail();
    assert.ok(
      Math.abs(framed.x + framed.width / 2 - (box.x + box.width / 2)) < framed.width,
      'at the pointer',
    );
    await page.mouse.move(0, 0);
    assert.equal(await tip.count(), 0);
    await end(watched);
  });

  it('the front page in a browser keeps the tip within the narrowest window', async () => {
    const watched = await open(full, { ...PHONE, hasTouch: true }, '/SE3?vat=on&tax=on');
    const { page } = watched;
    const slider = page.getByLabel('Priset vid en vald tid');
    await slider.focus();
    for (const key of ['Home', 'End']) {
      await page.keyboard.press(key);
      const box = (await page.locator('.tip:visible').first().boundingBox()) ?? assert.fail();
      assert.ok(box.x >= 0 && box.x + box.width <= 360, `${key}: ${JSON.stringify(box)}`);
    }
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360);
    await end(watched);
  });

  it('the front page in a browser remembers an area and its switches without scripts or an account', async () => {
    const watched = await open(full, { ...PHONE, javaScriptEnabled: false });
    const { page } = watched;
    const chooser = page.getByRole('navigation', { name: 'Välj elområde' });
    assert.equal(await chooser.locator('[aria-current]').count(), 0, 'nothing is chosen yet');
    await chooser.getByRole('link', { name: 'SE1' }).click();
    await page.waitForURL(`${full.grid}/SE1`);
    await page.getByRole('heading', { level: 1, name: 'Elpriset i SE1 Luleå just nu' }).waitFor();
    const spot = await page.locator('.own-price .number').textContent();
    await page.getByRole('group', { name: 'Moms' }).getByRole('link', { name: 'Med, 25 %' }).click();
    await page.waitForURL(`${full.grid}/SE1?vat=on`);
    await page.getByRole('group', { name: 'Energiskatt' }).getByRole('link', { name: 'Med' }).click();
    await page.waitForURL(`${full.grid}/SE1?vat=on&tax=on`);
    assert.notEqual(await page.locator('.own-price .number').textContent(), spot);
    await page.getByText('Energiskatten i SE1 är 26,4 öre/kWh').waitFor();
    await page.goto(full.grid);
    await page.waitForURL(`${full.grid}/SE1?vat=on&tax=on`);
    await page.getByLabel('Postnummer, ort eller koordinater').fill('211 00');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Visa priserna för Malmö (SE4)' }).click();
    await page.waitForURL(`${full.grid}/SE4?kommun=1280&vat=on&tax=on`);
    await page.getByRole('heading', { level: 1, name: 'Elpriset i Malmö (SE4) just nu' }).waitFor();
    await page.getByRole('link', { name: 'Glöm mitt val' }).click();
    await page.waitForURL(`${full.grid}/`);
    assert.deepEqual(await page.context().cookies(), []);
    await end(watched);
  });

  it('the front page in a browser raises the own price, and has the search before the charts until an area is chosen', async () => {
    const top = async (path: string, selector: string) => {
      const watched = await open(full, PHONE, path);
      const box = (await watched.page.locator(selector).first().boundingBox()) ?? assert.fail();
      await end(watched);
      return box.y;
    };
    assert.ok((await top('/', '.own-price')) < 600);
    assert.ok((await top('/', '#q')) < (await top('/', '.day-bars')));
    assert.ok((await top('/SE3', '.day-bars')) < (await top('/SE3', '#q')));
  });

  it('the front page in a browser can be used by keyboard only', async () => {
    const watched = await open(full, SCREEN);
    const { page } = watched;
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.className'), 'skip');
    await page.locator('.intro-links a').last().focus();
    const focused: unknown[] = [];
    for (let times = 0; times < 8; times += 1) {
      await page.keyboard.press('Tab');
      focused.push(await page.evaluate('document.activeElement.getAttribute("href")'));
    }
    assert.deepEqual(focused, [
      '/area/SE1',
      '/area/SE2',
      '/area/SE3',
      '/area/SE4',
      '/area/SE3',
      '/area/SE3?vat=on',
      '/area/SE3',
      '/area/SE3?tax=on',
    ]);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/SE3\?tax=on$/);
    await page.locator('.map-area').last().focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/SE4\?tax=on$/);
    await end(watched);
  });
});

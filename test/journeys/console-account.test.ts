import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertAccessible } from '../kit/axe.ts';
import { withoutBrowser } from '../kit/chromium.ts';
import { assertNotKept, type ConsolePage, DESK, openConsole, PHONE } from '../kit/console-page.ts';
import { until } from '../kit/until.ts';
import { callJson, makeWorld, type World } from '../kit/world.ts';

const MARKUP = '<img src=x onerror=alert(1)>';

describe('the account in the console', { skip: withoutBrowser }, () => {
  let world: World;
  let console: ConsolePage;
  let key = '';
  before(async () => {
    world = await makeWorld({ engine: 'sqlite' });
    console = await openConsole(world, 'anna@example.com');
  });
  after(async () => {
    await console?.close();
    await world?.close();
  });

  const button = (name: string | RegExp) => console.page.getByRole('button', { name, exact: true });
  const card = (name: string) => console.page.getByRole('listitem').filter({ hasText: name });
  const isAccessible = () => assertAccessible(console.page);
  const isFocused = (text: string) =>
    until(`the focus is on ${text}`, () =>
      console.page.evaluate<boolean>(`document.activeElement.textContent.trim() === ${JSON.stringify(text)}`),
    );
  const onBothSizes = async (check: () => Promise<void>) => {
    for (const size of [PHONE, DESK]) {
      await console.page.setViewportSize(size);
      await check();
    }
  };
  const fitsPage = async () => {
    const [wide, room] = await console.page.evaluate<[number, number]>(
      '[document.documentElement.scrollWidth, innerWidth]',
    );
    assert.ok(wide <= room, `${wide} px wide in ${room}`);
  };
  const calls = (path: string, apiKey: string) =>
    callJson(`${world.connect}${path}`, { headers: { 'x-api-key': apiKey } });
  const makeKey = async (label: string): Promise<string> => {
    const { id } = (await console.api('POST', '/account/keys', { label, scopes: ['devices:read'] })) as {
      id: string;
    };
    return id;
  };

  it('the account in the console has pages that are reached from every other one, behind a button on a phone', async () => {
    const { page } = console;
    await console.open('');
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
    assert.match(await page.title(), /^API keys/);
    await page.setViewportSize(PHONE);
    const menu = button('Menu');
    assert.equal(await page.getByRole('link', { name: 'Usage', exact: true }).isVisible(), false);
    await menu.press('Enter');
    assert.equal(await menu.getAttribute('aria-expanded'), 'true');
    await isAccessible();
    await fitsPage();
    await page.keyboard.press('Escape');
    assert.equal(await page.getByRole('link', { name: 'Usage', exact: true }).isVisible(), false);
    await isFocused('Menu');
    await menu.click();
    await page.getByRole('link', { name: 'Usage', exact: true }).click();
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    await page.locator('button[aria-expanded=false]').getByText('Menu').waitFor();
    await page.setViewportSize(DESK);
    assert.equal(await button('Menu').isVisible(), false);
  });

  it('the account in the console has no calls at first', async () => {
    await console.open('/usage');
    await console.page.getByRole('heading', { name: 'Calls' }).waitFor();
    await console.page.locator('dd').getByText('of 10,000').waitFor();
    await onBothSizes(isAccessible);
  });

  it('the account in the console makes a key by keyboard, which is shown this once and works', async () => {
    const { page } = console;
    await console.open('/keys');
    await page.getByText('No keys yet').waitFor();
    await isAccessible();
    await button('New key').press('Enter');
    assert.equal(await page.evaluate('document.activeElement.labels[0].textContent'), 'Label');
    await page.getByRole('checkbox', { name: /^Read devices/ }).uncheck();
    await page.getByLabel('Label').press('Enter');
    await page.getByText('Give the key a label of 1 to 60 ordinary characters.').waitFor();
    await page.getByText('Choose at least one.').waitFor();
    assert.equal(await page.evaluate('document.activeElement.labels[0].textContent'), 'Label');
    await onBothSizes(isAccessible);
    await page.getByRole('checkbox', { name: /^Read devices/ }).check();
    for (const [typed, kept] of [
      ['a\u202eb', 'a\u202eb'],
      ['x'.repeat(10_000), 'x'.repeat(60)],
      [MARKUP, MARKUP],
    ] as const) {
      await page.getByLabel('Label').fill('');
      await page.getByLabel('Label').focus();
      await page.keyboard.insertText(typed);
      assert.equal(await page.getByLabel('Label').inputValue(), kept);
      if (kept === MARKUP) break;
      if (kept.length === 60) continue;
      await page.keyboard.press('Enter');
      await page.getByText('Give the key a label of 1 to 60 ordinary characters.').waitFor();
    }
    await page.keyboard.press('Enter');
    await page.getByText('It is shown this once.').waitFor();
    const [shown = '', command = ''] = await page.locator('pre code').allTextContents();
    key = shown;
    assert.match(key, /^elnav_[0-9A-Za-z]{12}_/);
    assert.equal(command, `curl -H 'X-Api-Key: ${key}' ${world.connect}/account`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await button('Copy the key').click();
    await page.getByText('Copied', { exact: true }).waitFor();
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), key);
    await onBothSizes(isAccessible);
    await card(MARKUP).getByText('Active').waitFor();
    await card(MARKUP)
      .getByText(/, by you$/)
      .waitFor();
    const { status, body } = await calls('/account', key);
    assert.deepEqual([status, (body as { scopes: unknown }).scopes], [200, ['devices:read']]);
    await button('Done, hide it').click();
    await console.open('/keys');
    await card(MARKUP).waitFor();
    assert.equal(await page.getByText(key).count(), 0);
    await assertNotKept(console, key);
  });

  it('the account in the console shows what the key called: refused calls, routes, and what is left', async () => {
    const { page } = console;
    for (let count = 0; count < 3; count += 1) assert.equal((await calls('/devices', key)).status, 200);
    assert.equal((await calls('/devices/nothing', key)).status, 404);
    assert.equal((await calls('/account/keys', key)).status, 403);
    await console.open('/usage');
    const rows = (name: string) => page.getByRole('region', { name }).getByRole('row');
    await rows('By route').filter({ hasText: 'GET /devices/{id}' }).getByRole('cell').first().waitFor();
    const cells = (name: string, text: string) =>
      rows(name).filter({ hasText: text }).getByRole('cell').allTextContents();
    assert.deepEqual(await cells('By route', 'GET /devices/{id}'), ['1', '1', '0']);
    await until('the key has its label', async () => (await cells('By key', MARKUP)).length > 0);
    assert.deepEqual(await cells('By key', MARKUP), ['6', '2', '0']);
    assert.equal(await rows('By key').filter({ hasText: 'The console' }).count(), 1);
    // The refusal of the key's missing permission came before the limits.
    const today = page.locator('.tile').filter({ hasText: 'Today' });
    await today.getByText('9,995 of 10,000').waitFor();
    await page.getByRole('img', { name: /^Calls by day, \d+ in all\. Most on/ }).waitFor();
    await page.getByText('The figures by day').click();
    assert.equal(await rows('The figures by day').count(), 31);
    await onBothSizes(async () => {
      await isAccessible();
      await fitsPage();
    });
    await page.getByLabel('7 days').check();
    await page.getByText('The figures by day').click();
    await until('a week is shown', async () => (await rows('The figures by day').count()) === 8);
    assert.match(page.url(), /\?days=7$/);
  });

  it('the account in the console says that the limits are halved, and until when', async () => {
    const { page } = console;
    const statuses = await Array.fromAsync({ length: 80 }, async () => (await calls('/links', key)).status);
    assert.ok(statuses.includes(429));
    await page.getByText(/so they are halved until \d\d:\d\d/).waitFor();
    await page.locator('dd').getByText('of 5,000').waitFor();
    await isAccessible();
  });

  it('the account in the console revokes a key when that is confirmed, and the next call with it is refused', async () => {
    const { page } = console;
    await console.open('/keys');
    await button(`Revoke ${MARKUP}`).click();
    await page.getByRole('alertdialog').getByText('Revoke this key?').waitFor();
    await onBothSizes(isAccessible);
    await page.keyboard.press('Escape');
    await page.getByRole('alertdialog').waitFor({ state: 'hidden' });
    await isFocused(`Revoke ${MARKUP}`);
    assert.notEqual((await calls('/account', key)).status, 401);
    await button(`Revoke ${MARKUP}`).click();
    await button('Revoke it').click();
    await page.getByText(`The key ${MARKUP} is revoked.`).waitFor();
    await isFocused('API keys');
    await card(MARKUP).getByText('Revoked', { exact: true }).first().waitFor();
    assert.equal((await calls('/account', key)).status, 401);
    await isAccessible();
  });

  it('the account in the console answers a tab that revokes what another has revoked already', async () => {
    const { page } = console;
    const id = await makeKey('shared');
    await console.open('/keys');
    await button('Revoke shared').click();
    const other = await page.context().newPage();
    await other.goto(`${world.connect}/console/keys`);
    await other.getByRole('button', { name: 'Revoke shared', exact: true }).click();
    await other.getByRole('button', { name: 'Revoke it', exact: true }).click();
    await other.getByText('The key shared is revoked.').waitFor();
    await other.close();
    await button('Revoke it').click();
    await page.getByText('The key shared is revoked.').waitFor();
    const listed = (await console.api('GET', '/account/keys')) as { id: string; revoked_at: unknown }[];
    assert.equal(typeof listed.find((one) => one.id === id)?.revoked_at, 'string');
  });

  it('the account in the console says that a form was sent already, and shows its key', async () => {
    const { page } = console;
    await console.open('/keys');
    await button('New key').click();
    await page.getByLabel('Label').fill('lost');
    // The response is lost on the way, after the key was made.
    await page.route('**/account/keys', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      await route.fetch();
      await route.abort();
    });
    await button('Create key').click();
    await page.getByText('elnav did not respond.').waitFor();
    await page.unroute('**/account/keys');
    await button('Create key').click();
    await page.getByText('This form was already sent').waitFor();
    await card('lost').waitFor();
    assert.equal(await card('lost').count(), 1);
    await isAccessible();
  });

  it('the account in the console changes how link pages look, with a preview that is easy to read', async () => {
    const { page } = console;
    await console.open('/brand');
    await page.getByText('None is set').waitFor();
    await isAccessible();
    await button('Save').click();
    await page.getByText('Enter a name of 1 to 60 ordinary characters.').waitFor();
    await page.getByLabel('Name').fill('Sol\u2067bilar');
    await button('Save').click();
    await page.getByText('Enter a name of 1 to 60 ordinary characters.').waitFor();
    await page.getByLabel('Name').fill(MARKUP);
    await page.getByRole('textbox', { name: 'Colour', exact: true }).fill('red');
    await button('Save').click();
    await page.getByText('Enter the colour as #rrggbb').waitFor();
    await onBothSizes(isAccessible);
    await page.getByRole('textbox', { name: 'Colour', exact: true }).fill('#1A237E');
    await page.getByLabel('Your privacy policy').fill('sol.example.com/privacy');
    await button('Save').click();
    await page.getByText('Enter the whole address, such as https://example.com/privacy.').waitFor();
    await page.getByLabel('Your privacy policy').fill('https://sol.example.com/privacy');
    await page.getByText('Light mode: as chosen, white text').waitFor();
    await page.getByText(/^Dark mode: lightened to #[0-9a-f]{6}, (white|black) text$/).waitFor();
    assert.deepEqual(await page.locator('.preview-name').allTextContents(), [MARKUP, MARKUP]);
    assert.equal(await page.locator('.preview-light rect').first().getAttribute('fill'), '#1a237e');
    await onBothSizes(async () => {
      await isAccessible();
      await fitsPage();
    });
    await button('Save').click();
    await page.getByText('Saved. Your link pages look like this').waitFor();
    const { privacy_url, terms_url } = (await console.api('GET', '/account/brand')) as Record<
      string,
      unknown
    >;
    assert.deepEqual([privacy_url, terms_url], ['https://sol.example.com/privacy', null]);
    const { url } = (await console.api('POST', '/link/sessions', { user_ref: 'bo' })) as { url: string };
    const stranger = await console.strangersPage();
    await stranger.goto(url);
    await stranger.getByText(MARKUP).first().waitFor();
    const brand = `getComputedStyle(document.documentElement).getPropertyValue('--brand')`;
    assert.equal(await stranger.evaluate(brand), '#1a237e');
    await page.getByLabel('Use elnav’s colour').check();
    await button('Save').click();
    await page.getByText('Saved. Your link pages look like this').waitFor();
    await stranger.reload();
    assert.notEqual(await stranger.evaluate(brand), '#1a237e');
    await button('Remove').click();
    await page.getByRole('alertdialog').waitFor();
    await isAccessible();
    await button('Remove it').click();
    await page.getByText('Removed. Link pages have').waitFor();
    assert.equal(await page.getByLabel('Name').inputValue(), '');
    await stranger.reload();
    assert.equal(await stranger.getByText(MARKUP).count(), 0);
    await stranger.close();
  });

  it('the account in the console keeps what is typed where the session has ended elsewhere', async () => {
    const { page } = console;
    await console.open('/keys');
    await button('New key').click();
    await page.getByLabel('Label').fill('typed');
    const out = await page.context().request.post(`${world.grid}/auth/logout`, {
      headers: { origin: world.grid, 'sec-fetch-site': 'same-origin', accept: 'application/json' },
    });
    assert.equal(out.status(), 200);
    await button('Create key').click();
    await page.getByText('Your session has ended').waitFor();
    assert.equal(await page.getByLabel('Label').inputValue(), 'typed');
    await isAccessible();
    assert.deepEqual(console.faults, []);
  });
});

describe('the account in the console, in Swedish', { skip: withoutBrowser }, () => {
  it('the account in the console, in Swedish fits a phone, in dark mode too, without an error of the scripts', async () => {
    const world = await makeWorld({ engine: 'sqlite' });
    const console = await openConsole(world, 'bo@example.com');
    const { page } = console;
    try {
      await page.setViewportSize(PHONE);
      await page.emulateMedia({ colorScheme: 'dark' });
      await console.open('');
      for (const [path, title] of [
        ['keys', 'API-nycklar'],
        ['usage', 'Användning'],
        ['brand', 'Varumärke'],
      ] as const) {
        await page.goto(`${world.connect}/language/sv?next=/console/${path}`);
        await page.getByRole('heading', { name: title, level: 1 }).waitFor();
        await page.getByText('Hämtar…').waitFor({ state: 'hidden' });
        await assertAccessible(page);
        const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
        assert.equal(wide, PHONE.width, path);
      }
      assert.deepEqual(console.faults, []);
    } finally {
      await console.close();
      await world.close();
    }
  });
});

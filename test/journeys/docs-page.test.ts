import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { assertAccessible } from '../kit/axe.ts';
import { openBrowser, withoutBrowser } from '../kit/chromium.ts';
import { ADMIN_TOKEN, type Caller, makeWorld, type World } from '../kit/world.ts';

const run = promisify(execFile);

/** The part of a window that is used here. */
interface Window {
  readonly document: { querySelectorAll(selector: string): Iterable<{ open: boolean }> };
}

const ALL = '.reference-body details';
/** Each takes axe some twenty seconds, as a page has tens of thousands of elements: every width and every colour scheme once. */
const LOOKS = [
  { width: 360, colorScheme: 'light' },
  { width: 1600, colorScheme: 'dark' },
] as const;

describe('the reference in a browser', { skip: withoutBrowser }, () => {
  let world: World;
  let caller: Caller;
  let browser: Browser;
  before(async () => {
    world = await makeWorld({ engine: 'sqlite' });
    caller = await world.newAccount();
    const linked = {
      vendor: 'sandbox',
      user_ref: 'anna',
      credentials: {},
    };
    assert.equal((await caller.call('POST', '/link', linked)).status, 200);
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await world?.close();
  });

  /** A page that records errors of the browser and requests to other origins. */
  const open = async (address: string, options: BrowserContextOptions = {}) => {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('console', (message) => faults.push(message.text()));
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('request', (request) => {
      faults.push(...[request.url()].filter((url) => new URL(url).origin !== new URL(address).origin));
    });
    await page.goto(address);
    return { page, faults, close: () => context.close() };
  };

  /** The operation of an anchor with its form open. */
  const tryOut = async (page: Page, id: string) => {
    const operation = page.locator(`#${id}`);
    await operation.getByText('Try it', { exact: true }).click();
    return { form: operation.locator('form'), answer: operation.locator('.try-answer'), operation };
  };

  const enter = async (page: Page, label: string, secret: string) => {
    await page.locator('.contents').getByRole('button', { name: 'Your key' }).click();
    await page.getByLabel(label, { exact: true }).fill(secret);
    await page.getByRole('button', { name: 'Use', exact: true }).click();
  };

  it('the reference in a browser lists devices with the entered key, and explains a wrong one', async () => {
    const { page, faults, close } = await open(`${world.connect}/docs`);
    const { form, answer, operation } = await tryOut(page, 'get-devices');
    await form.getByRole('button', { name: 'Send' }).click();
    await answer.getByRole('paragraph').getByText('an API key is required').waitFor();
    await enter(page, 'API key', 'elnav_wrong');
    await form.getByRole('button', { name: 'Send' }).click();
    await answer.getByRole('paragraph').getByText('the API key is mistyped').waitFor();
    assert.match((await answer.textContent()) ?? '', /401 Unauthorized/);
    await enter(page, 'API key', caller.key);
    await form.getByLabel('user_ref').fill('anna');
    await form.getByRole('button', { name: 'Send' }).click();
    await answer.getByText('200 OK').waitFor();
    const listed = JSON.parse((await answer.locator('pre').textContent()) ?? '') as unknown[];
    assert.ok(listed.length > 0);
    const command = (await operation.locator('code.command').textContent()) ?? '';
    assert.equal(command, `curl '${world.connect}/devices?user_ref=anna' \\\n  -H "X-Api-Key: $KEY"`);
    // The browser's console reports both refusals.
    assert.deepEqual(
      faults.filter((fault) => !/status of 401/.test(fault)),
      [],
    );
    assert.ok(!page.url().includes(caller.key));
    const stored = await page.evaluate(
      'JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])',
    );
    assert.equal(stored, '[{},{},""]');
    await page.reload();
    await tryOut(page, 'get-devices');
    await page.locator('#get-devices').getByText('Needs your API key.').waitFor();
    await close();
  });

  it('the reference in a browser asks before it moves a device, and sends nothing twice by accident', async () => {
    const { page, faults, close } = await open(`${world.connect}/docs#post-devices-id-command`);
    const devices = (await caller.call('GET', '/devices')).body as { id: string; device_type: string }[];
    const light = devices.find(({ device_type }) => device_type === 'light');
    assert.ok(light !== undefined);
    await enter(page, 'API key', caller.key);
    const { form, answer } = await tryOut(page, 'post-devices-id-command');
    await form.getByLabel('id', { exact: false }).first().fill(light.id);
    await form.getByLabel('Body').fill('{"type": "turn_on"}');
    const once = await form.getByLabel('idempotency-key').inputValue();
    assert.match(once, /^try-[0-9a-f]{24}$/);
    await form.getByRole('button', { name: 'Send' }).click();
    assert.equal(await answer.textContent(), '', 'nothing is sent before the confirmation');
    await form.getByLabel('controls a real device').check();
    await form.getByRole('button', { name: 'Send' }).click();
    await answer.getByText('200 OK').waitFor();
    assert.notEqual(await form.getByLabel('idempotency-key').inputValue(), once);
    assert.equal(await form.getByLabel('controls a real device').isChecked(), false);
    assert.deepEqual(faults, []);
    await close();
  });

  it('the reference in a browser looks up without a key on Grid, by keyboard only', async () => {
    const { page, faults, close } = await open(`${world.grid}/docs`);
    await page.getByRole('searchbox').focus();
    await page.keyboard.type('postal code');
    await page
      .locator('#found')
      .getByText(/^[1-9] of /)
      .waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/#get-api-v1-lookup-postal$/);
    const operation = page.locator('#get-api-v1-lookup-postal');
    await operation.locator('.try > summary').focus();
    await page.keyboard.press('Enter');
    await operation.getByRole('textbox', { name: 'code' }).fill('11122');
    await page.keyboard.press('Enter');
    await operation.locator('.try-answer').getByText('200 OK').waitFor();
    assert.match((await operation.locator('.answer-body').textContent()) ?? '', /"SE3"/);
    assert.deepEqual(faults, []);
    await close();
  });

  it('the reference in a browser finds operations by words of their summaries and descriptions', async () => {
    const { page, faults, close } = await open(`${world.connect}/docs`);
    const found = async (words: string) => {
      await page.getByRole('searchbox').fill(words);
      return await page
        .locator('.contents-section li:visible a')
        .evaluateAll((links) => links.map((link) => (link as unknown as { hash: string }).hash));
    };
    assert.deepEqual(await found('unlink'), ['#delete-links-id']);
    assert.ok((await found('disconnect')).includes('#delete-links-id'), 'another word for it');
    assert.ok((await found('battery_soc')).includes('#get-devices-id'), 'a field of a response');
    assert.deepEqual(await found('polling interval'), ['#get-devices-id']);
    assert.ok((await found('start_charge')).includes('#post-devices-id-command'));
    assert.deepEqual(await found('nothing of the kind'), []);
    await page.locator('#found').getByText('No matching operation').waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it('the reference in a browser shows requests in the language that was chosen by keyboard, and remembers it', async () => {
    const { page, faults, close } = await open(`${world.connect}/docs`);
    const samples = () => page.locator('.operation:has(form) code.command').allTextContents();
    const choose = async (key: string, name: string) => {
      await page.locator('#get-devices .language').focus();
      await page.keyboard.press(key);
      assert.equal(await page.locator('#post-optimize-plan .language').inputValue(), name);
    };
    const curl = await samples();
    assert.ok(curl.length > 20, `only ${curl.length} requests`);
    await choose('ArrowDown', 'JavaScript');
    const script = (await page.locator('#get-devices code.command').textContent()) ?? '';
    await choose('ArrowDown', 'Python');
    assert.equal(
      await page.locator('#post-devices-id-command code.command').textContent(),
      [
        'import os',
        '',
        'import requests',
        '',
        'response = requests.post(',
        `    "${world.connect}/devices/charger-u2vsdkcko5/command",`,
        '    headers={"X-Api-Key": os.environ["KEY"]},',
        '    json={',
        '        "type": "set_current",',
        '        "current_a": 8,',
        '    },',
        ')',
        'print(response.status_code, response.json())',
      ].join('\n'),
    );
    await page.reload();
    assert.equal(await page.locator('#get-devices .language').inputValue(), 'Python');
    assert.match((await page.locator('#get-devices code.command').textContent()) ?? '', /^import os/);
    await choose('Home', 'curl');
    assert.deepEqual(await samples(), curl, 'the same calls as those of the page itself');
    const env = { ...process.env, KEY: caller.key };
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { env });
    assert.match(stdout, /^200 \[/);
    assert.match(stdout, /charger-u2vsdkcko5/);
    assert.deepEqual(faults, []);
    await close();
    const grid = await open(`${world.grid}/docs`);
    const calls = () => grid.page.locator('.operation:has(form) code.command').allTextContents();
    const before = await calls();
    await grid.page.locator('#get-api-v1-tax .language').focus();
    await grid.page.keyboard.press('End');
    assert.match((await calls()).join('\n'), /^import requests$/m);
    await grid.page.keyboard.press('Home');
    assert.deepEqual(await calls(), before);
    assert.deepEqual(grid.faults, []);
    await grid.close();
  });

  it('the reference in a browser reads a stream until it is stopped', async () => {
    const { page, faults, close } = await open(`${world.grid}/docs`);
    const { form, answer } = await tryOut(page, 'get-api-v1-prices-stream');
    await form.getByRole('button', { name: 'Send' }).click();
    await answer.getByText('event: current').waitFor();
    await form.getByRole('button', { name: 'Stop' }).click();
    await answer.getByText('Stopped.').waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it('the reference in a browser accepts the admin token for administration', async () => {
    const { page, faults, close } = await open(`${world.grid}/docs`);
    await enter(page, 'Admin token', ADMIN_TOKEN);
    const { form, answer } = await tryOut(page, 'get-admin-users');
    await form.getByRole('button', { name: 'Send' }).click();
    await answer.getByText('200 OK').waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it('the reference in a browser can be read without scripts', async () => {
    for (const width of [360, 1600]) {
      const options = { javaScriptEnabled: false, viewport: { width, height: 800 } };
      const { page, close } = await open(`${world.grid}/docs`, options);
      assert.ok(await page.getByRole('heading', { name: 'Look up a postal code' }).isVisible());
      assert.ok(await page.getByText('With JavaScript, you can try operations').isVisible());
      assert.equal(await page.locator('.try, .contents-tools').filter({ visible: true }).count(), 0);
      assert.equal(await page.locator('.contents-list').first().isVisible(), width === 1600);
      await close();
    }
  });

  for (const { width, colorScheme } of LOOKS) {
    it(`the reference in a browser has no serious accessibility fault at ${width} pixels, ${colorScheme}`, async () => {
      for (const service of ['connect', 'grid'] as const) {
        const options = { colorScheme, viewport: { width, height: 900 } };
        const { page, faults, close } = await open(`${world[service]}/docs`, options);
        await page.evaluate((folds) => {
          const { document } = globalThis as unknown as Window;
          for (const fold of document.querySelectorAll(folds)) fold.open = true;
        }, ALL);
        await assertAccessible(page);
        assert.deepEqual(faults, []);
        await close();
      }
    });
  }
});

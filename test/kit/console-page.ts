import assert from 'node:assert/strict';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { openBrowser } from './chromium.ts';
import { signUp } from './people.ts';
import type { Caller, World } from './world.ts';

export const DESK = { width: 1_440, height: 900 };
export const PHONE = { width: 360, height: 780 };

/** The console of somebody who has signed up, in a browser. */
export interface ConsolePage {
  readonly page: Page;
  /** Errors of its scripts, and faults of its policy. */
  readonly faults: readonly string[];
  /** Addresses that were asked for, and what was printed. */
  readonly left: readonly string[];
  open(path: string): Promise<void>;
  /** Calls the API beside the page, as the same person. */
  readonly call: Caller['call'];
  close(): Promise<void>;
}

export async function openConsole(world: World, email: string): Promise<ConsolePage> {
  const browser: Browser = await openBrowser();
  const [name = '', value = ''] = (await signUp(world, email)).split('=');
  const context: BrowserContext = await browser.newContext({ locale: 'en-GB', viewport: DESK });
  await context.addCookies([{ name, value, url: world.grid }]);
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  const faults: string[] = [];
  const left: string[] = [];
  page.on('request', (request) => left.push(request.url()));
  page.on('pageerror', (error) => faults.push(String(error.stack)));
  page.on('console', (message) => {
    left.push(message.text());
    if (/Content Security Policy/i.test(message.text())) faults.push(message.text());
  });
  return {
    ...{ page, faults, left },
    async open(path) {
      await page.goto(`${world.connect}/console${path}`);
      await page.locator('#console h1').waitFor();
    },
    async call(method, path, body) {
      const response = await context.request.fetch(`${world.connect}${path}`, {
        method,
        headers: { 'sec-fetch-site': 'same-origin', origin: world.connect },
        ...(body === undefined ? {} : { data: body }),
      });
      const text = await response.text();
      return {
        status: response.status(),
        headers: new Headers(response.headers()),
        body: text === '' ? null : JSON.parse(text),
      };
    },
    close: () => browser.close(),
  };
}

/** Asserts that a secret which the page has shown is in no address, storage, history or log of the browser. */
export async function assertNotKept({ page, left }: ConsolePage, secret: string): Promise<void> {
  const kept = await page.evaluate<string>(
    'JSON.stringify([location.href, { ...localStorage }, { ...sessionStorage }, history.state, document.cookie])',
  );
  assert.ok(secret.length > 5, 'there is a secret');
  for (const text of [kept, ...left]) assert.ok(!text.includes(secret), `the secret is in ${text}`);
}

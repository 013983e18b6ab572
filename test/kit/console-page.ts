import assert from 'node:assert/strict';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { openBrowser } from './chromium.ts';
import { signUp } from './people.ts';
import type { TestVendor } from './vendor-for-tests.ts';
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
  /** The body of such a call, which must succeed. */
  api(method: string, path: string, body?: object): Promise<unknown>;
  /** Links devices of the vendor of tests, which that vendor has from then on. */
  link(vendor: TestVendor, user: string, devices: readonly string[]): Promise<void>;
  /** A page for somebody who is not signed in. */
  strangersPage(): Promise<Page>;
  close(): Promise<void>;
}

export async function openConsole(
  world: World,
  email: string,
  options: BrowserContextOptions = {},
): Promise<ConsolePage> {
  const browser: Browser = await openBrowser();
  const [name = '', value = ''] = (await signUp(world, email)).split('=');
  const context: BrowserContext = await browser.newContext({ locale: 'en-GB', viewport: DESK, ...options });
  await context.addCookies([{ name, value, url: world.grid }]);
  const page = await context.newPage();
  const faults = faultsOf(page);
  const left: string[] = [];
  page.on('request', (request) => left.push(request.url()));
  page.on('console', (message) => left.push(message.text()));
  const call: Caller['call'] = async (method, path, body) => {
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
  };
  const api = async (method: string, path: string, body?: object) => {
    const answer = await call(method, path, body);
    assert.ok(answer.status < 300, `${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  return {
    ...{ page, faults, left, call, api },
    async open(path) {
      await page.goto(`${world.connect}/console${path}`);
      await page.locator('#console h1').waitFor();
    },
    async link(vendor, user, devices) {
      vendor.devices = devices;
      const credentials = { user: user.slice(0, 20), password: 'p' };
      await api('POST', '/link', { vendor: vendor.adapter.slug, user_ref: user, credentials });
    },
    strangersPage: () => browser.newPage(),
    close: () => browser.close(),
  };
}

/** Errors of the scripts of a page, and faults of its policy, from now on. */
export function faultsOf(page: Page): readonly string[] {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error.stack)));
  page.on('console', (message) => {
    if (/Content Security Policy/i.test(message.text())) faults.push(message.text());
  });
  return faults;
}

/** Asserts that a secret which the page has shown is in no address, storage, history or log of the browser. */
export async function assertNotKept({ page, left }: ConsolePage, secret: string): Promise<void> {
  const kept = await page.evaluate<string>(
    'JSON.stringify([location.href, { ...localStorage }, { ...sessionStorage }, history.state, document.cookie])',
  );
  assert.ok(secret.length > 5, 'there is a secret');
  for (const text of [kept, ...left]) assert.ok(!text.includes(secret), `the secret is in ${text}`);
}

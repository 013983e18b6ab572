import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** A page of a browser that notes what no page of ours may do. */
export interface WatchedPage {
  readonly page: Page;
  /** Requests to other origins, errors on the console and breaches of the security policy, so far. */
  faults(): string[];
  close(): Promise<void>;
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string }[];
}

/** Opens an empty page in a context of its own; `base` is the only origin that it may call. */
export async function watchedPage(
  browser: Browser,
  base: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const noted: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith('data:') && new URL(request.url()).origin !== new URL(base).origin)
      noted.push(`called ${request.url()}`);
  });
  page.on('console', (message) => {
    if (message.type() === 'error') noted.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => noted.push(`error: ${error.message}`));
  return {
    page,
    // Browsers tell breaches of the policy on the console.
    faults: () => [...noted],
    close: () => context.close(),
  };
}

/** No serious or critical fault of accessibility, and nothing that is wider than the window. */
export async function assertAccessible(page: Page): Promise<void> {
  await page.evaluate(axe);
  const found = (await page.evaluate(
    "axe.run(document, {resultTypes: ['violations']}).then(({violations}) => violations)",
  )) as Violation[];
  const grave = found.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  assert.deepEqual(
    grave.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`),
    [],
  );
  const [content, width] = (await page.evaluate(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  )) as [number, number];
  assert.ok(content <= width, `the page is ${content} wide in a window of ${width}`);
}

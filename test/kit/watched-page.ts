import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** A browser page that records what none of our pages may do. */
export interface WatchedPage {
  readonly page: Page;
  /** Requests to other origins, errors on the console and violations of the security policy, so far. */
  faults(): string[];
  close(): Promise<void>;
}

/** Opens an empty page in a context of its own; it may call no other origins than those of `base`. */
export async function watchedPage(
  browser: Browser,
  base: string | readonly string[],
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const allowed = [base].flat().map((address) => new URL(address).origin);
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const noted: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith('data:') && !allowed.includes(new URL(request.url()).origin))
      noted.push(`called ${request.url()}`);
  });
  page.on('console', (message) => {
    if (message.type() === 'error') noted.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => noted.push(`error: ${error.message}`));
  return {
    page,
    // Browsers report policy violations on the console.
    faults: () => [...noted],
    close: () => context.close(),
  };
}

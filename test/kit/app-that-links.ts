import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';

/** What the app that sent a home owner to the link page shows on their return. */
export const BACK = 'back in the app';

export interface AppThatLinks {
  /** Its `redirect_uri`. */
  readonly url: string;
  close(): void;
}

/** An external app, on a port of its own. */
export async function openApp(): Promise<AppThatLinks> {
  const server = createServer((_request, response) => response.end(BACK));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/linked`, close: () => server.close() };
}

/** Waits until the browser is back in the app, and returns the parameters that the app received. */
export async function outcomeInApp(page: Page, app: AppThatLinks): Promise<Record<string, string>> {
  await page.waitForURL((url) => url.href.startsWith(app.url));
  return Object.fromEntries(new URL(page.url()).searchParams);
}

/** Signs in on the page of a simulated vendor with the password that the page shows. */
export async function signInAtSimulator(page: Page, user: string): Promise<void> {
  const password = await page
    .locator('code', { hasText: new RegExp(`^${user}$`) })
    .locator('xpath=following-sibling::code[1]')
    .textContent();
  await page.getByLabel('User name').fill(user);
  await page.getByLabel('Password').fill(password ?? '');
  await page.keyboard.press('Enter');
}

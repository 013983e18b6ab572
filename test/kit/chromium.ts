import { type Browser, chromium } from 'playwright-core';

const executablePath = process.env.TEST_CHROMIUM;

/** Why browser tests are skipped; false when they run. */
export const withoutBrowser: string | false =
  executablePath === undefined || executablePath === '' ? 'TEST_CHROMIUM is not set' : false;

/** What a page is waited for. It measures nothing: it is as long as a busy machine may need. */
const DEADLINE_MS = 60_000;

/** Chromium, without the requests to its vendor that it makes by itself. */
export async function openBrowser(): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: executablePath ?? '',
    args: [
      // In containers tests run as root, where Chromium's sandbox does not work.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  return browser.on('context', (context) => context.setDefaultTimeout(DEADLINE_MS));
}

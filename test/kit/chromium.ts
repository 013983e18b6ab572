import { type Browser, chromium } from 'playwright-core';

const executablePath = process.env.TEST_CHROMIUM;

/** Why tests in a browser are left out; false where they run. */
export const withoutBrowser: string | false =
  executablePath === undefined || executablePath === '' ? 'TEST_CHROMIUM is not set' : false;

/** Chromium, without the calls home that it makes by itself. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: executablePath ?? '',
    args: [
      // Tests run as root in containers, where the sandbox cannot.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

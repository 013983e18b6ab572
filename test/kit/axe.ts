import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const AXE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Faults that axe rates as moderate, but that mislead people who navigate by headings or landmarks. */
const ORIENTATION = ['heading-order', 'landmark-one-main', 'page-has-heading-one', 'region'];

/** The narrowest window that must show everything without horizontal scrolling (WCAG 1.4.10). */
const NARROWEST = 320;

/** Controls smaller than 24 px (WCAG 2.5.8), except links in text and boxes with a label. */
const SMALL_CONTROLS = `[...document.querySelectorAll('button, input, select, textarea, summary, a.button')]
  .filter((element) => element.type !== 'hidden' && element.type !== 'checkbox' && element.checkVisibility())
  .filter((element) => { const { width, height } = element.getBoundingClientRect(); return Math.min(width, height) < 24; })
  .map((element) => element.outerHTML.slice(0, 120))`;

/** The part of axe's result that is used here. */
interface Audited {
  readonly axe: {
    run(options: object): Promise<{
      readonly violations: readonly {
        readonly id: string;
        readonly impact: string | null;
        readonly nodes: readonly { readonly html: string }[];
      }[];
    }>;
  };
}

/** Asserts that no accessibility fault blocks a person, and that nothing is wider than this window or the narrowest one. */
export async function assertAccessible(page: Page): Promise<void> {
  // Injected as the browser's own code, since the page's policy blocks other scripts.
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as Audited;
    const { violations } = await axe.run({ resultTypes: ['violations'] });
    return { violations };
  });
  const grave = violations.filter(
    ({ id, impact }) => impact === 'serious' || impact === 'critical' || ORIENTATION.includes(id),
  );
  assert.deepEqual(
    grave.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`),
    [],
    page.url(),
  );
  assert.deepEqual(await page.evaluate(SMALL_CONTROLS), [], `${page.url()}: controls that are too small`);
  await assertFits(page);
  const window = page.viewportSize();
  assert.ok(window !== null);
  await page.setViewportSize({ ...window, width: NARROWEST });
  await assertFits(page);
  await page.setViewportSize(window);
}

async function assertFits(page: Page): Promise<void> {
  const tooWide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  assert.ok(Number(tooWide) <= 0, `${page.url()} is ${tooWide} pixels wider than its window`);
}

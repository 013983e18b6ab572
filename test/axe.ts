import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const AXE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** As much of axe and of a window as is asked for here. */
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
  readonly document: { readonly documentElement: { readonly scrollWidth: number } };
  readonly innerWidth: number;
}

/** No serious or critical fault of accessibility, and nothing that is wider than the window. */
export async function assertAccessible(page: Page): Promise<void> {
  // As the browser's own code: the page's policy lets nobody else put it there.
  await page.evaluate(AXE);
  const { violations, tooWide } = await page.evaluate(async () => {
    const { axe, document, innerWidth } = globalThis as unknown as Audited;
    const { violations } = await axe.run({ resultTypes: ['violations'] });
    return { violations, tooWide: document.documentElement.scrollWidth - innerWidth };
  });
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  assert.deepEqual(
    grave.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`),
    [],
    page.url(),
  );
  assert.ok(tooWide <= 0, `${page.url()} is ${tooWide} pixels wider than its window`);
}

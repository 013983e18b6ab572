import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const AXE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** As much of axe as is asked for here. */
interface Audited {
  readonly axe: {
    run(): Promise<{
      readonly violations: readonly {
        readonly id: string;
        readonly impact: string | null;
        readonly nodes: readonly { readonly html: string }[];
      }[];
    }>;
  };
}

/** What axe-core finds serious or critical on a page, each in a line; the page's policy lets only the browser itself put it there. */
export async function seriousFaults(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const found = await page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as Audited).axe.run();
    return violations.map(({ id, impact, nodes }) => ({ id, impact, html: nodes[0]?.html ?? '' }));
  });
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, html }) => `${page.url()}: ${id} at ${html.slice(0, 200)}`);
}

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import type { Adapter } from '../../src/adapter/adapter.ts';
import type { Simulator } from '../../src/proof/conformance/index.ts';
import { openLocalVendor } from './local-vendor.ts';
import { makeSimulatedVendor } from './simulated-vendor.ts';

export interface Variant {
  readonly name: string;
  open(): Promise<{ readonly simulator: Simulator; close(): Promise<void> }>;
}

/** What an adapter is tested against: its simulator, or the variants in its folder if it has none that can be called. */
export async function variantsOf(adapter: Adapter): Promise<readonly Variant[]> {
  if (adapter.hosts !== undefined)
    return [
      {
        name: 'its simulator',
        open: async () => ({
          simulator: await makeSimulatedVendor(adapter, { waitsForBudgets: true, hasOwnAddresses: true }),
          close: async () => {},
        }),
      },
    ];
  if (adapter.localSimulator !== undefined)
    return [{ name: 'its simulator', open: () => openLocalVendor(adapter) }];
  const file = new URL(`../../src/vendors/${adapter.slug}/test-conformance.ts`, import.meta.url);
  assert.ok(
    existsSync(file),
    `${adapter.slug} declares no hosts, so src/vendors/${adapter.slug}/test-conformance.ts must list its variants`,
  );
  const { VARIANTS_TO_CONFORM } = (await import(file.href)) as { VARIANTS_TO_CONFORM: readonly Variant[] };
  assert.ok(VARIANTS_TO_CONFORM.length > 0, `${adapter.slug} has no variants`);
  return VARIANTS_TO_CONFORM;
}

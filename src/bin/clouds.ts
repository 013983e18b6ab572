import type { Adapter } from '../adapter/adapter.ts';
import type { Settings } from '../core/settings/index.ts';
import type { NamedVendor } from '../domain/vendor-states/index.ts';
import { partnerIn } from './partner.ts';
import { needsPartner } from './vendor-needs.ts';

interface CloudsOptions {
  readonly settings: Settings;
  /** Names of the vendors that simulators stand in for. */
  readonly simulated: readonly string[];
}

/**
 * The vendors that are called in clouds of their own: not those whose devices are called at home, whose place a simulator has, or that nobody can
 * link, since the operator has not configured them.
 */
export function cloudsOf(
  adapters: readonly Adapter[],
  { settings, simulated }: CloudsOptions,
): NamedVendor[] {
  return adapters
    .filter(
      (adapter) =>
        adapter.hosts !== undefined &&
        adapter.chosenAddress === undefined &&
        !simulated.includes(adapter.name) &&
        (!needsPartner(adapter) || partnerIn(settings, adapter.slug) !== undefined),
    )
    .map(({ slug, name }) => ({ slug, name }));
}

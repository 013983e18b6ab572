export const VENDOR_STATES = ['ok', 'trouble', 'blocked', 'unknown'] as const;
/** `trouble`: it cannot be reached for at least half of its links. `blocked`: it refuses calls of everybody here. `unknown`: nobody calls it. */
export type VendorState = (typeof VENDOR_STATES)[number];

/** What is known of a vendor. */
interface Seen {
  /** Links whose last call went through. */
  readonly active: number;
  /** Links whose last call found no vendor, or one that did not respond. */
  readonly unreachable: number;
  /** Whether a block holds for all links. */
  readonly isBlocked: boolean;
}

/** Links that need a new sign-in say nothing of the vendor, so they do not count. */
export function stateOf({ active, unreachable, isBlocked }: Seen): VendorState {
  if (isBlocked) return 'blocked';
  if (active + unreachable === 0) return 'unknown';
  return unreachable >= active ? 'trouble' : 'ok';
}

import type { Adapter, Found } from '../adapter.ts';
import type { DeviceRef } from '../session.ts';
import type { Cloud } from './cloud.ts';
import type { Simulator } from './index.ts';

export type Report = (check: string, fault: string | null) => void;

/** What the checks of a vendor's cloud work with. */
export interface CloudCheck {
  readonly adapter: Adapter;
  readonly simulator: Simulator;
  readonly cloud: Cloud;
  /** One device of each kind. */
  readonly refs: readonly (DeviceRef & Found)[];
  /** It is the one device of a local vendor, and is called itself: unreachable or gone, it does not respond, as with every fault. */
  readonly isAlone: boolean;
  readonly report: Report;
}

/** What is wrong, or null when the work ends well. */
export async function faultOf(work: () => Promise<unknown>): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

import { type Connector, takeStatus } from './connector.ts';

/** Only one plug of an EVSE can be in use; the first status in this list stands for the EVSE. */
const BY_WEIGHT = ['Occupied', 'Faulted', 'Reserved', 'Available', 'Unavailable'];

const MOST_PLUGS = 8;

/** Applies the status of one plug of a 2.0.1 EVSE. */
export function evseStatus(
  evse: Connector,
  { plug, status, at }: { readonly plug: number; readonly status: string; readonly at: number },
): void {
  if (evse.plugs.has(plug) || evse.plugs.size < MOST_PLUGS) evse.plugs.set(plug, status);
  const reported = new Set(evse.plugs.values());
  takeStatus(evse, { status: BY_WEIGHT.find((word) => reported.has(word)) ?? status }, at);
}

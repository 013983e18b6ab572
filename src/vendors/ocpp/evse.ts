import { type Connector, tell } from './connector.ts';

/** Of several plugs of one EVSE only one can be in use; the one that says most speaks for the EVSE. */
const BY_WEIGHT = ['Occupied', 'Faulted', 'Reserved', 'Available', 'Unavailable'];

const MOST_PLUGS = 8;

/** Takes the status of one plug of a 2.0.1 EVSE. */
export function evseStatus(
  evse: Connector,
  { plug, status, at }: { readonly plug: number; readonly status: string; readonly at: number },
): void {
  if (evse.plugs.has(plug) || evse.plugs.size < MOST_PLUGS) evse.plugs.set(plug, status);
  const told = new Set(evse.plugs.values());
  tell(evse, { status: BY_WEIGHT.find((word) => told.has(word)) ?? status }, at);
}

import { Compile } from 'typebox/compile';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import type { JsonObject } from '../../core/json.ts';
import { ChargeState } from './payloads.ts';
import { connectedIn } from './translate.ts';

const charges = Compile(ChargeState);
const nameOf = ({ id }: DeviceRef) => `car/${id}`;

/** When nothing but the time is new, it is stored this often. */
const REFRESH_MS = 10 * 60_000;

/** What the car said when it was last awake; undefined when it never was, or when an older version stored it otherwise. */
export async function lastKnown(session: Session, device: DeviceRef): Promise<ChargeState | undefined> {
  const stored = await session.documents.get(nameOf(device));
  return stored !== undefined && charges.Check(stored) ? stored : undefined;
}

/** Keeps what still holds, or is still worth knowing, once the car has fallen asleep. */
export async function remember(session: Session, device: DeviceRef, charge: ChargeState): Promise<void> {
  const kept = {
    battery_level: charge.battery_level ?? null,
    charge_energy_added: charge.charge_energy_added ?? null,
    charging_state: connectedIn(charge) === false ? 'Disconnected' : 'Stopped',
    charge_limit_soc_min: charge.charge_limit_soc_min ?? null,
    charge_limit_soc_max: charge.charge_limit_soc_max ?? null,
    charge_current_request_max: charge.charge_current_request_max ?? null,
  } satisfies ChargeState & JsonObject;
  const timestamp = charge.timestamp ?? session.clock.now();
  const before = await lastKnown(session, device);
  const isNews = Object.entries(kept).some(
    ([field, value]) => before?.[field as keyof ChargeState] !== value,
  );
  if (isNews || Math.abs(timestamp - (before?.timestamp ?? 0)) > REFRESH_MS)
    await session.documents.put(nameOf(device), { ...kept, timestamp });
}

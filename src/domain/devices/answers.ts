import Type from 'typebox';
import { AvailableCapacity, Device, DeviceState, Limits } from '../../adapter/device.ts';
import { rfc3339 } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import { OpenIntervention } from '../interventions/index.ts';
import type { Known } from './memory.ts';

const Open = Type.Optional(
  Type.Array(OpenIntervention, {
    description:
      'What its user has to do; absent where there is nothing. `GET /interventions` says what and where',
  }),
);

/** The answer of `GET /devices/{id}`. */
export const DeviceReading = Type.Object({
  device: Device,
  state: DeviceState,
  limits: Type.Optional(Limits),
  available_capacity: Type.Optional(AvailableCapacity),
  observed_at: Type.String({ format: 'date-time', description: 'When the vendor measured the state' }),
  fetched_at: Type.String({ format: 'date-time', description: 'When this service received the state' }),
  interventions: Open,
});
export type DeviceReading = Type.Static<typeof DeviceReading>;

/** An item of `GET /devices`. */
export const ListedDevice = Type.Object({
  ...Device.properties,
  state: Type.Optional(DeviceState),
  interventions: Open,
});

/** The answer of a command: the device with its refreshed state. */
export const CommandedDevice = Type.Object({ ...Device.properties, state: DeviceState });
export type CommandedDevice = Type.Static<typeof CommandedDevice>;

function deviceOf({ row }: Known): Device {
  const { id, vendor, type, name, capabilities } = row;
  return { id, vendor, device_type: type, name, capabilities: [...capabilities] };
}

export function readingOf(known: Known): DeviceReading {
  const { row, seen } = known;
  if (seen === null)
    throw new AppError('vendor.unreachable', `${row.vendor} has not reported the state of ${row.id} yet`);
  const balances =
    row.capabilities.includes('load_balancing') && seen.limits !== null && seen.capacity !== null;
  return {
    device: deviceOf(known),
    state: seen.state,
    ...(balances ? { limits: seen.limits, available_capacity: seen.capacity } : {}),
    observed_at: rfc3339(seen.observedAt),
    fetched_at: rfc3339(seen.fetchedAt),
    // It was written by the same schema.
    ...(known.open === null ? {} : { interventions: JSON.parse(known.open) as OpenIntervention[] }),
  };
}

export function commandedOf(known: Known): CommandedDevice {
  return { ...deviceOf(known), state: readingOf(known).state };
}

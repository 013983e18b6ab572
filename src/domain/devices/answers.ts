import Type from 'typebox';
import type { Adapter } from '../../adapter/adapter.ts';
import { AvailableCapacity, Device, DeviceState, Limits } from '../../adapter/device.ts';
import { rfc3339 } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import { OpenIntervention } from '../interventions/index.ts';
import type { Known } from './memory.ts';
import { nextReadOf, type ReadPlan, UNPLANNED } from './next-read.ts';
import type { Seen } from './store.ts';

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
  next_read_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    examples: [null],
    description:
      'When it is read next in the background, as planned now: a hint or a command brings it forward, a limit of the vendor puts it off. A time that has passed: as soon as it can be. Null where no read is planned',
  }),
  next_read_missing: Type.Union([Type.Enum([...UNPLANNED]), Type.Null()], {
    examples: ['on_request'],
    description:
      'Why next_read_at is null. reports_itself: its vendor or the device reports what changes. on_request: it is read when you ask for it. needs_relink: it is not read until its user signs in again. not_planned_yet: it was linked just now',
  }),
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

const NO_PLAN: ReadPlan = { isLinkLost: false, turn: null };

function seenOf({ row, seen }: Known): Seen {
  if (seen !== null) return seen;
  throw new AppError('vendor.unreachable', `${row.vendor} has not reported the state of ${row.id} yet`);
}

export function readingOf(known: Known, adapter: Adapter): DeviceReading {
  const { row, plan } = known;
  const seen = seenOf(known);
  const balances =
    row.capabilities.includes('load_balancing') && seen.limits !== null && seen.capacity !== null;
  return {
    device: deviceOf(known),
    state: seen.state,
    ...(balances ? { limits: seen.limits, available_capacity: seen.capacity } : {}),
    observed_at: rfc3339(seen.observedAt),
    fetched_at: rfc3339(seen.fetchedAt),
    ...nextReadOf(plan ?? NO_PLAN, seen.fetchedAt, adapter),
    // It was written by the same schema.
    ...(known.open === null ? {} : { interventions: JSON.parse(known.open) as OpenIntervention[] }),
  };
}

export function commandedOf(known: Known): CommandedDevice {
  return { ...deviceOf(known), state: seenOf(known).state };
}

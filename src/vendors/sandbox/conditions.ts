import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { DeviceType } from '../../adapter/device.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { MODELS } from './models/index.ts';
import { FAULTS, keep, queued, twinNow } from './simulator.ts';

/** The types of devices that a condition can be set on; the others have it on all. For those who make controls of the schema. */
const ofTypes = (...types: readonly DeviceType[]) => ({ 'x-device-types': types });

/** Conditions that a test or a developer sets on a simulated device. */
export const ConditionsSchema = Type.Object(
  {
    online: Type.Optional(Type.Boolean({ description: 'Whether the device is reachable' })),
    plugged_in: Type.Optional(
      Type.Boolean({
        description: 'Whether a car is plugged in (vehicle, charger)',
        ...ofTypes('vehicle', 'charger'),
      }),
    ),
    battery_soc: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 100,
        description: 'State of charge, percent (vehicle, charger: the car behind it, battery)',
        ...ofTypes('vehicle', 'charger', 'battery'),
      }),
    ),
    remote_start_allowed: Type.Optional(
      Type.Boolean({
        description: 'Whether programmes may be started from afar (smart_home_appliance)',
        ...ofTypes('smart_home_appliance'),
      }),
    ),
    fail: Type.Optional(
      Type.Union([Type.Enum([...FAULTS]), Type.Null()], {
        description: 'How reads and commands fail; null ends it',
      }),
    ),
    time_scale: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 3_600,
        description: 'Speed of time for the device, in seconds per second',
      }),
    ),
  },
  { additionalProperties: false, examples: [{ plugged_in: true, battery_soc: 60 }] },
);

const conditionsCheck = Compile(ConditionsSchema);

/**
 * Sets the given conditions and leaves the others, also for a device that fails or is offline. Returns the reading that the device
 * would have without a fault.
 */
export async function applyConditions(
  session: Session,
  device: DeviceRef,
  conditions: JsonObject,
): Promise<unknown> {
  if (!conditionsCheck.Check(conditions))
    throw new AppError(
      'request.invalid',
      'the body must have only the conditions online, plugged_in, battery_soc, remote_start_allowed, fail and time_scale',
    );
  return queued(session, device, () => applyNow(session, device, conditions));
}

async function applyNow(
  session: Session,
  device: DeviceRef,
  conditions: Type.Static<typeof ConditionsSchema>,
): Promise<unknown> {
  const { plugged_in, battery_soc, remote_start_allowed } = conditions;
  const { plug, charge, allowStart } = MODELS[device.type];
  const twin = await twinNow(session, device);
  let state = twin.state;
  if (plugged_in !== undefined) {
    if (plug === undefined) throw impossible(device, 'plugged_in', 'no car can be plugged in');
    state = plug(state, plugged_in);
  }
  if (battery_soc !== undefined) {
    if (charge === undefined) throw impossible(device, 'battery_soc', 'it has no battery');
    state = charge(state, battery_soc);
  }
  if (remote_start_allowed !== undefined) {
    if (allowStart === undefined)
      throw impossible(device, 'remote_start_allowed', 'it has no programme to start');
    state = allowStart(state, remote_start_allowed);
  }
  const { online = twin.online, fail = twin.fail, time_scale = twin.time_scale } = conditions;
  await keep(session, device, { ...twin, online, fail, time_scale, state });
  return online ? MODELS[device.type].reading(state, twin.simulated_ms, device.id) : null;
}

function impossible(device: DeviceRef, field: string, why: string): AppError {
  return new AppError('request.invalid', `${field} cannot be set on a ${device.type}: ${why}`);
}

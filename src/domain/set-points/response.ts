import Type from 'typebox';
import { SET_POINT_TYPES, type SetPointType } from '../../adapter/set-points.ts';
import { rfc3339 } from '../../core/clock.ts';
import { endsAt } from './plan.ts';
import type { SetPointRow } from './store.ts';

const moment = (description: string) => Type.String({ format: 'date-time', description });
const orNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** What a device was commanded to hold, as `GET /devices/{id}/set-points` lists it. */
export const SetPointResponse = Type.Object({
  type: Type.Enum([...SET_POINT_TYPES], { examples: ['set_battery_power'] }),
  command: Type.Unknown({
    description: 'The command as it was last sent',
    examples: [{ type: 'set_battery_power', power_w: -3_000 }],
  }),
  state: Type.Enum(['in_force', 'paused', 'releasing', 'unknown'], {
    description:
      'paused: released while no instance of elnav ran, and sent again soon. releasing: the device is being returned to automatic operation. unknown: a command is being sent, or its outcome is unknown',
  }),
  since: moment('When the command was accepted'),
  renewed_at: moment('When it was last sent'),
  until: orNull(moment('When it ends, by for_seconds')),
  reverts_at: orNull(
    moment(
      'When the device ends it by itself if elnav does not renew it. Null: the device keeps it until it is released',
    ),
  ),
  error: orNull(Type.String({ description: 'Why it could not be renewed or released' })),
});
export type SetPointResponse = Type.Static<typeof SetPointResponse>;

export function responseOf(row: SetPointRow): SetPointResponse {
  const reverts = endsAt(row);
  return {
    type: row.type as SetPointType,
    command: JSON.parse(row.commandJson),
    state: stateOf(row),
    since: rfc3339(row.since),
    renewed_at: rfc3339(row.renewedAt),
    until: row.until === null ? null : rfc3339(row.until),
    reverts_at: reverts === undefined ? null : rfc3339(reverts),
    error: row.error,
  };
}

function stateOf({ state, isInDoubt }: SetPointRow): SetPointResponse['state'] {
  if (isInDoubt) return 'unknown';
  return state === 'held' ? 'in_force' : state === 'paused' ? 'paused' : 'releasing';
}

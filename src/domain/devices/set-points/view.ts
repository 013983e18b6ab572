import Type from 'typebox';
import { AnyCommand, SET_POINT_TYPES, type SetPointType } from '../../../adapter/commands.ts';
import type { Whereabouts } from '../../../adapter/reach.ts';
import { rfc3339 } from '../../../core/clock.ts';
import { endsAt, LAPSE_MS } from './plan.ts';
import type { SetPointRow } from './store.ts';

const moment = (description: string) => Type.String({ format: 'date-time', description });
const orNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

const ENDED_BY = ['device', 'gateway', 'nobody'] as const;

const IfUnreachable = Type.Object(
  {
    ended_by: Type.Enum([...ENDED_BY], {
      description:
        'device: its own timer ends it, at reverts_at. gateway: the gateway at the home returns the device to automatic operation when it has not heard of elnav for three minutes, if it has power. nobody: the device keeps it until elnav reaches it again, or somebody changes it there',
      examples: ['gateway'],
    }),
    at: orNull(
      moment('When that is; of a gateway about when, once it is away. Null: not known, or never by itself'),
    ),
  },
  { title: 'SetPointIfUnreachable', description: 'What ends it where elnav cannot reach the device' },
);

/** What a device was commanded to hold, as `GET /devices/{id}/set-points` lists it. */
export const SetPointResponse = Type.Object(
  {
    type: Type.Enum([...SET_POINT_TYPES], { examples: ['set_battery_power'] }),
    command: Type.Unknown({
      documented: AnyCommand,
      description: 'The command as it was last sent',
      examples: [{ type: 'set_battery_power', power_w: -3_000 }],
    }),
    state: Type.Enum(['in_force', 'paused', 'releasing', 'unknown'], {
      description:
        'paused: released while no instance of elnav ran, and sent again soon. releasing: the device is being returned to automatic operation. unknown: the device is unreachable, a command is being sent, or its outcome is unknown; do not count on it',
    }),
    since: moment('When the command was accepted'),
    renewed_at: moment('When it was last sent'),
    unknown_since: orNull(moment('Since when it is not known whether the device holds it, where that is so')),
    until: orNull(moment('When it ends, by for_seconds')),
    reverts_at: orNull(
      moment(
        'When the device ends it by itself if elnav does not renew it. Null: the device keeps it until it is released',
      ),
    ),
    if_unreachable: IfUnreachable,
    error: orNull(Type.String({ description: 'Why it could not be renewed or released' })),
  },
  { title: 'SetPoint' },
);
export type SetPointResponse = Type.Static<typeof SetPointResponse>;

/** A set-point as callers see it; `away`: the gateway of its device is unreachable. */
export function responseOf(row: SetPointRow, away: Whereabouts | undefined): SetPointResponse {
  const reverts = endsAt(row);
  const unknownSince = unknownSinceOf(row, away);
  return {
    type: row.type as SetPointType,
    command: JSON.parse(row.commandJson),
    state: unknownSince === undefined ? KNOWN_AS[row.state] : 'unknown',
    since: rfc3339(row.since),
    renewed_at: rfc3339(row.renewedAt),
    unknown_since: orNone(unknownSince),
    until: orNone(row.until),
    reverts_at: orNone(reverts),
    if_unreachable: ifUnreachable(row, away),
    error: row.error ?? away?.why ?? null,
  };
}

const KNOWN_AS = {
  sending: 'unknown',
  held: 'in_force',
  paused: 'paused',
  releasing: 'releasing',
  released: 'releasing',
} as const satisfies Record<SetPointRow['state'], SetPointResponse['state']>;

const orNone = (at: number | null | undefined): string | null => (at == null ? null : rfc3339(at));

/** Undefined where it is known what the device does. */
function unknownSinceOf(row: SetPointRow, away: Whereabouts | undefined): number | undefined {
  if (row.isInDoubt) return row.failingSince ?? row.renewedAt;
  // A set-point of an unreachable device is not said to be in force.
  if (row.state !== 'held') return undefined;
  // What was sent since it was heard last was sent while it was there.
  if (away !== undefined) return row.failingSince ?? Math.max(away.heardAt ?? 0, row.renewedAt);
  return row.failingSince ?? undefined;
}

function ifUnreachable(row: SetPointRow, away: Whereabouts | undefined): SetPointResponse['if_unreachable'] {
  const reverts = endsAt(row);
  if (reverts !== undefined) return { ended_by: 'device', at: rfc3339(reverts) };
  if (!row.hasWill) return { ended_by: 'nobody', at: null };
  const heardAt = away?.heardAt ?? null;
  return { ended_by: 'gateway', at: heardAt === null ? null : rfc3339(heardAt + LAPSE_MS) };
}

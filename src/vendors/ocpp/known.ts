import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { Found } from '../../adapter/adapter.ts';
import type { Documents } from '../../adapter/session.ts';
import { KeptLimit } from './schedule.ts';

const NAME = 'station';

/** What is kept of a station from one connection to the next. */
const Known = Type.Object({
  name: Type.Union([Type.String(), Type.Null()]),
  smart_charging: Type.Boolean(),
  connectors: Type.Array(Type.Integer({ minimum: 1 }), { minItems: 1, maxItems: 64 }),
  /** Ampere, by connector number: our limit on transactions that have not begun. */
  default_limits: Type.Record(Type.String(), KeptLimit),
  /** Our limit on the transaction that runs on a connector, by its number. */
  transaction_limits: Type.Optional(
    Type.Record(Type.String(), Type.Object({ transaction_id: Type.String(), limit: KeptLimit })),
  ),
  /** The limit of the installation that the station has taken, ampere. */
  installation_a: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
  /** Our limit lies on the station as a whole, because it took none on a connector. */
  whole_limited: Type.Boolean(),
});
export type Known = Type.Static<typeof Known>;

const check = Compile(Known);

/** A station that has never connected: one connector, until it tells more. */
const UNSEEN: Known = {
  name: null,
  smart_charging: true,
  connectors: [1],
  default_limits: {},
  whole_limited: false,
};

export async function loadKnown(documents: Documents): Promise<Known> {
  const kept = await documents.get(NAME);
  return check.Check(kept) ? kept : UNSEEN;
}

export function keepKnown(documents: Documents, known: Known): Promise<void> {
  return documents.put(NAME, known);
}

/** `identity` for the one connector of a station, `identity:n` where there are several; no identity ends in `:n`. */
export function deviceIdOf(identity: string, known: Known, connector: number): string {
  return known.connectors.length === 1 && known.connectors[0] === connector
    ? identity
    : `${identity}:${connector}`;
}

export function devicesOf(identity: string, known: Known): Found[] {
  return known.connectors.map((connector) => ({
    id: deviceIdOf(identity, known, connector),
    type: 'charger',
    ...(known.name !== null && {
      name: known.connectors.length === 1 ? known.name : `${known.name} (${connector})`,
    }),
    details: { connector, smart_charging: known.smart_charging },
  }));
}

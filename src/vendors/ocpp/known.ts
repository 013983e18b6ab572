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
  /** Device ids by connector number, where they are not what they would be today. */
  device_ids: Type.Optional(Type.Record(Type.String(), Type.String())),
  /** Ampere, by connector number: our limit on transactions that have not begun. */
  default_limits: Type.Record(Type.String(), KeptLimit),
  /** Our limit on the transaction that runs on a connector, by its number. */
  transaction_limits: Type.Optional(
    Type.Record(Type.String(), Type.Object({ transaction_id: Type.String(), limit: KeptLimit })),
  ),
  /** The limit of the installation that the station has taken, ampere. */
  installation_a: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
  /** It has refused every kind of limit as unknown. */
  without_limits: Type.Optional(Type.Boolean()),
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

export async function loadKnown(documents: Documents, identity: string): Promise<Known> {
  const kept = await documents.get(NAME);
  if (!check.Check(kept)) return { ...UNSEEN, device_ids: {} };
  // Stations of several connectors that were known before ids were made to last have `identity:1` for the first one.
  const [first, ...others] = kept.connectors;
  const lasting = others.length === 0 ? { [String(first)]: identity } : { 1: `${identity}:1` };
  return { ...kept, device_ids: kept.device_ids ?? lasting };
}

export function keepKnown(documents: Documents, known: Known): Promise<void> {
  return documents.put(NAME, known);
}

/** `identity` for the first connector, `identity:n` for each other, however many there are; no identity ends in `:n`. */
export function deviceIdOf(identity: string, known: Known, connector: number): string {
  return known.device_ids?.[connector] ?? (connector === 1 ? identity : `${identity}:${connector}`);
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

import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { Found } from '../../adapter/adapter.ts';
import type { Documents } from '../../adapter/session.ts';
import { StoredLimit } from './schedule.ts';

const NAME = 'station';

/** What is stored of a station between connections. */
const StoredStation = Type.Object({
  name: Type.Union([Type.String(), Type.Null()]),
  smart_charging: Type.Boolean(),
  connectors: Type.Array(Type.Integer({ minimum: 1 }), { minItems: 1, maxItems: 64 }),
  /** Device ids by connector number, where they differ from the default. */
  device_ids: Type.Optional(Type.Record(Type.String(), Type.String())),
  /** Ampere, by connector number: our limit on later transactions. */
  default_limits: Type.Record(Type.String(), StoredLimit),
  /** Our limit on the running transaction of a connector, by its number. */
  transaction_limits: Type.Optional(
    Type.Record(Type.String(), Type.Object({ transaction_id: Type.String(), limit: StoredLimit })),
  ),
  /** The installation's limit that the station accepted, ampere. */
  installation_a: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
  /** It refused every kind of limit as not implemented. */
  without_limits: Type.Optional(Type.Boolean()),
  /** Our limit applies to the whole station, because no connector accepted one. */
  whole_limited: Type.Boolean(),
});
export type StoredStation = Type.Static<typeof StoredStation>;

const check = Compile(StoredStation);

/** A station that has never connected has one connector until it reports more. */
const NEVER_CONNECTED: StoredStation = {
  name: null,
  smart_charging: true,
  connectors: [1],
  default_limits: {},
  whole_limited: false,
};

export async function loadStation(documents: Documents, identity: string): Promise<StoredStation> {
  const kept = await documents.get(NAME);
  if (!check.Check(kept)) return { ...NEVER_CONNECTED, device_ids: {} };
  // Stations of several connectors that were linked before ids were stored have `identity:1` for the first one.
  const [first, ...others] = kept.connectors;
  const lasting = others.length === 0 ? { [String(first)]: identity } : { 1: `${identity}:1` };
  return { ...kept, device_ids: kept.device_ids ?? lasting };
}

export function storeStation(documents: Documents, stored: StoredStation): Promise<void> {
  return documents.put(NAME, stored);
}

/** `identity` for the first connector and `identity:n` for the others; no identity ends in `:n`. */
export function deviceIdOf(identity: string, stored: StoredStation, connector: number): string {
  return stored.device_ids?.[connector] ?? (connector === 1 ? identity : `${identity}:${connector}`);
}

export function devicesOf(identity: string, stored: StoredStation): Found[] {
  return stored.connectors.map((connector) => ({
    id: deviceIdOf(identity, stored, connector),
    type: 'charger',
    ...(stored.name !== null && {
      name: stored.connectors.length === 1 ? stored.name : `${stored.name} (${connector})`,
    }),
    details: { connector, smart_charging: stored.smart_charging },
  }));
}

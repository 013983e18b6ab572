import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { Found } from '../../../adapter/device.ts';
import type { StationHost } from '../../../adapter/dial-in.ts';
import type { Documents, LinkKey } from '../../../adapter/session.ts';
import { HELD_BY, type HeldBy } from '../../../adapter/station.ts';
import type { Connector } from './connector.ts';
import { keptOf, type Limit, StoredLimit } from './schedule.ts';

const NAME = 'station';

/** The stored state of a station between connections. */
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
  /** What holds the installation's limit. */
  installation_held_by: Type.Optional(Type.Union([Type.Enum([...HELD_BY]), Type.Null()])),
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

function storeStation(documents: Documents, stored: StoredStation): Promise<void> {
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

/** Keeps the platform's list of a station's devices and the stored station in step. */
export class Roster {
  readonly #identity: string;
  readonly #key: LinkKey;
  readonly #host: StationHost;
  #stored: StoredStation;
  #last: Promise<void> = Promise.resolve();

  constructor(
    identity: string,
    key: LinkKey,
    { host, stored }: { host: StationHost; stored: StoredStation },
  ) {
    this.#identity = identity;
    this.#key = key;
    this.#host = host;
    this.#stored = stored;
  }

  get stored(): StoredStation {
    return this.#stored;
  }

  deviceId(connector: number): string {
    return deviceIdOf(this.#identity, this.#stored, connector);
  }

  /** The connector of a device; readings stored before a second connector appeared belong to the first. */
  connectorOf(deviceId: string): number | undefined {
    const connector = this.#stored.connectors.find((number) => this.deviceId(number) === deviceId);
    return connector ?? (deviceId === this.#identity ? 1 : undefined);
  }

  /** Stores our limit on later transactions (null: none), and whether it applies to the whole station. */
  limited(connector: number, limit: Limit | null, whole: boolean): Promise<void> {
    const { [String(connector)]: _, ...others } = this.#stored.default_limits;
    const default_limits = limit === null ? others : { ...others, [connector]: keptOf(limit) };
    return this.#keep({ default_limits, whole_limited: whole });
  }

  /** Stores our limit on the running transaction of a connector. */
  async transactionLimited({ number, transaction }: Connector, limit: Limit | null): Promise<void> {
    if (transaction === null) return;
    const { [String(number)]: _, ...others } = this.#stored.transaction_limits ?? {};
    if (limit === null) return this.#keep({ transaction_limits: others });
    const kept = { transaction_id: transaction.transactionId, limit: keptOf(limit) };
    await this.#keep({ transaction_limits: { ...others, [number]: kept } });
  }

  /** Stores what holds the limit of the installation; null: there is none. */
  held(by: HeldBy | null): Promise<void> {
    return this.#keep({ installation_held_by: by });
  }

  async #keep(changes: Partial<StoredStation>): Promise<void> {
    this.#stored = { ...this.#stored, ...changes };
    await storeStation(this.#host.documents(this.#key), this.#stored);
  }

  /** Reports changed devices to the platform, then calls `announced`; one announcement after another. */
  announce(changes: () => Partial<StoredStation>, announced: () => void): void {
    this.#last = this.#last.then(async () => {
      const changed = changes();
      const devices = devicesOf(this.#identity, { ...this.#stored, ...changed });
      if (JSON.stringify(devices) === JSON.stringify(devicesOf(this.#identity, this.#stored))) return;
      try {
        await this.#host.discovered(this.#key, devices);
        this.#stored = { ...this.#stored, ...changed };
        await storeStation(this.#host.documents(this.#key), this.#stored);
        announced();
      } catch (error) {
        this.#host.log.error(
          { err: error, identity: this.#identity },
          "a station's devices could not be stored",
        );
      }
    });
  }
}

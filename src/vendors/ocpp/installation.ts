import { cappedAt, unending } from './schedule.ts';
import type { Station } from './station.ts';

/** What the owner said of the installation, ampere per phase; null: nothing. */
export interface Installation {
  /** What the station as a whole may never take more than: its fuse. */
  readonly max_a: number | null;
  /** What a limit with an end goes over to, where the command does not say. */
  readonly fallback_a: number | null;
  /** Phases that the station is connected with. */
  readonly phases: number | null;
}

const numberIn = (value: unknown): number | null => (typeof value === 'number' ? value : null);

export function installationOf(credentials: Readonly<Record<string, unknown>>): Installation {
  const { installation_max_a, fallback_a, phases } = credentials;
  return {
    max_a: numberIn(installation_max_a),
    fallback_a: numberIn(fallback_a),
    phases: numberIn(phases),
  };
}

/**
 * Lays the installation's limit on the station as a whole, or takes the one away that lies there of ours. Where the station as a
 * whole also carries the limit of its only connector, the lower of the two: it has but one such profile.
 */
export async function layInstallation(station: Station): Promise<void> {
  const { installation, roster, dialect, host, identity } = station;
  const [first] = station.connectors();
  if (first === undefined) return;
  const { whole_limited } = roster.known;
  const own = whole_limited ? first.defaultLimit : null;
  if (installation.max_a === null) {
    if ((roster.known.installation_a ?? null) === null) return;
    if (own === null) await dialect.clear({ of: first, purpose: 'station' });
    else await dialect.limit(first, own, 'station');
    await roster.installed(null);
    return;
  }
  const limit = own === null ? unending(installation.max_a) : cappedAt(own, installation.max_a);
  const refusal = await dialect.limit(first, limit, 'station');
  station.installationRefusal = refusal;
  if (refusal !== null) host.log.warn({ identity, refusal }, 'a station took no limit of its installation');
  await roster.installed(refusal === null ? installation.max_a : null);
}

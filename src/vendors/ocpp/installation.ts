import { cappedAt, unending } from './schedule.ts';
import type { Station } from './station.ts';

/** The installation as its owner entered it, ampere per phase; null: not entered. */
export interface Installation {
  /** The maximum of the whole station: its fuse. */
  readonly max_a: number | null;
  /** The default of `then_current_a`: the limit after a command with `for_seconds`. */
  readonly fallback_a: number | null;
  /** Phases that the station is connected to. */
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
 * Sends the installation's limit as the limit of the whole station, or removes ours. If the whole station also carries the limit
 * of its only connector, the lower one is sent: there is only one such profile.
 */
export async function layInstallation(station: Station): Promise<void> {
  const { installation, roster, dialect, host, identity } = station;
  const [first] = station.connectors();
  if (first === undefined) return;
  const { whole_limited } = roster.stored;
  const own = whole_limited ? first.defaultLimit : null;
  if (installation.max_a === null) {
    if ((roster.stored.installation_a ?? null) === null) return;
    if (own === null) await dialect.clear({ of: first, purpose: 'station' });
    else await dialect.limit(first, own, 'station');
    await roster.installed(null);
    return;
  }
  const limit = own === null ? unending(installation.max_a) : cappedAt(own, installation.max_a);
  const refusal = await dialect.limit(first, limit, 'station');
  station.installationRefusal = refusal;
  if (refusal !== null)
    host.log.warn({ identity, refusal }, 'a station refused the limit of its installation');
  await roster.installed(refusal === null ? installation.max_a : null);
}

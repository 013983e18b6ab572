import type { Clock } from '../core/clock.ts';
import type { Random } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import type { Settings } from '../core/settings/index.ts';
import type { Geocode } from '../sources/contract/geocoder.ts';
import { nominatim } from '../sources/nominatim/index.ts';

/** A caller waits for the answer, and without it the place is told by its name. */
const DEADLINE_MS = 4_000;
const AT_ONCE = 4;

interface Opened {
  readonly geocode: Geocode;
  close(): Promise<void>;
}

/** The geocoder of the settings; undefined where none is set. */
export async function openGeocoder(
  { market }: Pick<Settings, 'market'>,
  parts: { readonly clock: Clock; readonly random: Random; readonly log: Log },
): Promise<Opened | undefined> {
  if (market.geocoderUrl === undefined) return undefined;
  const { createHttp } = await import('../outbound/index.ts');
  const http = createHttp({
    ...parts,
    name: 'the geocoder',
    baseUrl: market.geocoderUrl,
    userAgent: 'elnav (self-hosted)',
    timeoutMs: DEADLINE_MS / 2,
    deadlineMs: DEADLINE_MS,
    attempts: 2,
    mostAtOnce: AT_ONCE,
  });
  return { geocode: nominatim(http), close: () => http.close() };
}

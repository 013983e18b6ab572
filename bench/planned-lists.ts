import type { LinkOf } from '../src/adapter/session.ts';
import { systemClock } from '../src/core/clock.ts';
import { systemRandom } from '../src/core/ids.ts';
import { silentLog } from '../src/core/log.ts';
import { createMetrics } from '../src/core/metrics.ts';
import type { Database } from '../src/db/database.ts';
import { createLinkEvents } from '../src/domain/calls/index.ts';
import { createDiscovery } from '../src/domain/discovery/index.ts';
import { vendors } from './vendors-of-clouds.ts';

const never = () => {
  throw new Error('nothing is listed while lists are planned');
};

/** Has discovery plan the next list of every link, as if all of them had been linked at this moment; returns when they are due. */
export async function planLists(database: Database): Promise<(Pick<LinkOf, 'vendor'> & { dueAt: number })[]> {
  return database.transaction(async (queries) => {
    const events = createLinkEvents(silentLog);
    createDiscovery({
      host: {
        database: { ...database, queries },
        clock: systemClock,
        random: systemRandom,
        log: silentLog,
        metrics: createMetrics(),
      },
      adapters: new Map(vendors.map((adapter) => [adapter.slug, adapter])),
      calls: { find: never, stored: never, withVendor: never },
      devices: { knownOfLink: never },
      links: { relisted: never },
      events,
      instance: 'bench',
    });
    const links = await queries
      .selectFrom('links')
      .select(['account_id as account', 'id as link', 'vendor'])
      .execute();
    for (const link of links) await events.emit('linked', link);
    return queries.selectFrom('link_lists').select(['vendor', 'due_at as dueAt']).execute();
  });
}

/** The most of these moments within any minute. */
export function mostInMinute(moments: readonly number[]): number {
  const sorted = moments.toSorted((a, b) => a - b);
  let first = 0;
  let most = 0;
  for (const [index, at] of sorted.entries()) {
    while (at - (sorted[first] ?? at) >= 60_000) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
}

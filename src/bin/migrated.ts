import type { Clock } from '../core/clock.ts';
import type { Queries } from '../db/database.ts';
import { migrate } from '../db/migrate.ts';
import { migrations } from '../db/migrations/index.ts';
import { createAudit } from '../domain/access/accounts/index.ts';
import { VERSION } from './version.ts';

/**
 * Migrates the database to the newest schema, with a line in the audit trail; returns the names of the migrations that were applied. A new
 * database has no line: nothing was changed. Throws an `OperatorError` on failure, which leaves the database unchanged.
 */
export async function migrated(
  { queries }: { readonly queries: Parameters<typeof migrate>[0] & Queries },
  clock: Clock,
  known = migrations,
): Promise<string[]> {
  const applied = await migrate(queries, known);
  const [first = ''] = Object.keys(known).toSorted();
  if (applied.length > 0 && !applied.includes(first))
    // There is no request: a process of the operator does it, when it starts or by command.
    await createAudit(clock)(
      queries,
      { name: 'command', ip: '', requestId: '' },
      { action: 'database.migrated', target: 'database', detail: { migrations: applied, version: VERSION } },
    );
  return applied;
}

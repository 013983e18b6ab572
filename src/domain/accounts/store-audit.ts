import type { Queries } from '../../db/database.ts';
import type { AuditRow } from './audit.ts';

export async function insertAudit(queries: Queries, row: Omit<AuditRow, 'id'>): Promise<void> {
  await queries.insertInto('audit').values(row).execute();
}

export function newestAudit(queries: Queries, limit: number): Promise<AuditRow[]> {
  return queries.selectFrom('audit').selectAll().orderBy('id', 'desc').limit(limit).execute();
}

/** Which entries, and which part of their list; undefined for all. */
export interface AuditSearch {
  readonly actor: string | undefined;
  readonly action: string | undefined;
  readonly target: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

export function searchAudit(
  queries: Queries,
  { actor, action, target, limit, offset }: AuditSearch,
): Promise<AuditRow[]> {
  return queries
    .selectFrom('audit')
    .selectAll()
    .$if(actor !== undefined, (query) => query.where('actor', '=', actor ?? ''))
    .$if(action !== undefined, (query) => query.where('action', '=', action ?? ''))
    .$if(target !== undefined, (query) => query.where('target', '=', target ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
}

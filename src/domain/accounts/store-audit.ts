import type { Queries } from '../../db/database.ts';
import type { AuditRow } from './audit.ts';

export async function insertAudit(queries: Queries, row: Omit<AuditRow, 'id'>): Promise<void> {
  await queries.insertInto('audit').values(row).execute();
}

export function newestAudit(queries: Queries, limit: number): Promise<AuditRow[]> {
  return queries.selectFrom('audit').selectAll().orderBy('id', 'desc').limit(limit).execute();
}

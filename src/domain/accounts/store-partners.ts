import type { Queries } from '../../db/database.ts';

export interface ApplicationRow {
  readonly id: string;
  readonly company: string;
  readonly email: string;
  readonly contact_name: string | null;
  readonly website: string | null;
  readonly use_case: string | null;
  readonly vendors_json: string;
  readonly status: string;
  readonly created_at: number;
  readonly decided_at: number | null;
  readonly account_id: number | null;
}

export async function insertApplication(queries: Queries, row: ApplicationRow): Promise<void> {
  await queries.insertInto('partner_applications').values(row).execute();
}

/** The newest first. */
export function allApplications(queries: Queries): Promise<ApplicationRow[]> {
  return queries
    .selectFrom('partner_applications')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
}

/** Which applications, and which part of their list. */
export interface ApplicationSearch {
  /** received, approved, rejected; undefined for all */
  readonly status: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** The applications that match, the newest first. */
export function searchApplications(
  queries: Queries,
  { status, limit, offset }: ApplicationSearch,
): Promise<ApplicationRow[]> {
  return queries
    .selectFrom('partner_applications')
    .selectAll()
    .$if(status !== undefined, (query) => query.where('status', '=', status ?? ''))
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .offset(offset)
    .execute();
}

export function applicationById(queries: Queries, id: string): Promise<ApplicationRow | undefined> {
  return queries.selectFrom('partner_applications').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The decided row; undefined when no undecided application has this id. */
export function decideApplication(
  queries: Queries,
  decision: { readonly id: string; readonly status: 'approved' | 'rejected'; readonly at: number },
): Promise<ApplicationRow | undefined> {
  return queries
    .updateTable('partner_applications')
    .set({ status: decision.status, decided_at: decision.at })
    .where('id', '=', decision.id)
    .where('status', '=', 'received')
    .returningAll()
    .executeTakeFirst();
}

export async function setApplicationAccount(queries: Queries, id: string, account: number): Promise<void> {
  await queries
    .updateTable('partner_applications')
    .set({ account_id: account })
    .where('id', '=', id)
    .execute();
}

import type { Queries } from '../../db/database.ts';
import { DEFAULT_GLOBAL_POLICY, type GlobalPolicy } from './policy.ts';

const ONLY_ROW = 1;

export async function readGlobalPolicy(queries: Queries): Promise<GlobalPolicy> {
  const row = await queries
    .selectFrom('global_policy')
    .select(['anon_per_ip_per_day', 'anon_global_per_day'])
    .where('id', '=', ONLY_ROW)
    .executeTakeFirst();
  return row === undefined ? DEFAULT_GLOBAL_POLICY : { ...row };
}

export async function putGlobalPolicy(queries: Queries, policy: GlobalPolicy, at: number): Promise<void> {
  const { anon_per_ip_per_day, anon_global_per_day } = policy;
  const values = { anon_per_ip_per_day, anon_global_per_day, updated_at: at };
  await queries
    .insertInto('global_policy')
    .values({ id: ONLY_ROW, ...values })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
    .execute();
}

import type { Queries } from '../../db/database.ts';
import type { Brand } from './brands.ts';

export interface BrandRow extends Brand {
  readonly account_id: number;
  readonly updated_at: number;
}

export function brandOf(queries: Queries, account: number): Promise<Brand | undefined> {
  return queries
    .selectFrom('brands')
    .select(['name', 'color', 'privacy_url', 'terms_url'])
    .where('account_id', '=', account)
    .executeTakeFirst();
}

export async function putBrand(queries: Queries, row: BrandRow): Promise<void> {
  const { account_id: _account, ...values } = row;
  await queries
    .insertInto('brands')
    .values(row)
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(values))
    .execute();
}

export async function removeBrand(queries: Queries, account: number): Promise<void> {
  await queries.deleteFrom('brands').where('account_id', '=', account).execute();
}

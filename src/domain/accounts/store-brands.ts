import type { Queries } from '../../db/database.ts';

export interface BrandRow {
  readonly account_id: number;
  readonly name: string;
  readonly color: string | null;
  readonly updated_at: number;
}

export function brandOf(
  queries: Queries,
  account: number,
): Promise<Pick<BrandRow, 'name' | 'color'> | undefined> {
  return queries
    .selectFrom('brands')
    .select(['name', 'color'])
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

import type { Database } from '../../db/database.ts';

/** Counts the devices of one account by vendor. The primary key begins with both, so it alone is read. */
export async function countDevicesOf(
  { queries }: Pick<Database, 'queries'>,
  account: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await queries
    .selectFrom('devices')
    .select(({ fn }) => ['vendor', fn.countAll().as('devices')])
    .where('account_id', '=', account)
    .groupBy('vendor')
    .execute();
  return new Map(rows.map(({ vendor, devices }) => [vendor, Number(devices)]));
}

import type { Database } from '../../db/database.ts';

/** Until when a vendor refuses calls to one of its hosts. */
export interface Block {
  readonly vendor: string;
  /** By its name in the adapter's `hosts`. */
  readonly host: string;
  /** Empty for everybody who calls from here, else `account/link`. */
  readonly subject: string;
  /** ms since 1970. */
  readonly until: number;
}

/** The only SQL for `vendor_blocks`. */
export function createBlockStore({ queries }: Database) {
  return {
    all: (): Promise<Block[]> => queries.selectFrom('vendor_blocks').selectAll().execute(),

    /** Stores a block; of two of the same, the longer one counts. */
    async put(block: Block): Promise<void> {
      await queries
        .insertInto('vendor_blocks')
        .values(block)
        .onConflict((conflict) =>
          conflict
            .columns(['vendor', 'host', 'subject'])
            .doUpdateSet((eb) => ({ until: eb.ref('excluded.until') }))
            .whereRef('vendor_blocks.until', '<', 'excluded.until'),
        )
        .execute();
    },

    async removeBefore(at: number): Promise<void> {
      await queries.deleteFrom('vendor_blocks').where('until', '<', at).execute();
    },
  };
}

/** Blocks that hold now, as they are stored: for a process that makes no calls itself. */
export async function activeBlocks(database: Database): Promise<readonly Block[]> {
  const now = database.moments.clock.now();
  return (await createBlockStore(database).all()).filter(({ until }) => until > now);
}

import type { Database } from '../../db/database.ts';

export type CommandStatus = 'done' | 'failed' | 'unknown';

export interface CommandStart {
  readonly account: number;
  readonly id: string;
  readonly vendor: string;
  readonly deviceId: string;
  readonly keyId: string;
  readonly commandJson: string;
  readonly at: number;
  readonly leaseUntil: number;
}

/** The only SQL for `commands`. */
export function createCommandStore(database: Database) {
  const { queries } = database;
  return {
    /** Enters the device's lane; false when a command of the device is running, on whichever process. */
    async begin(start: CommandStart): Promise<boolean> {
      const { numInsertedOrUpdatedRows } = await queries
        .insertInto('commands')
        .values({
          account_id: start.account,
          id: start.id,
          vendor: start.vendor,
          device_id: start.deviceId,
          key_id: start.keyId,
          command_json: start.commandJson,
          status: 'running',
          error: null,
          requested_at: start.at,
          finished_at: null,
          lease_until: start.leaseUntil,
        })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      return (numInsertedOrUpdatedRows ?? 0n) > 0n;
    },

    async finish(
      account: number,
      id: string,
      end: { status: CommandStatus; error: string | null; at: number },
    ): Promise<void> {
      await queries
        .updateTable('commands')
        .set({ status: end.status, error: end.error, finished_at: end.at })
        .where('account_id', '=', account)
        .where('id', '=', id)
        .execute();
    },

    /** Commands whose process died while they ran: what became of them is not known. */
    async giveUpDead(before: number): Promise<void> {
      await queries
        .updateTable('commands')
        .set({ status: 'unknown', error: 'the process ended while the command ran', finished_at: before })
        .where('status', '=', 'running')
        .where('lease_until', '<', before)
        .execute();
    },

    async giveUpAll(at: number): Promise<void> {
      await queries
        .updateTable('commands')
        .set({ status: 'unknown', error: 'the process ended while the command ran', finished_at: at })
        .where('status', '=', 'running')
        .execute();
    },
  };
}

export type CommandStore = ReturnType<typeof createCommandStore>;

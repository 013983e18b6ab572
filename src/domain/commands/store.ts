import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';

export interface CommandStart {
  readonly account: number;
  readonly id: string;
  readonly vendor: string;
  readonly deviceId: string;
  readonly keyId: string;
  readonly commandJson: string;
  readonly at: number;
  /** Another process may take it for dead after so long. */
  readonly leaseMs: number;
  /** The database enters it before this moment of its own clock, or not at all. */
  readonly deadline: number;
}

export interface CommandEnd {
  readonly account: number;
  readonly id: string;
  readonly status: 'done' | 'failed' | 'unknown';
  readonly error: string | null;
  readonly at: number;
}

const DIED = 'the process ended while the command ran';

/** The only SQL for `commands`. */
export function createCommandStore({ queries, moments }: Database) {
  return {
    /** Enters the device's lane; false when a command of the device is running, on whichever process, or the deadline is over. */
    async begin(start: CommandStart): Promise<boolean> {
      const { numAffectedRows } = await sql`
        insert into commands
          (account_id, id, vendor, device_id, key_id, command_json, status, requested_at, lease_until)
        select cast(${start.account} as bigint), ${start.id}, ${start.vendor}, ${start.deviceId}, ${start.keyId},
          ${start.commandJson}, 'running', cast(${start.at} as bigint), ${moments.now} + ${start.leaseMs}
        where ${moments.now} < ${start.deadline}
        on conflict do nothing`.execute(queries);
      return (numAffectedRows ?? 0n) > 0n;
    },

    async finish({ account, id, status, error, at }: CommandEnd): Promise<void> {
      await queries
        .updateTable('commands')
        .set({ status, error, finished_at: at })
        .where('account_id', '=', account)
        .where('id', '=', id)
        .execute();
    },

    /** Takes an entry out of which nothing is known but that it was never sent. */
    async withdraw(account: number, id: string): Promise<void> {
      await queries
        .deleteFrom('commands')
        .where('account_id', '=', account)
        .where('id', '=', id)
        .where('status', '=', 'running')
        .execute();
    },

    /** Commands whose process died while they ran: what became of them is not known. */
    async giveUpDead(at: number): Promise<void> {
      await queries
        .updateTable('commands')
        .set({ status: 'unknown', error: DIED, finished_at: at })
        .where('status', '=', 'running')
        .where('lease_until', '<', moments.now)
        .execute();
    },

    async giveUpAll(at: number): Promise<void> {
      await queries
        .updateTable('commands')
        .set({ status: 'unknown', error: DIED, finished_at: at })
        .where('status', '=', 'running')
        .execute();
    },
  };
}

export type CommandStore = ReturnType<typeof createCommandStore>;

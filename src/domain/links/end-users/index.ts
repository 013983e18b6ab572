import { AppError } from '../../../core/errors.ts';
import type { Host } from '../../../db/host.ts';
import type { Accounts, Actor } from '../../access/accounts/index.ts';
import type { ChargingSessions } from '../../records/charging-sessions/index.ts';
import type { EventLog, EventRow } from '../../records/events/index.ts';
import type { History } from '../../records/history/index.ts';
import type { Subscriptions } from '../../records/subscriptions/index.ts';
import type { Links } from '../links/index.ts';
import { createExportStore, type ExportedRow } from './export.ts';
import { createEndUserStore, type EndUser } from './store.ts';

interface EndUsersOptions {
  readonly host: Host;
  readonly links: Pick<Links, 'remove'>;
  readonly eventLog: Pick<EventLog, 'forget' | 'ofUser'>;
  readonly history: Pick<History, 'forget'>;
  readonly sessions: Pick<ChargingSessions, 'forget'>;
  readonly subscriptions: Pick<Subscriptions, 'removeOfUser'>;
  readonly accounts: Pick<Accounts, 'noteChange'>;
}

/** The people whose devices an account has linked. */
export function createEndUsers(options: EndUsersOptions) {
  const { links, eventLog, history, sessions, subscriptions, accounts } = options;
  const { database } = options.host;
  const store = createEndUserStore(database);
  const exports = createExportStore(database);

  /** A link that another call has deleted meanwhile is gone as well. */
  async function remove(account: number, link: string): Promise<void> {
    try {
      await links.remove(account, link, { isForced: true });
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'link.not_found')) throw error;
    }
  }

  /** Events first: their devices and links, whichever user has these now, say which other rows belong to the user. */
  async function* rowsOf(user: EndUser): AsyncGenerator<readonly ExportedRow[]> {
    const logged: Logged = { devices: new Map(), links: new Set() };
    for await (const events of eventLog.ofUser(user)) {
      for (const event of events) noteSubjects(logged, event);
      yield events.map(({ account_id: _, tx: __, data_json, ...row }) => ({
        table: 'events',
        row: { ...row, data: JSON.parse(data_json) as unknown },
      }));
    }
    const subjects = await exports.subjectsOf(user, {
      devices: [...logged.devices.values()],
      links: [...logged.links],
    });
    yield* exports.pages(user, subjects);
  }

  return {
    /** All that is stored about a person, some rows at a time; it is noted who has asked for it. */
    async export(actor: Actor, user: EndUser): Promise<AsyncIterable<readonly ExportedRow[]>> {
      const { account } = user;
      await accounts.noteChange(actor, {
        action: 'user.export',
        target: `account/${account}`,
        detail: { user_id: account },
      });
      return rowsOf(user);
    },

    /**
     * Forgets a person: their links as `DELETE /links/{id}?force=true` does, and then all that is stored about them. The events that the
     * deletion of the links has written are what the rest is found by, so a call that was stopped is completed by the next one.
     */
    async forget(actor: Actor, user: EndUser): Promise<void> {
      const { account } = user;
      // control: subscriptions to the events of a forgotten person go [forgotten-user]
      await subscriptions.removeOfUser(account, user.userRef);
      const own = await store.links(user);
      const removed = await Promise.allSettled(own.map((link) => remove(account, link)));
      for (const one of removed) if (one.status === 'rejected') throw one.reason;
      await eventLog.forget(user, (transaction, subjects) => store.eraseOf(transaction, account, subjects));
      await database.transaction(async (transaction) => {
        // After the events: these are made of them.
        // control: the history of a forgotten person goes [forgotten-user]
        await history.forget(transaction, user);
        await sessions.forget(transaction, user);
        await store.eraseSessions(transaction, user);
      });
      await accounts.noteChange(actor, {
        action: 'user.forget',
        target: `account/${account}`,
        detail: { user_id: account, links: own.length },
      });
    },
  };
}

interface Logged {
  readonly devices: Map<string, { readonly vendor: string; readonly id: string }>;
  readonly links: Set<string>;
}

function noteSubjects({ devices, links }: Logged, { vendor, device_id: id, link_id: link }: EventRow): void {
  if (vendor !== null && id !== null) devices.set(`${vendor}/${id}`, { vendor, id });
  if (link !== null) links.add(link);
}

export type EndUsers = ReturnType<typeof createEndUsers>;

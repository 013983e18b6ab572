import type { Selectable } from 'kysely';
import type { DeviceType } from '../../../adapter/device.ts';
import type { Capability } from '../../../adapter/fields.ts';
import type { LinkKey } from '../../../adapter/session.ts';
import { rfc3339 } from '../../../core/clock.ts';
import type { Place } from '../../../core/cursors.ts';
import { DAY_MS } from '../../../core/durations.ts';
import type { Database, Queries } from '../../../db/database.ts';
import type { Tables } from '../../../db/tables.ts';
import type { InterventionRow, ListedIntervention, OpenIntervention } from './response.ts';

/** What became of an intervention can be read for so long, also by who was away for a while. */
const RESOLVED_MS = 30 * DAY_MS;

export interface InterventionFilter {
  readonly account: number;
  readonly state: 'open' | 'resolved' | 'all';
  /** Those of the device and of its link. */
  readonly device?: string | undefined;
  readonly link?: string | undefined;
  readonly userRef?: string | undefined;
  readonly after?: Place | undefined;
  readonly limit: number;
}

/** A device of a link that a transaction holds. */
interface HeldDevice {
  readonly id: string;
  readonly type: DeviceType;
  readonly capabilities: readonly Capability[];
  /** Its open interventions as they were shown so far. */
  readonly shown: string | null;
}

/** The only SQL for `interventions`, and for `interventions_json` of `devices`, which shows the open ones. */
export class InterventionStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Locks the link, so that its interventions change one after the other; false when it is gone. */
  async hold(transaction: Queries, { account, link }: LinkKey): Promise<boolean> {
    const row = transaction
      .selectFrom('links')
      .select('id')
      .where('account_id', '=', account)
      .where('id', '=', link);
    const held = await (this.#database.engine === 'sqlite' ? row : row.forNoKeyUpdate()).executeTakeFirst();
    return held !== undefined;
  }

  /** The devices of a link, or one of them, locked in the order of all who write them. */
  async devices(transaction: Queries, { account, link }: LinkKey, id?: string): Promise<HeldDevice[]> {
    let rows = transaction
      .selectFrom('devices')
      .select(['id', 'device_type', 'capabilities_json', 'interventions_json'])
      .where('account_id', '=', account)
      .where('link_id', '=', link)
      .orderBy('vendor')
      .orderBy('id');
    if (id !== undefined) rows = rows.where('id', '=', id);
    const held = await (this.#database.engine === 'sqlite' ? rows : rows.forNoKeyUpdate()).execute();
    return held.map((row) => ({
      id: row.id,
      type: row.device_type as DeviceType,
      capabilities: JSON.parse(row.capabilities_json) as Capability[],
      shown: row.interventions_json,
    }));
  }

  /** The open ones of a link and of its devices, the oldest first. */
  async open(transaction: Queries, link: LinkKey): Promise<InterventionRow[]> {
    const rows = await ofLink(transaction, link)
      .selectAll()
      .where('resolved_at', 'is', null)
      .orderBy('opened_at')
      .orderBy('id')
      .execute();
    return rows.map(toRow);
  }

  async add(transaction: Queries, row: InterventionRow): Promise<void> {
    await transaction
      .insertInto('interventions')
      .values({
        account_id: row.account,
        id: row.id,
        link_id: row.link,
        vendor: row.vendor,
        device_id: row.device,
        device_type: row.deviceType,
        code: row.code,
        capabilities_json: JSON.stringify(row.capabilities),
        opened_at: row.openedAt,
        resolved_at: row.resolvedAt,
      })
      .execute();
    // What comes and goes every day leaves no more behind than can be read.
    await transaction
      .deleteFrom('interventions')
      .where('account_id', '=', row.account)
      .where('link_id', '=', row.link)
      .where('resolved_at', '<', row.openedAt - RESOLVED_MS)
      .execute();
  }

  async resolve(
    transaction: Queries,
    { account, id }: Pick<InterventionRow, 'account' | 'id'>,
    at: number,
  ): Promise<void> {
    await transaction
      .updateTable('interventions')
      .set({ resolved_at: at })
      .where('account_id', '=', account)
      .where('id', '=', id)
      .execute();
  }

  async setCapabilities(
    transaction: Queries,
    { account, id, capabilities: before }: InterventionRow,
    capabilities: readonly Capability[],
  ): Promise<void> {
    const [was, is] = [JSON.stringify(before), JSON.stringify(capabilities)];
    if (was === is) return;
    await transaction
      .updateTable('interventions')
      .set({ capabilities_json: is })
      .where('account_id', '=', account)
      .where('id', '=', id)
      .execute();
  }

  /** Shows open interventions with the devices; returns those of each device, and whether they changed. */
  async show(
    transaction: Queries,
    link: LinkKey,
    { devices, open }: { readonly devices: readonly HeldDevice[]; readonly open: readonly InterventionRow[] },
  ): Promise<{ readonly id: string; readonly shown: string | null; readonly isNews: boolean }[]> {
    const all = devices.map(({ id, shown: before }) => {
      const shown = shownOf(open.filter(({ device }) => device === null || device === id));
      return { id, shown, isNews: shown !== before };
    });
    const news = all.filter(({ isNews }) => isNews);
    for (const [text, of] of Map.groupBy(news, ({ shown }) => shown))
      await transaction
        .updateTable('devices')
        .set({ interventions_json: text })
        .where('account_id', '=', link.account)
        .where('link_id', '=', link.link)
        .where(
          'id',
          'in',
          of.map(({ id }) => id),
        )
        .execute();
    return all;
  }

  /** Brings those of devices to the link that has them now, and forgets those of devices that it has no longer. */
  async follow(
    transaction: Queries,
    { account, link, vendor }: LinkKey & { readonly vendor: string },
    ids: readonly string[],
  ): Promise<void> {
    if (ids.length > 0)
      await transaction
        .updateTable('interventions')
        .set({ link_id: link })
        .where('account_id', '=', account)
        .where('vendor', '=', vendor)
        .where('device_id', 'in', ids)
        .where('link_id', '!=', link)
        .execute();
    let gone = transaction
      .deleteFrom('interventions')
      .where('account_id', '=', account)
      .where('link_id', '=', link)
      .where('device_id', 'is not', null);
    if (ids.length > 0) gone = gone.where('device_id', 'not in', ids);
    await gone.execute();
  }

  /** A page, the oldest first. */
  async page(filter: InterventionFilter): Promise<ListedIntervention[]> {
    const { device, after } = filter;
    let rows = this.#database.queries
      .selectFrom('interventions')
      .innerJoin('links', (join) =>
        join
          .onRef('links.account_id', '=', 'interventions.account_id')
          .onRef('links.id', '=', 'interventions.link_id'),
      )
      .selectAll('interventions')
      .select('links.user_ref')
      // control: an account sees its own interventions alone [interventions/interventions]
      .where('interventions.account_id', '=', filter.account);
    if (filter.state === 'open') rows = rows.where('resolved_at', 'is', null);
    if (filter.state === 'resolved') rows = rows.where('resolved_at', 'is not', null);
    if (filter.link !== undefined) rows = rows.where('interventions.link_id', '=', filter.link);
    if (filter.userRef !== undefined) rows = rows.where('links.user_ref', '=', filter.userRef);
    if (device !== undefined)
      rows = rows.where(({ eb, or, and, exists, selectFrom }) =>
        or([
          eb('interventions.device_id', '=', device),
          and([
            eb('interventions.device_id', 'is', null),
            exists(
              selectFrom('devices')
                .select('devices.id')
                .whereRef('devices.account_id', '=', 'interventions.account_id')
                .whereRef('devices.link_id', '=', 'interventions.link_id')
                .where('devices.id', '=', device),
            ),
          ]),
        ]),
      );
    if (after !== undefined)
      rows = rows.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('interventions.opened_at', 'interventions.id'), '>', tuple(after.at, after.id)),
      );
    const found = await rows
      .orderBy('interventions.opened_at')
      .orderBy('interventions.id')
      .limit(filter.limit)
      .execute();
    return found.map(({ user_ref, ...row }) => ({ ...toRow(row), userRef: user_ref }));
  }
}

const ofLink = (on: Queries, { account, link }: LinkKey) =>
  on.selectFrom('interventions').where('account_id', '=', account).where('link_id', '=', link);

function toRow(row: Selectable<Tables['interventions']>): InterventionRow {
  return {
    account: row.account_id,
    link: row.link_id,
    id: row.id,
    vendor: row.vendor,
    device: row.device_id,
    deviceType: row.device_type as DeviceType | null,
    code: row.code,
    capabilities: JSON.parse(row.capabilities_json) as Capability[],
    openedAt: row.opened_at,
    resolvedAt: row.resolved_at,
  };
}

/** JSON that goes into responses as it is; null where nothing is open. */
function shownOf(open: readonly InterventionRow[]): string | null {
  const shown = open.map(
    ({ id, code, capabilities, openedAt }): OpenIntervention => ({
      ...{ id, code },
      capabilities: [...capabilities],
      opened_at: rfc3339(openedAt),
    }),
  );
  return shown.length === 0 ? null : JSON.stringify(shown);
}

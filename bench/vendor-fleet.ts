import { sql } from 'kysely';
import type { Adapter } from '../src/adapter/adapter.ts';
import type { Tokens } from '../src/adapter/login.ts';
import type { LinkOf } from '../src/adapter/session.ts';
import type { Database, Queries } from '../src/db/database.ts';
import { bearableSeconds, sharingTypes } from '../src/domain/budgets/bearable.ts';
import type { Vault } from '../src/domain/calls/index.ts';
import { createDeviceStore, type DeviceRow } from '../src/domain/devices/store.ts';
import { intervalOf, type Mood } from '../src/domain/polling/pace.ts';
import { sharesOf } from '../src/domain/polling/turn.ts';
import { CookieBrowser } from '../test/kit/cookie-browser.ts';
import { call } from './elnav.ts';
import { BUSY_MARK, type VendorCloud } from './vendor-cloud.ts';
import { vendors } from './vendors-of-clouds.ts';

/** Of so many accounts one has cars that charge. */
const BUSY_EVERY = 10;
/** Rows of a statement. */
const ROWS = 500;
/** Tokens that last longer are keys, which never end. */
const ENDLESS_MS = 366 * 86_400_000;
/** Tables whose rows are copied as they are. */
const PLAIN = ['devices', 'link_documents', 'webhook_subscriptions', 'link_lists'] as const;

/** Links one user of each vendor through the service, as users are linked; vendors without a cloud have their own credentials. */
export async function linkOneOfEach(
  connect: string,
  key: string,
  clouds: readonly VendorCloud[],
): Promise<void> {
  const link = (vendor: string, credentials: object) =>
    call(`${connect}/link`, key, { vendor, user_ref: 'home', credentials });
  await link('sandbox', { device_types: ['charger'] });
  await link('ocpp', { identity: 'BENCH-1', password: 'a password of the bench' });
  for (const cloud of clouds)
    await link(cloud.slug, cloud.isOAuth ? await linkCodeOf(connect, cloud) : cloud.user.credentials);
}

async function linkCodeOf(
  connect: string,
  { slug, user }: VendorCloud,
): Promise<{ readonly link_code: string }> {
  const browser = new CookieBrowser();
  const toVendor = await browser.get(`${connect}/oauth/${slug}/authorize`);
  const { name, password } = user;
  const signedIn = await fetch(toVendor.headers.get('location') ?? '', {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ username: name, password }),
  });
  const back = await browser.get(signedIn.headers.get('location') ?? '');
  const { link_code = '' } = (await back.json()) as { link_code?: string };
  if (link_code === '') throw new Error(`nobody could sign in at ${slug}`);
  return { link_code };
}

export interface FleetOptions {
  readonly database: Database;
  readonly vault: Vault;
  /** The account whose links are copied. */
  readonly account: number;
  /** Accounts in all. */
  readonly accounts: number;
}

/** Copies the links of an account to many others. Their tokens end at any moment of their lifetime. */
export async function storeFleet(options: FleetOptions): Promise<void> {
  const { database, account } = options;
  await addAccounts(options);
  const others = (
    await database.queries
      .selectFrom('accounts')
      .select('id')
      .where('id', '!=', account)
      .orderBy('id')
      .execute()
  ).map(({ id }) => id);
  await database.transaction(async (transaction) => {
    await transaction.deleteFrom('device_turns').execute();
    for (let from = 0; from < others.length; from += ROWS)
      await copySealed(options, transaction, others.slice(from, from + ROWS));
    for (const table of PLAIN) await copyPlain(options, transaction, table);
  });
}

/**
 * Has everything begin at a moment (ms since 1970): polls are spread over their intervals, as after hours of polling, and all streams and
 * all lists are due, as after a pause.
 */
export async function beginAt(options: FleetOptions, at: number): Promise<void> {
  const { database } = options;
  const planned = await turnsOfAll(options);
  await database.transaction(async (transaction) => {
    await storeTurns(options, transaction, { planned, at });
    await transaction.updateTable('link_lists').set({ due_at: at }).execute();
    const streaming = vendors.filter(({ stream }) => stream !== undefined).map(({ slug }) => slug);
    await transaction.deleteFrom('link_streams').execute();
    await sql`insert into link_streams (account_id, link_id, vendor, held_until)
      select account_id, id, vendor, ${at} from links where vendor in (${sql.join(streaming)})`.execute(
      transaction,
    );
  });
  if (database.engine === 'postgres') await sql`analyze`.execute(database.queries);
}

/** As many accounts as the fleet needs besides those that are there. */
async function addAccounts({ database, accounts }: FleetOptions): Promise<void> {
  const { queries } = database;
  const { there } = await queries
    .selectFrom('accounts')
    .select(({ fn }) => fn.countAll<number>().as('there'))
    .executeTakeFirstOrThrow();
  for (let from = Number(there); from < accounts; from += ROWS)
    await queries
      .insertInto('accounts')
      .values(
        Array.from({ length: Math.min(ROWS, accounts - from) }, (_, index) => ({
          email: `fleet-${from + index}@example.com`,
          name: 'Fleet',
          tier: 'pro',
          created_at: 0,
        })),
      )
      .execute();
}

/** Credentials and tokens open for the link alone that they were sealed for. */
async function copySealed(
  { account, vault }: FleetOptions,
  queries: Queries,
  others: readonly number[],
): Promise<void> {
  const links = await queries.selectFrom('links').selectAll().where('account_id', '=', account).execute();
  const tokens = await queries
    .selectFrom('link_tokens')
    .selectAll()
    .where('account_id', '=', account)
    .execute();
  const plainOf = ({ id, text, field }: { id: string; text: string; field: string }): unknown =>
    JSON.parse(vault.open({ keyId: vault.currentKey, text }, { account, link: id, field }));
  for (const row of links) {
    const { id } = row;
    const credentials = plainOf({ id, text: row.sealed_credentials, field: 'credentials' });
    const copies = others.map((other) => {
      const sealed = vault.seal(JSON.stringify(credentials), {
        account: other,
        link: id,
        field: 'credentials',
      });
      return { ...row, account_id: other, sealed_credentials: sealed.text };
    });
    await queries.insertInto('links').values(copies).execute();
  }
  for (const row of tokens) {
    const id = row.link_id;
    const first = plainOf({ id, text: row.sealed_tokens, field: 'tokens' }) as Tokens;
    const copies = others.map((other) => {
      const own = tokensOf(first, other);
      const sealed = vault.seal(JSON.stringify(own), { account: other, link: id, field: 'tokens' });
      return { ...row, account_id: other, sealed_tokens: sealed.text, expires_at: own.expiresAt };
    });
    await queries.insertInto('link_tokens').values(copies).execute();
  }
}

/** Tokens of another account: they end at any moment of their lifetime, and say whether its cars charge. */
function tokensOf(first: Tokens, account: number): Tokens {
  const now = Date.now();
  const left = first.expiresAt - now;
  const mark = isBusy(account) ? BUSY_MARK : '';
  return {
    ...first,
    access: `${first.access}${mark}`,
    refresh: first.refresh === null ? null : `${first.refresh}${mark}`,
    expiresAt: left > ENDLESS_MS ? first.expiresAt : now + Math.round(left * Math.random()),
  };
}

const isBusy = (account: number): boolean => account % BUSY_EVERY === 0;

async function copyPlain(
  { account }: FleetOptions,
  queries: Queries,
  table: (typeof PLAIN)[number],
): Promise<void> {
  const [row] = await queries.selectFrom(table).selectAll().where('account_id', '=', account).execute();
  if (row === undefined) return;
  const columns = sql.join(
    Object.keys(row)
      .filter((name) => name !== 'account_id')
      .map((name) => sql.ref(name)),
  );
  await sql`insert into ${sql.table(table)} (account_id, ${columns})
    select accounts.other, ${columns} from (select * from ${sql.table(table)} where account_id = ${account}) as own
    cross join (select id as other from accounts where id <> ${account}) as accounts`.execute(queries);
}

interface Turn {
  /** Empty for all devices of the link. */
  readonly device: string;
  /** Seconds between two polls, and while the cars of the link charge. */
  readonly idle: number;
  readonly active: number;
}

/** By link of the account that is copied. */
async function turnsOfAll(options: FleetOptions): Promise<Map<Pick<LinkOf, 'link' | 'vendor'>, Turn[]>> {
  const { database, account } = options;
  const links = await database.queries
    .selectFrom('links')
    .select(['id as link', 'vendor'])
    .where('account_id', '=', account)
    .execute();
  const planned = new Map<(typeof links)[number], Turn[]>();
  for (const one of links) {
    const adapter = vendors.find(({ slug }) => slug === one.vendor);
    if (adapter !== undefined) planned.set(one, await turnsOf(options, adapter, one.link));
  }
  return planned;
}

async function storeTurns(
  { database }: FleetOptions,
  queries: Queries,
  { planned, at }: { readonly planned: Awaited<ReturnType<typeof turnsOfAll>>; readonly at: number },
): Promise<void> {
  const chance = sql.raw(
    database.engine === 'postgres' ? 'random()' : '(random() / 18446744073709551616.0 + 0.5)',
  );
  for (const [{ link, vendor }, turns] of planned)
    for (const { device, idle, active } of turns) {
      const seconds = sql`cast(case when id % ${BUSY_EVERY} = 0 then ${active} else ${idle} end as double precision)`;
      await sql`insert into device_turns (account_id, link_id, device_id, vendor, due_at, interval_s, failures)
        select id, ${link}, ${device}, ${vendor}, cast(${at} + ${chance} * 1000 * (${seconds}) as bigint),
          ${seconds}, 0
        from accounts`.execute(queries);
    }
}

/** The turns of a link, at the pace that polling gives them when all accounts have such a link. */
async function turnsOf(
  { database, account, accounts }: FleetOptions,
  adapter: Adapter,
  link: string,
): Promise<Turn[]> {
  const all = await createDeviceStore(database).rowsOfLink({ account, link });
  const [first] = all;
  if (adapter.pace === undefined || first === undefined) return [];
  const read: (readonly [string, DeviceRow])[] =
    adapter.sweep === undefined ? all.map((device) => [device.id, device]) : [['', first]];
  const isSharing = all.some(({ type }) => sharingTypes(adapter).includes(type));
  return read.map(([device, row]) => {
    const bearable = bearableSeconds(adapter, {
      ...sharesOf({ device }, row, all),
      devices: read.length * accounts,
      links: isSharing ? accounts : 1,
    });
    const isCar = row.type === 'charger' || row.type === 'vehicle';
    const every = (mood: Mood) => intervalOf(adapter, { moods: [mood], bearable, isStreaming: false });
    return { device, idle: every('idle'), active: every(isCar ? 'active' : 'idle') };
  });
}

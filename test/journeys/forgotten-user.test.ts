import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, it } from 'node:test';
import { Kysely, sql } from 'kysely';
import { DATABASE_FILE, type Queries } from '../../src/db/database.ts';
import { sqliteDialect } from '../../src/db/sqlite.ts';
import type { Tables } from '../../src/db/tables.ts';
import { sandbox } from '../../src/vendors/sandbox/index.ts';
import { onEachEngine } from '../kit/databases.ts';
import { until } from '../kit/until.ts';
import { type Caller, makeWorld, type World } from '../kit/world.ts';

/** What each table holds of an end user. Whoever adds a table decides here; one that holds something is planted below. */
const TABLES: Readonly<Record<keyof Tables, 'something' | 'nothing'>> = {
  accounts: 'nothing',
  account_policies: 'nothing',
  api_keys: 'nothing',
  application_certificates: 'nothing',
  // Who forgot somebody and when, without the name.
  audit: 'nothing',
  bans: 'nothing',
  brands: 'nothing',
  charging_progress: 'something',
  charging_sessions: 'something',
  charging_transactions: 'something',
  console_codes: 'nothing',
  console_sessions: 'nothing',
  database_origin: 'nothing',
  commands: 'something',
  device_polls: 'something',
  devices: 'something',
  event_log: 'nothing',
  event_readers: 'nothing',
  events: 'something',
  exchange_rates: 'nothing',
  gateways: 'nothing',
  global_policy: 'nothing',
  history_devices: 'something',
  // By the number in history_devices: looked at below.
  history_quarters: 'nothing',
  history_readings: 'nothing',
  idempotent_requests: 'something',
  instances: 'nothing',
  interventions: 'something',
  leases: 'nothing',
  // Sealed, named by nobody, and gone in minutes.
  link_codes: 'nothing',
  link_documents: 'something',
  link_lists: 'something',
  link_sessions: 'something',
  link_streams: 'something',
  link_tokens: 'something',
  links: 'something',
  magic_links: 'nothing',
  meter_readings: 'something',
  oauth_states: 'something',
  operator_changes: 'nothing',
  operator_forms: 'nothing',
  operator_sessions: 'nothing',
  partner_applications: 'nothing',
  passwords: 'nothing',
  price_backfills: 'nothing',
  price_days: 'nothing',
  price_sources: 'nothing',
  prices: 'nothing',
  production: 'nothing',
  production_sources: 'nothing',
  requests: 'something',
  retention_time: 'nothing',
  set_points: 'something',
  // What receivers answered.
  subscription_attempts: 'nothing',
  // Those that want the events of one user.
  subscriptions: 'something',
  usage: 'nothing',
  vendor_blocks: 'nothing',
  vendor_use: 'something',
  web_sessions: 'nothing',
  // What vendors sent, by vendor alone: the body is removed when it is applied, and the row a week later at most.
  webhook_deliveries: 'nothing',
  webhook_subscriptions: 'something',
};

/** Columns that are not exported: secrets, hashes, and what only says how the service works. */
const LEFT_OUT = new Set([
  ...[
    'account_id',
    'sealed_credentials',
    'sealed_tokens',
    'sealed_secrets',
    'sealed_verifier',
    'sealed_session',
  ],
  ...['vault_key', 'session_sha256', 'browser_sha256', 'state_sha256', 'agreed_browser_sha256', 'instance'],
  ...['link_tokens.version', 'link_tokens.renewer', 'link_tokens.renewing_until', 'link_streams.holder'],
  ...['link_streams.held_until', 'failures', 'link_lists.due_at', 'link_sessions.shows_devices'],
  ...['devices.logged_tx', 'planned_at', 'hinted_at', 'active_until', 'lease_until', 'set_points.version'],
  ...[
    'device_polls.id',
    'requests.id',
    'ends_by_itself',
    'revert_ms',
    'set_points.due_at',
    'removes_link_of',
  ],
  ...[
    'has_will',
    'charging_transactions.number',
    'tx',
    'subscriptions.failing_since',
    'lost_from',
    'lost_until',
  ],
  ...[
    'generation',
    'cursor_tx',
    'cursor_id',
    'covered_at',
    'pending',
    'free_at',
    'is_slow',
    'retry_at',
    'attempts',
  ],
]);

interface Home {
  readonly link: string;
  readonly device: string;
}

interface Line {
  readonly table: string;
  readonly row: Readonly<Record<string, unknown>>;
}

interface AuditLine {
  readonly action: string;
  readonly detail: { readonly key_id?: string };
}

onEachEngine('an end user who is forgotten', (engine) => {
  let world: World;
  let caller: Caller;
  /** Beside the service. */
  let queries: Queries;
  before(async () => {
    world = await makeWorld({ engine, adapters: [sandbox] });
    caller = await world.newAccount();
    queries =
      engine === 'postgres'
        ? (await world.place.open()).queries
        : new Kysely<Tables>({
            dialect: sqliteDialect(
              new DatabaseSync(join(world.place.dataDir, DATABASE_FILE), { timeout: 5_000 }),
            ),
          });
  });
  after(async () => {
    await queries.destroy();
    await world.close();
  });

  const ok = async (method: string, path: string, body?: object, headers?: Record<string, string>) => {
    const response = await caller.call(method, path, body, headers);
    assert.ok(response.status < 300, `${method} ${path}: ${JSON.stringify(response.body)}`);
    return response.body;
  };

  /** A user with something in every table that can have it. */
  async function live(userRef: string): Promise<Home> {
    const { devices } = (await ok(
      'POST',
      '/link',
      { vendor: 'sandbox', user_ref: userRef, credentials: { device_types: ['light', 'charger'] } },
      { 'idempotency-key': `${userRef}-links` },
    )) as { devices: { id: string; device_type: string }[] };
    const device = devices.find(({ device_type }) => device_type === 'light')?.id ?? '';
    await ok('POST', `/devices/${device}/command`, { type: 'turn_on' });
    await ok('POST', '/link/sessions', { user_ref: userRef, redirect_uri: 'http://localhost/' });
    const links = (await ok('GET', '/links')) as { id: string; user_ref: string }[];
    const link = links.find(({ user_ref }) => user_ref === userRef)?.id ?? '';
    await plant(userRef, { link, device });
    return { link, device };
  }

  async function plant(userRef: string, { link, device }: Home): Promise<void> {
    const { account_id } = await queries
      .selectFrom('links')
      .select('account_id')
      .where('id', '=', link)
      .executeTakeFirstOrThrow();
    const of = { account_id, link_id: link };
    const vendor = 'sandbox';
    const sealed = { vault_key: 'k', sealed_tokens: 's' };
    const { session_sha256 } = await queries
      .selectFrom('link_sessions')
      .select('session_sha256')
      .where('user_ref', '=', userRef)
      .executeTakeFirstOrThrow();
    await queries
      .insertInto('link_tokens')
      .values({ ...of, ...sealed, expires_at: 1, version: 1 })
      .execute();
    await queries
      .insertInto('oauth_states')
      .values({
        ...{ state_sha256: `${userRef}-state`, vendor, session_sha256, browser_sha256: 'b' },
        ...{ vault_key: 'k', sealed_verifier: 'v', sealed_session: null, expires_at: 1 },
      })
      .execute();
    for (const subject of [`${account_id}/${link}`, `${account_id}/${link}/${device}`])
      await queries
        .insertInto('vendor_use')
        .values({ vendor, rule: 'r', subject, window_start: 1, used: 1 })
        .execute();
    await queries
      .insertInto('webhook_subscriptions')
      .values({ ...of, vendor, due_at: 1, failures: 0 })
      .execute();
    await queries
      .insertInto('link_streams')
      .values({ ...of, vendor, held_until: 1 })
      .execute();
    await queries
      .insertInto('link_documents')
      .values({ ...of, name: 'n', value_json: '{}', updated_at: 1 })
      .execute();
    await queries
      .insertInto('device_polls')
      .values({ ...of, device_id: device, vendor, due_at: 1, interval_s: 1, failures: 0 })
      .execute();
    await queries
      .insertInto('link_lists')
      .values({ ...of, vendor, due_at: 1, failures: 0, listed_at: 1 })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await queries
      .insertInto('subscriptions')
      .values({
        ...{ account_id, id: `${userRef}-subscription`, url: 'https://app.example.com/', types_json: null },
        ...{ device_id: null, user_ref: userRef, version: 1, signature: 'hmac-sha256', public_key: null },
        ...{ vault_key: 'k', sealed_secrets: 's', status: 'paused', reason: null, created_at: 1 },
        ...{ generation: 0, cursor_tx: 0, cursor_id: 0, covered_at: 1, pending: 0, free_at: 0, retry_at: 0 },
        ...{ failures: 0, failing_since: null, lost_from: null, lost_until: null, attempts: 0, is_slow: 0 },
      })
      .execute();
    // One about the link, and one about a device whose link was not known: two vendors had its id.
    for (const [id, own] of [
      ['link', { device_id: null, link_id: link }],
      ['device', { device_id: device, link_id: null }],
    ] as const)
      await queries
        .insertInto('requests')
        .values({
          ...{
            account_id,
            at: 8_000_000_000_000,
            id: `${link}-${id}`,
            request_id: `r-${id}`,
            service: 'connect',
          },
          ...{ instance: 'i', key_id: null, method: 'GET', route: '/x', status: 502, error_code: null },
          ...{ error: null, duration_ms: 1, vendor, calls_json: '{"calls":[],"more":0}', ...own },
        })
        .execute();
    await queries
      .insertInto('charging_transactions')
      .values({ ...of, transaction_id: 't', device_id: device, id_tag: userRef })
      .execute();
    await queries
      .insertInto('charging_sessions')
      .values({
        ...{
          account_id,
          id: `${userRef}-session`,
          vendor,
          device_id: device,
          link_id: link,
          user_ref: userRef,
        },
        ...{ transaction_id: null, at: 1, started_at: 1, ended_at: null, session_json: '{}' },
      })
      .execute();
    await queries
      .insertInto('meter_readings')
      .values({ ...of, device_id: device, at: 1, samples_json: '[]' })
      .execute();
    await queries
      .insertInto('interventions')
      .values({
        ...{ ...of, id: `${userRef}-1`, vendor, device_id: device, device_type: 'light' },
        ...{ code: 'plug_in', capabilities_json: '[]', opened_at: 1 },
      })
      .execute();
    await queries
      .insertInto('set_points')
      .values({
        ...{ ...of, vendor, device_id: device, command_type: 'set_light', version: 'v', state: 'released' },
        ...{ command_json: '{}', key_id: 'k', since: 1, renewed_at: 1, due_at: 1, failures: 0 },
        ...{ ends_by_itself: 1, has_will: 0 },
      })
      .execute();
  }

  /** The tables that have a row which names one of these. */
  async function naming(words: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    for (const table of Object.keys(TABLES)) {
      const { rows } = await sql`select * from ${sql.table(table)}`.execute(queries);
      const text = JSON.stringify(rows);
      if (words.some((word) => text.includes(word))) found.push(table);
    }
    return found.toSorted();
  }

  it('an end user who is forgotten has had something in every table that is said to hold something, and then nothing anywhere; others keep all', async () => {
    const tables = await queries.introspection.getTables();
    assert.deepEqual(
      tables
        .map(({ name }) => name)
        .filter((name) => !/^kysely_/.test(name))
        .toSorted(),
      Object.keys(TABLES).toSorted(),
    );
    const [anna, bo] = [await live('anna-of-the-test'), await live('bo-of-the-test')];
    const something = Object.entries(TABLES).flatMap(([table, holds]) =>
      holds === 'something' ? [table] : [],
    );
    const words = (userRef: string, { link, device }: Home) => [userRef, link, device];
    const ofAnna = words('anna-of-the-test', anna);
    const ofBo = words('bo-of-the-test', bo);
    for (const own of [ofAnna, ofBo]) {
      await until('all is stored', async () => {
        const tables = await naming(own);
        return ['history_devices', 'charging_progress', 'requests'].every((table) => tables.includes(table));
      });
      assert.deepEqual(await naming(own), something.toSorted());
    }

    const numbers = async (userRef: string) => {
      const of = queries.selectFrom('history_devices').select('number').where('user_ref', '=', userRef);
      return (await of.execute()).map(({ number }) => number);
    };
    const [hers, his] = [await numbers('anna-of-the-test'), await numbers('bo-of-the-test')];
    const readings = async (devices: readonly number[]) =>
      (await queries.selectFrom('history_readings').selectAll().where('device', 'in', devices).execute())
        .length;
    assert.ok((await readings(hers)) > 0 && (await readings(his)) > 0);

    assert.equal((await caller.call('DELETE', '/users/anna-of-the-test')).status, 204);
    assert.equal(await readings(hers), 0);
    assert.ok((await readings(his)) > 0);
    assert.deepEqual(await naming(ofAnna), []);
    assert.deepEqual(await naming(ofBo), something.toSorted());
    assert.equal((await caller.call('GET', `/devices/${anna.device}`)).status, 404);
    await ok('GET', `/devices/${bo.device}`);
    const { events } = (await ok('GET', '/events?user_ref=anna-of-the-test')) as { events: unknown[] };
    assert.deepEqual(events, []);
  });

  it('an end user is exported from every table that holds something, without secrets and without anybody else', async () => {
    const eva = await live('eva-of-the-test');
    const fay = await live('fay-of-the-test');
    await until('all is stored', async () => {
      const tables = await naming(['eva-of-the-test', eva.device]);
      return ['history_devices', 'charging_progress', 'requests'].every((table) => tables.includes(table));
    });
    const exported = async (userRef: string) => {
      const response = await fetch(`${world.connect}/users/${userRef}/export`, {
        headers: { 'x-api-key': caller.key },
      });
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('content-type'), 'application/x-ndjson; charset=utf-8');
      const text = await response.text();
      return {
        text,
        lines: text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as Line),
      };
    };
    const { text, lines } = await exported('eva-of-the-test');
    assert.deepEqual(lines.pop(), { end: true });
    const columns = new Map<string, Set<string>>();
    for (const { table, row } of lines)
      columns.set(table, new Set([...(columns.get(table) ?? []), ...Object.keys(row)]));
    const holding = Object.entries(TABLES).flatMap(([table, holds]) =>
      // What responses repeat is in the other tables.
      holds === 'something' && table !== 'idempotent_requests' ? [table] : [],
    );
    assert.deepEqual([...columns.keys()].toSorted(), [...holding, 'history_readings'].toSorted());
    for (const { name, columns: all } of await queries.introspection.getTables()) {
      if (!holding.includes(name)) continue;
      const missing = all
        .map((column) => column.name)
        .filter((column) => columns.get(name)?.has(column.replace(/_json$/, '')) !== true)
        .filter((column) => !LEFT_OUT.has(column) && !LEFT_OUT.has(`${name}.${column}`));
      assert.deepEqual(missing, [], `${name}: export it, or say above that it is left out`);
    }
    assert.doesNotMatch(text, /sealed|_sha256|vault_key|"secret/);
    for (const word of [fay.link, fay.device, 'fay-of-the-test']) assert.ok(!text.includes(word), word);
    assert.deepEqual((await exported('nobody')).lines, [{ end: true }]);

    const entries = (await (await world.admin('GET', '/admin/audit')).json()) as AuditLine[];
    const noted = entries.filter(({ action }) => action === 'user.export');
    assert.equal(noted.length, 2);
    assert.equal(noted[0]?.detail.key_id, caller.keyId);
    await ok('DELETE', '/users/eva-of-the-test');
    assert.deepEqual((await exported('eva-of-the-test')).lines, [{ end: true }]);
  });

  it('an end user who is forgotten need not be known, is nobody of another account, and may be linked again', async () => {
    const home = await live('cy-of-the-test');
    const other = await world.newAccount();
    assert.equal((await other.call('DELETE', '/users/cy-of-the-test')).status, 204);
    await ok('GET', `/devices/${home.device}`);
    const { events } = (await ok('GET', '/events?user_ref=cy-of-the-test')) as { events: unknown[] };
    assert.notEqual(events.length, 0);
    assert.equal((await caller.call('DELETE', '/users/nobody')).status, 204);
    for (let again = 0; again < 2; again += 1)
      assert.equal((await caller.call('DELETE', '/users/cy-of-the-test')).status, 204);
    assert.notEqual((await live('cy-of-the-test')).link, home.link);
  });

  it('an end user who is forgotten is forgotten by the next call, if the first was stopped after the links were gone', async () => {
    const home = await live('di-of-the-test');
    assert.equal((await caller.call('DELETE', `/links/${home.link}?force=true`)).status, 204);
    assert.notDeepEqual(await naming([home.device]), []);
    assert.equal((await caller.call('DELETE', '/users/di-of-the-test')).status, 204);
    assert.deepEqual(await naming(['di-of-the-test', home.link, home.device]), []);
  });
});

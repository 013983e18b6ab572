import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import pg from 'pg';
import { makePlace, type Place } from '../kit/databases.ts';
import { until } from '../kit/service.ts';
import { type TcpProxy, tcpProxy } from '../kit/tcp-proxy.ts';
import { testVendor } from '../kit/vendor-for-tests.ts';
import { type Answer, type Caller, makeWorld, type World } from '../kit/world.ts';

const databaseUrl = process.env.TEST_DATABASE_URL;
const COMMAND = '/devices/light-1/command';
const ON = { type: 'turn_on' };
const LINK = { vendor: 'testvendor', user_ref: 'u', credentials: { user: 'u', password: 'p' } };

/** Records each claim that the server makes, however late. */
const NOTED = `
  create table claims_made (key text);
  create function note_claim() returns trigger language plpgsql as
    'begin insert into claims_made values (new.key); return new; end';
  create trigger note_claim after insert on idempotent_requests for each row execute function note_claim()`;

describe('an idempotency key while PostgreSQL is lost', {
  skip: databaseUrl === undefined ? 'TEST_DATABASE_URL is not set' : false,
}, () => {
  const vendor = testVendor({ pollSeconds: 3_600 });
  let place: Place;
  let wire: TcpProxy;
  let world: World;
  let caller: Caller;
  let beside: pg.Client;
  let keys = 0;
  before(async () => {
    place = await makePlace('postgres');
    wire = await tcpProxy(databaseUrl ?? '');
    const url = new URL(wire.through(place.url ?? ''));
    // The time limit of a statement in this test.
    url.searchParams.set('query_timeout', '500');
    world = await makeWorld({
      engine: 'postgres',
      place,
      adapters: [vendor.adapter],
      env: { DATABASE_URL: url.href },
    });
    beside = new pg.Client({ connectionString: place.url });
    await beside.connect();
    await beside.query(NOTED);
  });
  after(async () => {
    await beside.end();
    await wire.resume();
    await world.close();
    await wire.close();
    await place.remove();
  });
  beforeEach(async () => {
    vendor.onCommand = async () => {};
    vendor.onLink = async () => {};
    caller = await world.newAccount();
    assert.equal((await caller.call('POST', '/link', LINK)).status, 200);
    // Cached entries need no database.
    assert.equal((await caller.call('POST', COMMAND, ON)).status, 200);
    vendor.calls.length = 0;
    keys += 1;
  });

  const send = (path: string, body: unknown): Promise<Answer> =>
    caller.call('POST', path, body, { 'idempotency-key': `key ${keys}` });
  const codeOf = ({ headers }: Answer) => headers.get('elnav-error');
  const rowsOfKey = async (table: 'claims_made' | 'idempotent_requests') =>
    (await beside.query(`select key from ${table} where key = $1`, [`key ${keys}`])).rowCount;
  /** The first response that is neither "database unreachable" nor "key in use". */
  const answered = (path: string, body: unknown): Promise<Answer> =>
    until('the key has a response', async () => {
      const answer = await send(path, body);
      return answer.status === 503 || answer.status === 409 ? undefined : answer;
    });

  it('an idempotency key while PostgreSQL is lost returns the response of a command that the vendor accepted, even if it could not be stored at the time', async () => {
    vendor.onCommand = () => wire.cut();
    const first = await send(COMMAND, ON);
    assert.equal(first.status, 200, JSON.stringify(first.body));
    await wire.resume();
    const again = await answered(COMMAND, ON);
    assert.deepEqual([again.status, again.body], [200, first.body]);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.equal(vendor.count('command'), 1);
  });

  it('an idempotency key while PostgreSQL is lost returns an unknown outcome when the database failed after the request had begun', async () => {
    vendor.onLink = () => wire.cut();
    const first = await send('/link', LINK);
    assert.deepEqual([first.status, codeOf(first)], [502, 'command.outcome_unknown']);
    await wire.resume();
    const again = await answered('/link', LINK);
    assert.deepEqual([again.status, codeOf(again), again.body], [502, 'command.outcome_unknown', first.body]);
    assert.equal(vendor.count('link'), 1);
  });

  it('an idempotency key while PostgreSQL is lost works again at once when nothing had begun, even if the server stored the claim late', async () => {
    wire.freeze();
    const first = await send(COMMAND, ON);
    assert.deepEqual([first.status, codeOf(first)], [503, 'database.unavailable']);
    // The server continues a statement after its client has given up.
    wire.thaw();
    await until('the claim is stored', async () => (await rowsOfKey('claims_made')) === 1 || undefined);
    // Nobody uses the key meanwhile, which would take it over once its lease is over.
    await until(
      'the key is released',
      async () => (await rowsOfKey('idempotent_requests')) === 0 || undefined,
    );
    const again = await answered(COMMAND, ON);
    assert.equal(again.status, 200, JSON.stringify(again.body));
    assert.equal(again.headers.get('idempotent-replayed'), null);
    assert.equal(vendor.count('command'), 1);
  });
});

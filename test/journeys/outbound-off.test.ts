import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { turnedClock } from '../../src/core/clock.ts';
import { HOUR_MS } from '../../src/core/durations.ts';
import { makePlace, onEachEngine, type Place } from '../kit/databases.ts';
import { signUp } from '../kit/people.ts';
import { makeReceiver, type Receiver } from '../kit/receiver.ts';
import { type TestVendor, testVendor } from '../kit/vendor-for-tests.ts';
import { type Answer, type Caller, callJson, makeWorld, type World } from '../kit/world.ts';

const linkOf = (user: string) => ({
  vendor: 'testvendor',
  user_ref: user,
  credentials: { user, password: 'right' },
});
const at = async (world: World, { key }: Caller, method: string, path: string, body?: unknown) =>
  callJson(`${world.connect}${path}`, {
    method,
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

function assertOff({ status, headers, body }: Answer, saying: RegExp): void {
  assert.equal(status, 503, JSON.stringify(body));
  assert.equal(headers.get('elnav-error'), 'outbound.off');
  assert.match((body as { error: string }).error, saying);
}

const ready = async (world: World) =>
  (await (await world.admin('GET', '/readyz')).json()) as {
    status: string;
    checks: Record<string, string>;
  };

onEachEngine('outbound calls that are off', (engine) => {
  let place: Place;
  let vendor: TestVendor;
  let caller: Caller;
  let receiver: Receiver;
  let subscription: string;
  let copy: World;
  let calls: number;
  let posted: number;
  const clock = turnedClock();
  const options = () => ({ engine, place, clock, adapters: [vendor.adapter] });

  before(async () => {
    place = await makePlace(engine);
    vendor = testVendor({ pollSeconds: 60 });
    receiver = await makeReceiver();
    const original = await makeWorld({ ...options(), env: { ELNAV_LOCAL_NETWORKS: '127.0.0.0/8' } });
    caller = await original.newAccount();
    assert.equal((await at(original, caller, 'POST', '/link', linkOf('anna'))).status, 200);
    assert.equal((await at(original, caller, 'GET', '/devices/light-1')).status, 200);
    const made = await at(original, caller, 'POST', '/subscriptions', { url: receiver.url });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    subscription = (made.body as { id: string }).id;
    await original.close();
    calls = vendor.calls.length;
    posted = receiver.received.length;
    copy = await makeWorld({
      ...options(),
      env: {
        ELNAV_OUTBOUND: 'off',
        ELNAV_LOCAL_NETWORKS: '127.0.0.0/8',
        ELNAV_SMTP_URL: 'smtp://127.0.0.1:1',
        ELNAV_MAIL_FROM: 'elnav@example.com',
      },
    });
  });
  after(async () => {
    await copy.close();
    await receiver.close();
    await place.remove();
  });

  it('outbound calls that are off: reads return what is stored, however old', async () => {
    clock.turn(HOUR_MS);
    const device = await at(copy, caller, 'GET', '/devices/light-1');
    assert.equal(device.status, 200);
    assert.equal((device.body as { state: { online: boolean } }).state.online, true);
    assert.equal((await at(copy, caller, 'GET', '/devices')).status, 200);
    assert.equal(vendor.calls.length, calls);
  });

  it('outbound calls that are off: commands and links are 503, and say how to switch them on', async () => {
    const says = /ELNAV_OUTBOUND is off.*to switch them on, remove the setting and restart/;
    const command = { type: 'turn_on' };
    assertOff(await at(copy, caller, 'POST', '/devices/light-1/command', command), says);
    assertOff(await at(copy, caller, 'POST', '/link', linkOf('bo')), says);
    assertOff(await at(copy, caller, 'POST', `/subscriptions/${subscription}/test`), says);
    assert.equal(vendor.calls.length, calls);
    assert.equal(receiver.received.length, posted);
  });

  it('outbound calls that are off: a link that is deleted is forgotten here, and not at its vendor', async () => {
    const other = await copy.newAccount();
    assert.deepEqual((await at(copy, other, 'GET', '/links')).status, 200);
    const [link] = (await at(copy, caller, 'GET', '/links')).body as { id: string }[];
    const { status } = await at(copy, caller, 'DELETE', `/links/${link?.id}`);
    assert.equal(status, 204);
    assert.equal(vendor.calls.length, calls);
  });

  it('outbound calls that are off: emails are files, and the check says that it is so', async () => {
    await signUp(copy, 'cy@example.com');
    const { status, checks } = await ready(copy);
    assert.match(checks.outbound ?? '', /ELNAV_OUTBOUND is off/);
    assert.notEqual(status, 'not_ready');
  });
});

const skip = process.env.TEST_DATABASE_URL === undefined ? 'TEST_DATABASE_URL is not set' : false;

describe('a database that was restored from a dump', { skip }, () => {
  it('a database that was restored from a dump calls nobody until it is told to take over, and once told is no copy', async () => {
    const place = await makePlace('postgres');
    const vendor = testVendor();
    const options = { engine: 'postgres', place, adapters: [vendor.adapter] } as const;
    const original = await makeWorld(options);
    const caller = await original.newAccount();
    assert.equal((await at(original, caller, 'POST', '/link', linkOf('anna'))).status, 200);
    assert.equal('outbound' in (await ready(original)).checks, false);
    await original.close();

    // What a restore does: every row comes back as it was, from another transaction.
    const database = await place.open();
    await database.queries.transaction().execute(async (transaction) => {
      const rows = await transaction.selectFrom('database_origin').selectAll().execute();
      await sql`truncate database_origin`.execute(transaction);
      await transaction.insertInto('database_origin').values(rows).execute();
    });
    await database.close();

    const copy = await makeWorld(options);
    const says = /restored from a dump.*restart with ELNAV_RESTORED=take-over/;
    assertOff(await at(copy, caller, 'POST', '/devices/light-1/command', { type: 'turn_on' }), says);
    const { status, checks } = await ready(copy);
    assert.equal(status, 'degraded');
    assert.match(checks.outbound ?? '', says);
    const health = (await (await copy.admin('GET', '/admin/health')).json()) as {
      problems: { code: string; sentence: string }[];
    };
    assert.ok(
      health.problems.some(({ sentence }) => says.test(sentence)),
      JSON.stringify(health.problems),
    );
    await copy.close();

    const taking = await makeWorld({ ...options, env: { ELNAV_RESTORED: 'take-over' } });
    const { status: done } = await at(taking, caller, 'POST', '/devices/light-1/command', {
      type: 'turn_on',
    });
    assert.equal(done, 200);
    await taking.close();
    const later = await makeWorld(options);
    assert.equal('outbound' in (await ready(later)).checks, false);
    await later.close();
    await place.remove();
  });
});

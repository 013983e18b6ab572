import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { makeCoreWorld } from '../../../../test/kit/core-world.ts';
import { type Engine, onEachEngine } from '../../../../test/kit/databases.ts';
import { whereabouts } from './presence.ts';
import { createGatewayStore } from './store.ts';

const OWNER = { name: 'user', ip: '192.0.2.1', requestId: 'r' } as const;
const FROM = { ip: '192.0.2.2', requestId: 'r' };
const keyOf = (letter: string) => letter.repeat(43);
const REFUSED = { code: 'gateway.key_invalid' };

async function world(test: Pick<TestContext, 'after'>, engine: Engine) {
  const core = await makeCoreWorld(engine, []);
  test.after(() => core.remove());
  const account = await core.newAccount();
  const { gateways, clock } = core;
  const admit = (letter: string, code?: string) => gateways.admit({ key: keyOf(letter), code }, FROM);
  return { core, account, gateways, clock, admit };
}

onEachEngine('a gateway', (engine) => {
  it('a gateway is let in with its code once, and then with its own key', async (test) => {
    const { account, gateways, admit } = await world(test, engine);
    const { id, pairing_code: code } = await gateways.create(account, 'Home', OWNER);
    await assert.rejects(admit('a'), REFUSED);
    assert.deepEqual(await admit('a', code), { account, id, name: 'Home' });
    assert.equal((await admit('a')).id, id);
    await assert.rejects(admit('b', code), REFUSED);
    await assert.rejects(gateways.admit({ key: 'short', code }, FROM), REFUSED);
  });

  it('a gateway takes its code however it is typed, for ten minutes', async (test) => {
    const { account, gateways, clock, admit } = await world(test, engine);
    const first = await gateways.create(account, 'First', OWNER);
    const second = await gateways.create(account, 'Second', OWNER);
    clock.turn(599_000);
    assert.equal((await admit('a', first.pairing_code.toLowerCase().replaceAll('-', ' '))).id, first.id);
    clock.turn(1_000);
    await assert.rejects(admit('b', second.pairing_code), REFUSED);
  });

  it('a gateway keeps its key until a new code was used, and not after it', async (test) => {
    const { account, gateways, admit } = await world(test, engine);
    const { id, pairing_code: code } = await gateways.create(account, 'Home', OWNER);
    await admit('a', code);
    const again = await gateways.pairAgain({ account, id }, OWNER);
    assert.equal((await admit('a')).id, id);
    assert.equal((await admit('b', again.pairing_code)).id, id);
    await assert.rejects(admit('a'), REFUSED);
  });

  it('a gateway is stored without its key and its code', async (test) => {
    const { core, account, gateways, admit } = await world(test, engine);
    const { pairing_code: code } = await gateways.create(account, 'Home', OWNER);
    const before = JSON.stringify(await core.database.queries.selectFrom('gateways').selectAll().execute());
    assert.ok(!before.includes(code) && !before.includes(code.replaceAll('-', '')));
    await admit('a', code);
    const after = JSON.stringify(await core.database.queries.selectFrom('gateways').selectAll().execute());
    assert.ok(!after.includes(keyOf('a')));
  });

  it('a gateway is nobody else’s, and gone when it was removed', async (test) => {
    const { core, account, gateways, admit } = await world(test, engine);
    const { id, pairing_code: code } = await gateways.create(account, 'Home', OWNER);
    await admit('a', code);
    const foreign = { account: await core.newAccount(), id };
    const notFound = { code: 'gateway.not_found' };
    await assert.rejects(gateways.find(foreign), notFound);
    await assert.rejects(gateways.pairAgain(foreign, OWNER), notFound);
    await assert.rejects(gateways.remove(foreign, OWNER), notFound);
    assert.deepEqual(await gateways.list(foreign.account), []);
    assert.equal((await gateways.find({ account, id })).name, 'Home');
    await gateways.remove({ account, id }, OWNER);
    await assert.rejects(gateways.find({ account, id }), notFound);
    await assert.rejects(admit('a'), REFUSED);
  });

  it('a gateway is one of so many of its account', async (test) => {
    const { core, account, gateways } = await world(test, engine);
    core.bounds.links = 1;
    await gateways.create(account, 'First', OWNER);
    await assert.rejects(gateways.create(account, 'Second', OWNER), { code: 'gateway.too_many' });
    await gateways.create(await core.newAccount(), 'Another', OWNER);
  });

  it('a gateway that has just lost its line is not said to be connected to another instance', async (test) => {
    const { core, account, gateways } = await world(test, engine);
    const { id } = await gateways.create(account, 'Home', OWNER);
    const { database } = core;
    const store = createGatewayStore(database);
    const why = async () => (await whereabouts(database, id)).why;
    assert.match(await why(), /the gateway Home has never been connected/);
    const at = database.moments.clock.now();
    const connected = { version: null, networks: [], at };
    await store.connected({ account, id }, { ...connected, instance: database.instance });
    assert.match(
      await why(),
      /the gateway Home has lost its connection, and connects again by itself; it was last/,
    );
    assert.equal((await whereabouts(database, id)).heardAt, at);
    await store.connected({ account, id }, { ...connected, instance: 'another' });
    const { isElsewhere } = await whereabouts(database, id);
    assert.equal(isElsewhere, engine === 'postgres', 'the embedded database has one process');
    await store.connected({ account, id }, { ...connected, instance: 'another', at: at - 60_000 });
    assert.equal((await whereabouts(database, id)).isElsewhere, false, 'that process has ended');
    await store.disconnected({ account, id }, 'another');
    assert.match(await why(), /is not connected; it was last heard at/);
  });
});

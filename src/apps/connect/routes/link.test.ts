import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import { type Caller, makeWorld, type World } from '../../../../test/kit/world.ts';

type Listed = { id: string; vendor: string; user_ref: string; device_count: number };

onEachEngine('the list of links', (engine) => {
  const first = testVendor({ slug: 'first' });
  const second = testVendor({ slug: 'second' });
  let world: World;
  let caller: Caller;

  const link = async (vendor: string, user: string, of = caller) => {
    const body = { vendor, user_ref: user, credentials: { user, password: 'p' } };
    assert.equal((await of.call('POST', '/link', body)).status, 200);
  };
  const linksOf = async (path: string, of = caller) => (await of.call('GET', path)).body as Listed[];

  /** All pages from this one on, by the addresses in their headers. */
  async function follow(path: string): Promise<Listed[][]> {
    const { status, body, headers } = await caller.call('GET', path);
    assert.equal(status, 200);
    const next = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
    return [body as Listed[], ...(next === undefined ? [] : await follow(next))];
  }

  before(async () => {
    world = await makeWorld({ engine, adapters: [first.adapter, second.adapter] });
    caller = await world.newAccount();
    second.devices = [];
    for (const [index, user] of ['a å', 'b', 'c'].entries()) {
      first.devices = [`light-${index}`, `charger-${index}`];
      await link('first', user);
    }
    for (const user of ['a å', 'b']) await link('second', user);
  });
  after(() => world.close());

  it('the list of links has pages that have each link once, the oldest first, with its own devices counted', async () => {
    const all = await linksOf('/links');
    const pages = await follow('/links?limit=2');
    assert.deepEqual(
      pages.map((page) => page.length),
      [2, 2, 1],
    );
    assert.deepEqual(pages.flat(), all);
    assert.deepEqual(
      all.filter(({ vendor }) => vendor === 'first').map(({ device_count }) => device_count),
      [2, 2, 2],
    );
  });

  it('the list of links keeps its filters from page to page', async () => {
    const ofFirst = await follow('/links?limit=2&vendor=FIRST&status=active');
    assert.deepEqual(
      ofFirst.map((page) => page.map(({ vendor }) => vendor)),
      [['first', 'first'], ['first']],
    );
    const ofUser = await follow(`/links?limit=1&user_ref=${encodeURIComponent('a å')}`);
    assert.deepEqual(
      ofUser.map((page) => page.map(({ user_ref }) => user_ref)),
      [['a å'], ['a å']],
    );
    assert.deepEqual(await linksOf('/links?status=needs_relink'), []);
    assert.deepEqual(await linksOf('/links?user_ref=nobody'), []);
  });

  it('the list of links says what is wrong with a parameter', async () => {
    const faults = [
      ['limit=0', /limit must be a whole number from 1 to 1000/],
      ['limit=1001', /limit must be a whole number from 1 to 1000/],
      ['status=broken', /status must be one of active, needs_relink, unreachable/],
      ['cursor=forged', /cursor must come from this service/],
      ['vendor=first&vendor=second', /vendor must be given once/],
    ] as const;
    for (const [query, sentence] of faults) {
      const { status, body } = await caller.call('GET', `/links?${query}`);
      assert.equal(status, 400, query);
      assert.match((body as { error: string }).error, sentence);
    }
  });

  it('the list of links takes the cursor of another account as a place only', async () => {
    const { headers } = await caller.call('GET', '/links?limit=1');
    const next = /^<([^>]+)>/.exec(headers.get('link') ?? '')?.[1] ?? '';
    const other = await world.newAccount();
    assert.deepEqual(await linksOf(next, other), []);
    first.devices = ['light-9'];
    await link('first', 'z', other);
    assert.deepEqual(
      (await linksOf(next, other)).map(({ user_ref }) => user_ref),
      ['z'],
    );
  });

  it('the list of links is as long as the policy of the account says', async () => {
    const small = await world.newAccount();
    const rates = 'per_minute=1000&per_hour=10000&per_day=100000&burst=100';
    const allow = async (links: number) =>
      (await world.admin('POST', `/admin/users/${small.userId}/policy?${rates}&most_links=${links}`)).status;
    first.devices = [];
    assert.equal(await allow(1), 200);
    await link('first', 'one', small);
    const body = { vendor: 'first', user_ref: 'two', credentials: { user: 'two', password: 'p' } };
    const refused = await small.call('POST', '/link', body);
    assert.deepEqual([refused.status, refused.headers.get('elnav-error')], [409, 'link.too_many']);
    assert.equal(await allow(2), 200);
    await link('first', 'two', small);
    assert.equal((await linksOf('/links', small)).length, 2);
  });
});

import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { ADMIN, accountsWorld } from '../../../../test/kit/accounts.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { type OperatorBrowser, openOperatorPages } from '../../../../test/kit/operator-pages.ts';
import { createLinkedVendors } from '../../../domain/links/vendor-states/index.ts';

const NAMED = [
  { slug: 'easee', name: 'Easee' },
  { slug: 'tesla', name: '<b>Tesla</b>' },
  { slug: 'zaptec', name: 'Zaptec' },
];
/** A user and a device of theirs, which no operator sees. */
const [PERSON, DEVICE] = ['anna-at-home', 'Annas laddbox'];

onEachEngine("the vendors on the operator's page of an account", (engine) => {
  const world = accountsWorld(engine);
  let operator: OperatorBrowser;
  let account = 0;
  before(async () => {
    const { database } = world;
    const linkedVendors = createLinkedVendors({ database, vendors: NAMED });
    operator = await (await openOperatorPages(world, { linkedVendors })).signedIn();
    account = await newAccount('volta@example.com');
    const other = await newAccount('other@example.com');
    await link(account, 'tesla', 'needs_relink', 0);
    await link(account, 'tesla', 'needs_relink', 2);
    await link(account, 'easee', 'active', 1_200);
    await link(account, 'easee', 'active', 34);
    await link(account, 'easee', 'unreachable', 1);
    await link(account, 'gone', 'active', 1);
    await link(other, 'easee', 'active', 5);
    await link(other, 'easee', 'needs_relink', 5);
    await link(other, 'zaptec', 'active', 7);
  });

  const newAccount = async (email: string) =>
    (await world.accounts.users.create({ email, name: '', tier: 'pro' }, ADMIN)).id;

  let links = 0;
  async function link(of: number, vendor: string, status: string, devices: number): Promise<void> {
    const { queries } = world.database;
    const now = world.clock.now();
    links += 1;
    const id = `link-${links}`;
    const owned = { account_id: of, vendor, user_ref: PERSON, created_at: now };
    await queries
      .insertInto('links')
      .values({
        ...{ ...owned, id, vendor_account: id, status, status_since: now, status_reason: null },
        ...{ updated_at: now, vault_key: 'k', sealed_credentials: 's', refused_since: null },
        ...{ gateway_id: null, price_area: null },
      })
      .execute();
    const rows = Array.from({ length: devices }, (_, at) => ({
      ...{ ...owned, id: `${id}-${at}`, link_id: id, device_type: 'charger', name: DEVICE },
      ...{ capabilities_json: '[]', details_json: '{}' },
    }));
    // PostgreSQL takes at most 65,535 values in a statement.
    for (let from = 0; from < rows.length; from += 1_000)
      await queries
        .insertInto('devices')
        .values(rows.slice(from, from + 1_000))
        .execute();
  }

  /** The section of a page, and the cells of its table. */
  async function shown(of: number) {
    const { status, text } = await operator.get(`/operator/accounts/${of}`);
    assert.equal(status, 200);
    const section =
      /<section class="part" aria-labelledby="vendors">[\s\S]*?<\/section>/.exec(text)?.[0] ?? '';
    const rows = [...section.matchAll(/<tr>(<th scope="row">.*?)<\/tr>/g)].map(([, row = '']) =>
      [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, cell = '']) => cell),
    );
    return { text, section, rows };
  }

  it("the vendors on the operator's page of an account have each a row with its links by state and its devices, of this account alone", async () => {
    const { rows } = await shown(account);
    assert.deepEqual(
      rows.map((cells) => cells.slice(0, 5)),
      [
        ['&lt;b&gt;Tesla&lt;/b&gt;', '0', '0', '2', '2'],
        ['Easee', '2', '1', '0', '1,235'],
        // A vendor that this version does not know.
        ['gone', '1', '0', '0', '1'],
      ],
    );
  });

  it("the vendors on the operator's page of an account lead to their row on the page of health, and to the requests of the account", async () => {
    const { section, rows } = await shown(account);
    assert.equal(
      rows[1]?.[5],
      '<a href="/operator/health#vendor-easee">Health<span class="hidden-visually"> Easee</span></a>',
    );
    assert.match(section, new RegExp(`href="/operator/requests\\?account=${account}"`));
  });

  it("the vendors on the operator's page of an account are counted without anything about the people", async () => {
    const { text } = await shown(account);
    for (const own of [PERSON, DEVICE, 'link-1']) assert.ok(!text.includes(own), own);
  });

  it("the vendors on the operator's page of an account are none before the first link", async () => {
    const { section, rows } = await shown(await newAccount('new@example.com'));
    assert.deepEqual(rows, []);
    assert.match(section, /No links\./);
    assert.doesNotMatch(section, /<table/);
  });
});

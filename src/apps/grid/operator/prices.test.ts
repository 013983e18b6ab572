import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { accountsWorld } from '../../../../test/kit/accounts.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { everyDay, fakeSource, pricesOf } from '../../../../test/kit/market.ts';
import { type OperatorBrowser, openOperatorPages } from '../../../../test/kit/operator-pages.ts';
import type { Prices } from '../../../domain/market/prices/index.ts';

onEachEngine("the operator's page of prices", (engine) => {
  const world = accountsWorld(engine);
  let prices: Prices;
  let operator: OperatorBrowser;
  let reader: OperatorBrowser;
  before(async () => {
    prices = (
      await pricesOf(world.database, {
        clock: world.clock,
        sources: [fakeSource(world.clock, 'entsoe', { answer: everyDay })],
      })
    ).prices;
    const pages = await openOperatorPages(world, { prices });
    operator = await pages.signedIn();
    reader = await pages.signedIn();
    await operator.turnOnChanges();
  });
  const form = (changed: Readonly<Record<string, string>> = {}) => ({
    ...{ from: '2026-10-01', to: '2026-10-03', area: 'SE3', refresh: 'no' },
    ...changed,
  });
  const fetched = () => prices.backfill.list();

  it("the operator's page of prices says that nothing is stored yet, and offers a form only where changes are on", async () => {
    const { text } = await operator.get('/operator/prices');
    assert.match(text, /No prices are stored yet/);
    assert.match(text, /There was no back-fill yet/);
    assert.match(text, /name="from" type="date"/);
    const read = (await reader.get('/operator/prices')).text;
    assert.match(read, /You are only reading\. Turn on changes/);
    assert.doesNotMatch(read, /name="from"/);
  });

  it("the operator's page of prices sends the form back with what is wrong beside its field, and keeps what was written", async () => {
    for (const [changed, fault] of [
      [{ from: '2026-02-30' }, /id="from-fault">Write a day such as/],
      [{ from: '2026-10-09' }, /id="to-fault">The last day must not be before the first one, 2026-10-09\./],
      [{ to: '2031-01-01' }, /id="to-fault">Prices are published for one day ahead: write 2026-11-22/],
      [{ from: '1990-01-01' }, /id="to-fault">A back-fill is at most 20 years long/],
      [{ area: 'SE5' }, /id="areas-fault">Choose at least one price area/],
    ] as const) {
      const { status, text } = await operator.post('/operator/prices/backfill', form(changed));
      assert.equal(status, 422, JSON.stringify(changed));
      assert.match(text, fault);
      assert.ok(text.includes(`value="${form(changed).to}"`));
    }
    assert.deepEqual(await fetched(), []);
  });

  it("the operator's page of prices fetches nothing without changes turned on, or without a confirmation", async () => {
    assert.equal((await reader.post('/operator/prices/backfill', form())).status, 403);
    const { status, text } = await operator.post('/operator/prices/backfill', form());
    assert.equal(status, 200);
    assert.match(text, /Fetch 3 days \(2026-10-01 to 2026-10-03\) of SE3, only days that are missing\?/);
    assert.deepEqual(await fetched(), []);
  });

  it("the operator's page of prices begins a back-fill, shows how far it is, and cancels it; both are in the audit trail", async () => {
    const { made } = await operator.confirm('/operator/prices/backfill', form());
    assert.equal(made.status, 303);
    const [one, ...others] = await fetched();
    assert.deepEqual(others, []);
    assert.deepEqual(
      [one?.from, one?.until, one?.areas, one?.refresh, one?.status],
      ['2026-10-01', '2026-10-03', ['SE3'], false, 'running'],
    );
    const shown = (await operator.get(String(made.headers.location))).text;
    assert.match(shown, /The back-fill has begun\./);
    assert.match(shown, /<progress[^>]* max="3" value="0"[^>]*>0 of 3 days<\/progress>/);
    assert.doesNotMatch(shown, /name="from"/, 'another one cannot be begun');
    assert.doesNotMatch((await reader.get('/operator/prices')).text, /\/cancel"/);

    const { asked, made: ended } = await operator.confirm(`/operator/prices/backfill/${one?.id}/cancel`);
    assert.match(asked.text, /Cancel the back-fill of 2026-10-01 to 2026-10-03\? 3 days are left/);
    assert.equal(ended.status, 303);
    assert.equal((await fetched())[0]?.status, 'cancelled');
    const actions = (await world.accounts.audit({ limit: 10 })).map(({ action, target }) => [action, target]);
    assert.deepEqual(actions.slice(0, 2), [
      ['backfill.cancelled', `backfill/${one?.id}`],
      ['backfill.begun', `backfill/${one?.id}`],
    ]);
    assert.equal((await operator.post('/operator/prices/backfill/nothing/cancel')).status, 404);

    const again = await operator.confirm(`/operator/prices/backfill/${one?.id}/cancel`);
    const after = (await operator.get(String(again.made.headers.location))).text;
    assert.match(after, /The back-fill had ended before it could be cancelled\./);
    assert.deepEqual(
      (await world.accounts.audit({ limit: 10 })).map(({ action, target }) => [action, target]),
      actions,
      'what did not happen is not audited',
    );
  });

  it("the operator's page of prices shows holes in a month, and the source of each day", async () => {
    const day = (area: string, date: string, source: string) => ({
      ...{ area, day: date, start_at: Date.parse(date), end_at: Date.parse(date) + 1, slot_min: 60 },
      ...{ mean: '0.1', exchange_rate: null, converted: 0, source, published_at: null },
      ...{ fingerprint: 'f', fetched_at: 0, checked_at: 0 },
    });
    await world.database.queries
      .insertInto('price_days')
      .values([
        day('SE3', '2026-11-19', 'entsoe'),
        day('SE3', '2026-11-20', '<b>odd'),
        day('SE4', '2026-11-20', 'entsoe'),
        // Tomorrow hides no hole.
        day('SE3', '2026-11-22', 'entsoe'),
      ])
      .execute();
    const { text } = await operator.get('/operator/prices?month=2026-11');
    const calendars = text.split('<caption>');
    const se3 = calendars.find((one) => one.startsWith('SE3')) ?? '';
    assert.match(se3, /19 <abbr title="ENTSO-E Transparency Platform">B<\/abbr>/);
    assert.match(se3, /20 <abbr title="&lt;b&gt;odd">A<\/abbr>/);
    assert.match(se3, /class="price-hole">18 /);
    assert.doesNotMatch(se3, /class="price-hole">22 /, 'tomorrow may not be published yet');
    assert.match(text, /<strong class="health-bad">2 of 21<\/strong>/);
    const before = (await operator.get('/operator/prices?month=2026-02')).text;
    assert.match(before, /SE1, February 2026/);
    assert.match(before, /href="\/operator\/prices\?month=2026-03#stored" rel="next"/);
    assert.match((await operator.get('/operator/prices?month=nonsense')).text, /SE1, November 2026/);
  });
});

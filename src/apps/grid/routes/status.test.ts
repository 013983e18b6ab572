import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assets } from '../../../../test/kit/assets.ts';
import { bareServer } from '../../../../test/kit/bare-server.ts';
import { makePlace, type Place } from '../../../../test/kit/databases.ts';
import { everyDay, fakeSource, pricesOf, productionOf, scriptedSource } from '../../../../test/kit/market.ts';
import { until } from '../../../../test/kit/until.ts';
import { type TurnedClock, turnedClock } from '../../../core/clock.ts';
import type { VendorStates } from '../../../domain/links/vendor-states/index.ts';
import type { Probe } from '../../../http/health.ts';
import { addStatusRoute } from './status.ts';

const SECRET = 'postgres://elnav:hunter2@10.0.0.7/elnav';
const VENDORS = [
  { slug: 'easee', name: 'Easee' },
  { slug: 'tesla', name: 'Tesla' },
];

describe('the status', () => {
  const closers: (() => Promise<unknown>)[] = [];
  let database: Awaited<ReturnType<Place['open']>>;
  let clock: TurnedClock;
  before(async () => {
    const place = await makePlace('sqlite');
    database = await place.open();
    closers.push(
      () => place.remove(),
      () => database.close(),
    );
    clock = turnedClock(Date.parse('2026-11-21T13:07:00Z'));
  });
  after(async () => {
    for (const close of closers.reverse()) await close();
  });

  interface Wanted {
    readonly isFetching?: boolean;
    readonly servesConnect?: boolean;
    readonly vendorStates?: VendorStates;
  }

  /** The route with what it looks at: probes that fail by their names, and how often one was asked. */
  async function make({ isFetching = true, servesConnect = true, vendorStates }: Wanted = {}) {
    const { prices } = await pricesOf(database, {
      clock,
      sources: [fakeSource(clock, 'elprisetjustnu', { answer: everyDay })],
      isOn: isFetching,
    });
    const { production } = await productionOf(database, {
      clock,
      ...(isFetching ? { source: scriptedSource() } : {}),
    });
    prices.start();
    production.start();
    await until('figures are there', () => !isFetching || production.health().unit !== null);
    await until('prices are there', () => !isFetching || prices.health().status === 'ok');
    const failing = new Set<string>();
    let looks = 0;
    const probe = (name: string, vital = false): Probe => ({
      name,
      vital,
      async check() {
        if (name === 'database') looks += 1;
        if (failing.has(name)) throw new Error(`${SECRET} is away`);
        return 'ok';
      },
    });
    const { app } = bareServer({ clock });
    addStatusRoute(app, {
      assets,
      probes: [probe('database', true), probe('redis'), probe('mail')],
      prices,
      production,
      vendors: VENDORS,
      vendorStates:
        vendorStates ??
        (async () => VENDORS.map((one) => ({ ...one, state: one.slug === 'easee' ? 'ok' : 'blocked' }))),
      servesConnect,
      clock,
    });
    await app.ready();
    closers.push(async () => {
      await app.close();
      await production.close();
      await prices.close();
    });
    const get = (headers: Record<string, string>) => app.inject({ url: '/status', headers });
    return {
      failing,
      looks: () => looks,
      json: async () => {
        const answer = await get({ accept: 'application/json' });
        assert.equal(answer.statusCode, 200);
        assert.ok(!answer.body.includes('hunter2'));
        return answer.json();
      },
      page: async (language = 'en') => {
        const answer = await get({ accept: 'text/html', 'accept-language': language });
        assert.equal(answer.statusCode, 200);
        assert.ok(!answer.body.includes('hunter2'));
        return answer.body;
      },
    };
  }

  it('the status says what works as JSON: services, figures by area, vendors', async () => {
    const { json } = await make();
    const { prices, production, checked_at, ...rest } = await json();
    assert.deepEqual(rest, {
      state: 'ok',
      services: { grid: 'ok', connect: 'ok' },
      database: 'ok',
      mail: 'ok',
      vendors: [
        { vendor: 'easee', name: 'Easee', state: 'ok' },
        { vendor: 'tesla', name: 'Tesla', state: 'blocked' },
      ],
    });
    assert.equal(checked_at, '2026-11-21T13:07:00.000Z');
    assert.equal(prices.state, 'ok');
    assert.deepEqual(prices.areas[2], {
      area: 'SE3',
      until: '2026-11-22T23:00:00.000Z',
      source: 'elprisetjustnu',
    });
    assert.equal(production.areas.length, 4);
    assert.match(production.areas[0].until, /^2026-11-/);
  });

  it('the status says it as a page in both languages', async () => {
    const { page } = await make();
    const en = await page('en');
    assert.match(en, /<h1>Status<\/h1>/);
    assert.match(en, /Everything works/);
    assert.match(en, /<dt>Tesla<\/dt><dd>Refuses our calls for a while/);
    assert.match(en, /<th scope="row">SE3<\/th><td>Sun 22 Nov 24:00<\/td><td>Elpriset just nu\.se<\/td>/);
    assert.match(en, /<a href="\/status">Status<\/a>/, 'the foot of each page leads here');
    const sv = await page('sv');
    assert.match(sv, /<html lang="sv">/);
    assert.match(sv, /Allt fungerar/);
    assert.match(sv, /Kontrollerat kl\. 14:07/);
  });

  it('the status is looked at once in ten seconds, however often it is asked for', async () => {
    const { json, page, looks } = await make();
    await Promise.all(Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? json() : page())));
    assert.equal(looks(), 1);
    clock.turn(10_000);
    await json();
    assert.equal(looks(), 2);
  });

  it('the status is in trouble with a part, and down without the database; it says which, and no more', async () => {
    const { json, page, failing } = await make();
    const later = async () => {
      clock.turn(10_000);
      return json();
    };
    failing.add('mail');
    const withoutMail = await later();
    assert.deepEqual(
      [withoutMail.state, withoutMail.mail, withoutMail.services.grid],
      ['trouble', 'trouble', 'ok'],
    );
    failing.delete('mail');
    failing.add('redis');
    const withoutRedis = await later();
    assert.deepEqual(
      [withoutRedis.state, withoutRedis.services],
      ['trouble', { grid: 'trouble', connect: 'trouble' }],
    );
    failing.add('database');
    assert.deepEqual([(await later()).state, (await json()).database], ['down', 'down']);
    assert.match(await page(), /The service is down/);
  });

  it('the status says what it does not know', async () => {
    const { json, page } = await make({
      isFetching: false,
      servesConnect: false,
      vendorStates: () => new Promise(() => {}),
    });
    const answer = json();
    await until('the vendors were given two seconds', async () => {
      clock.turn(500);
      return Promise.race([
        answer.then(() => true),
        new Promise<boolean>((done) => setImmediate(done, false)),
      ]);
    });
    const { services, prices, production, vendors } = await answer;
    assert.deepEqual(services, { grid: 'ok', connect: 'unknown' });
    assert.deepEqual([prices.state, production.state], ['off', 'off']);
    assert.deepEqual(new Set(vendors.map(({ state }: { state: string }) => state)), new Set(['unknown']));
    const shown = await page();
    assert.match(shown, /Connect: devices<\/dt><dd>Not known: it runs apart/);
    assert.match(shown, /switched off that new figures are fetched/);
  });
});

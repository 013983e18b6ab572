import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import {
  everyDay,
  type FakeSource,
  fakeSource,
  reportedDay,
  type ScriptedSource,
  scriptedSource,
} from '../../../../test/kit/market.ts';
import { until } from '../../../../test/kit/until.ts';
import { callJson, makeWorld, type World } from '../../../../test/kit/world.ts';
import { type TurnedClock, turnedClock } from '../../../core/clock.ts';
import { QUARTER_MS } from '../../../core/durations.ts';

type Item = Readonly<Record<string, unknown>>;

/** A listener to server-sent events. */
interface Listener {
  readonly status: number;
  readonly headers: Headers;
  text(): string;
  /** Data of the events of a name, in order. */
  events(name: string): unknown[];
  readonly ended: Promise<void>;
  hangUp(): void;
}

async function listen(url: string, headers: Record<string, string> = {}): Promise<Listener> {
  const stopping = new AbortController();
  const answer = await fetch(url, { headers, signal: stopping.signal });
  let text = '';
  const ended = (async () => {
    for await (const part of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) text += part;
  })().catch(() => {});
  return {
    status: answer.status,
    headers: answer.headers,
    text: () => text,
    events: (name) =>
      [...text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)]
        .filter(([, one]) => one === name)
        .map(([, , data = '']) => JSON.parse(data)),
    ended,
    hangUp: () => stopping.abort(),
  };
}

onEachEngine('prices and production', (engine) => {
  let world: World;
  let clock: TurnedClock;
  let prices: FakeSource;
  let production: ScriptedSource;
  before(async () => {
    // Summer time ended four days before.
    clock = turnedClock(Date.parse('2026-10-29T09:07:00Z'));
    prices = fakeSource(clock, 'told');
    production = scriptedSource();
    world = await makeWorld({
      engine,
      clock,
      priceSources: [prices],
      productionSource: production,
    });
    for (const what of ['prices', 'production']) {
      await until(`${what} are there`, async () => (await get(`/api/v1/${what}/current`)).status === 200);
    }
    const path = '/admin/prices/backfill?from=2026-03-28&to=2026-03-30&area=se3';
    assert.equal((await world.admin('POST', path)).status, 200);
    await filledIn();
    assert.equal(
      (await world.admin('POST', '/admin/prices/backfill?from=2026-10-24&to=2026-10-26')).status,
      200,
    );
    await filledIn();
  });
  after(() => world.close());
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${world.grid}${path}`, { headers });
  const json = async (path: string) => {
    const answer = await get(path);
    assert.equal(answer.status, 200, path);
    return (await answer.json()) as Item[];
  };
  const filledIn = () =>
    until('back-fills are over', async () => {
      // They take their time, to spare the sources.
      clock.turn(100);
      const list = (await (await world.admin('GET', '/admin/prices/backfill')).json()) as Item[];
      return list.every(({ status }) => status === 'done');
    });
  const detailOf = async (path: string) => {
    const answer = await get(path);
    assert.equal(answer.status, 422, path);
    return ((await answer.json()) as { detail: Item[] }).detail;
  };

  it('prices and production spot has the prices from the current slot on, which can be planned with as they are', async () => {
    const items = await json('/api/v1/prices/spot?area=SE3');
    assert.deepEqual(Object.keys(items[0] ?? {}), [
      'area',
      'start',
      'end',
      'duration_min',
      'price',
      'currency',
      'unit',
      'price_eur',
      'exchange_rate',
      'converted',
      'published_at',
      'source',
    ]);
    assert.equal(items[0]?.start, '2026-10-29T09:00:00.000Z');
    assert.equal(items[0]?.end, '2026-10-29T09:15:00.000Z');
    assert.equal(items[0]?.duration_min, 15);
    assert.equal(items[0]?.currency, 'SEK');
    assert.match(String(items[0]?.price), /^-?\d+(\.\d+)?$/);
    const { key } = await world.newAccount();
    const task = {
      current_soc: 20,
      target_soc: 80,
      capacity_wh: 50_000,
      max_power_w: 11_000,
      min_power_w: 0,
      deadline_slot_index: 1_000,
    };
    const plan = await callJson(`${world.connect}/optimize/plan`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ prices: items, task, device_profile: { kind: 'battery' } }),
    });
    assert.equal(plan.status, 200, JSON.stringify(plan.body));
  });

  it('prices and production spot takes an area in either case, and all without one', async () => {
    const one = await json('/api/v1/prices/spot?area=SE3');
    assert.deepEqual(await json('/api/v1/prices/spot?area=se3'), one);
    const all = await json('/api/v1/prices/spot');
    assert.deepEqual(await json('/api/v1/prices/spot?area='), all);
    assert.deepEqual([...new Set(all.map(({ area }) => area))], ['SE1', 'SE2', 'SE3', 'SE4']);
    assert.equal(all.length, one.length * 4);
  });

  it('an unknown area is 422 in the shape of the specification', async () => {
    for (const path of [
      '/api/v1/prices/spot?area=SE5',
      '/api/v1/prices/stream?area=SE5',
      '/api/v1/prices/history?area=SE5&from=2026-10-25',
      '/api/v1/production/history?area=SE5&from=2026-10-25',
    ]) {
      assert.deepEqual(await detailOf(path), [
        {
          type: 'literal_error',
          loc: ['query', 'area'],
          msg: "Input should be 'SE1', 'SE2', 'SE3' or 'SE4'",
          input: 'SE5',
          ctx: { expected: "'SE1', 'SE2', 'SE3' or 'SE4'" },
        },
      ]);
    }
  });

  it('prices and production current has now and the mean of the Swedish day', async () => {
    const body = (await json('/api/v1/prices/current')) as unknown as Item;
    assert.deepEqual(Object.keys(body), ['today', 'now', 'today_avg', 'unit', 'source']);
    assert.equal(body.today, '2026-10-29');
    assert.equal(body.unit, 'SEK/kWh');
    const [spot] = await json('/api/v1/prices/spot?area=SE4');
    assert.equal((body.now as Item).SE4, spot?.price);
  });

  it('an answer that has not changed is 304, and is fresh until the slot ends at most', async () => {
    for (const path of ['/api/v1/prices/spot', '/api/v1/prices/current', '/api/v1/production/current']) {
      const first = await get(path);
      const etag = first.headers.get('etag') ?? '';
      assert.match(first.headers.get('cache-control') ?? '', /^private, max-age=\d+, must-revalidate$/);
      await first.text();
      const second = await get(path, { 'if-none-match': etag });
      assert.equal(second.status, 304, path);
    }
  });

  it('prices and production history has 92 and 100 slots on the days on which the clocks change', async () => {
    const of = (day: string, resolution = 'slot') =>
      json(`/api/v1/prices/history?area=SE3&from=${day}&to=${day}&resolution=${resolution}`);
    assert.equal((await of('2026-03-29')).length, 92);
    assert.equal((await of('2026-10-25')).length, 100);
    assert.equal((await of('2026-03-29', 'hour')).length, 23);
    assert.equal((await of('2026-10-25', 'hour')).length, 25);
    const [day, ...others] = await of('2026-10-25', 'day');
    assert.deepEqual(others, []);
    assert.equal(day?.start, '2026-10-24T22:00:00.000Z');
    assert.equal(day?.end, '2026-10-25T23:00:00.000Z');
    assert.equal(day?.duration_min, 25 * 60);
  });

  it('prices and production history takes days, the last one included, and moments, the last one excluded', async () => {
    const days = await json('/api/v1/prices/history?area=SE3&from=2026-10-24&to=2026-10-26');
    assert.equal(days.length, 96 + 100 + 96);
    const zone = encodeURIComponent('2026-10-24T00:00:00+02:00');
    const moments = await json(`/api/v1/prices/history?area=SE3&from=${zone}&to=2026-10-26T23:00:00Z`);
    assert.deepEqual(moments, days);
    // An offset whose + was not encoded.
    const bare = await json('/api/v1/prices/history?area=SE3&from=2026-10-24T00:00:00+02:00&to=2026-10-26');
    assert.deepEqual(bare, days);
    const all = await json('/api/v1/prices/history?from=2026-10-25&to=2026-10-25');
    assert.deepEqual(
      all.map(({ area }) => area),
      ['SE1', 'SE2', 'SE3', 'SE4'].flatMap((area) => Array(100).fill(area)),
    );
  });

  it('prices and production history is CSV with a header line, by parameter or Accept', async () => {
    const path = '/api/v1/prices/history?area=SE3&from=2026-10-25&to=2026-10-25';
    const rows = await json(path);
    const text = await (await get(`${path}&format=csv`)).text();
    assert.equal(await (await get(path, { accept: 'text/csv' })).text(), text);
    const [header = '', ...lines] = text.split('\r\n');
    assert.equal(header, Object.keys(rows[0] ?? {}).join(','));
    assert.equal(lines.pop(), '');
    assert.deepEqual(
      lines,
      rows.map((row) => Object.values(row).join(',')),
    );
  });

  it('prices and production history of past days is fresh for longer than that of today', async () => {
    const ageOf = async (day: string) => {
      const answer = await get(`/api/v1/prices/history?from=${day}&to=${day}`);
      await answer.text();
      return Number(/max-age=(\d+)/.exec(answer.headers.get('cache-control') ?? '')?.[1]);
    };
    assert.ok((await ageOf('2026-10-28')) > (await ageOf('2026-10-29')));
  });

  it('prices and production history says what is wrong with a range', async () => {
    const path = '/api/v1/prices/history';
    assert.deepEqual(await detailOf(path), [
      { type: 'missing', loc: ['query', 'from'], msg: 'Field required', input: null },
    ]);
    for (const [query, msg] of [
      ['from=2026-02-30', /from.*must be a day/],
      ['from=yesterday', /must be a day/],
      ['from=2026-10-25T00:00:00', /must be a day/],
      ['from=2026-10-25&to=2026-10-24', /to must lie after from/],
      ['from=2016-01-01&to=2026-01-01', /at most five years apart/],
      ['from=2026-10-25&resolution=week', /Input should be 'slot', 'hour' or 'day'/],
      ['from=2026-10-25&format=xml', /Input should be 'json' or 'csv'/],
    ] as const) {
      const [item] = await detailOf(`${path}?${query}`);
      assert.match(`${String(item?.loc)} ${item?.msg}`, msg, query);
    }
    assert.equal((await get(`${path}?from=2021-01-01&to=2025-12-31`)).status, 200);
  });

  it('prices and production production has the newest slot of each area in MW, and its history', async () => {
    const current = await json('/api/v1/production/current');
    assert.deepEqual(Object.keys(current[0] ?? {}), [
      'area',
      'start',
      'end',
      'unit',
      'total',
      'hydro',
      'nuclear',
      'wind',
      'solar',
      'thermal',
      'other',
      'source',
    ]);
    assert.equal(current[2]?.total, 8_000);
    assert.equal(current[2]?.unit, 'MW');
    const day = await json('/api/v1/production/history?area=SE3&from=2026-10-25&to=2026-10-25');
    assert.equal(day.length, 100);
    const csv = await (
      await get('/api/v1/production/history?from=2026-10-25&to=2026-10-25&resolution=day&format=csv')
    ).text();
    assert.equal(
      csv.split('\r\n')[3],
      'SE3,2026-10-24T22:00:00.000Z,2026-10-25T23:00:00.000Z,MW,8000,4000,2000,1000,0,1000,0,esett,1500',
    );
  });

  it('a stream tells the current state, then each slot, and is silent for 20 seconds at most', async () => {
    const stream = await listen(`${world.grid}/api/v1/prices/stream?area=SE3`, { 'last-event-id': 'old' });
    assert.equal(stream.status, 200);
    assert.equal(stream.headers.get('content-type'), 'text/event-stream; charset=utf-8');
    assert.equal(stream.headers.get('access-control-allow-origin'), '*');
    await until('the current state is told', () => stream.events('current').length === 1);
    assert.match(stream.text(), /^retry: \d+\n\nid: \S+\nevent: current\n/);
    assert.deepEqual(Object.keys((stream.events('current')[0] as Item).now as Item), ['SE3']);
    clock.turn(20_000);
    await until('it beats', () => stream.text().endsWith('\n:\n\n'));
    // In steps: the watcher plans its next look after each one.
    for (let ms = 0; ms < QUARTER_MS; ms += 30_000) {
      clock.turn(30_000);
      await setImmediate();
    }
    await until('a slot is told', () => stream.events('slot').length === 1);
    const [items] = stream.events('slot') as Item[][];
    assert.deepEqual(items, [(await json('/api/v1/prices/spot?area=SE3'))[0]]);
    stream.hangUp();
    await stream.ended;
  });

  it('a stream tells a day that is new or corrected, and nothing of what is as it was or past', async () => {
    const stream = await listen(`${world.grid}/api/v1/prices/stream?area=SE3`);
    await until('the current state is told', () => stream.events('current').length === 1);
    const days = () => stream.events('day') as (Item & { readonly prices: Item[] })[];
    const fetched = async (query: string) => {
      assert.equal((await world.admin('POST', `/admin/prices/backfill?${query}`)).status, 200);
      await filledIn();
    };
    await fetched('from=2026-10-30&to=2026-10-30');
    await until('the new day is told', () => days().length === 1);
    const spot = await json('/api/v1/prices/spot?area=SE3');
    const tomorrow = spot.filter(({ start }) => String(start) >= '2026-10-29T23');
    assert.equal(tomorrow.length, 96);
    assert.deepEqual(days(), [{ area: 'SE3', day: '2026-10-30', reason: 'stored', prices: tomorrow }]);
    await fetched('from=2026-10-28&to=2026-10-30&refresh=true');
    prices.answer = ({ day, areas }) =>
      areas.map((area) =>
        reportedDay(area, day, { eur: (index) => 0.07 + 0.03 * Math.sin(index / Number(day.slice(8))) }),
      );
    await fetched('from=2026-10-28&to=2026-10-29&refresh=true');
    prices.answer = everyDay;
    await until('the corrected day is told', () => days().length === 2);
    const corrected = await json('/api/v1/prices/spot?area=SE3');
    const today = corrected.filter(({ start }) => String(start) < '2026-10-29T23');
    assert.notDeepEqual(
      today,
      spot.filter(({ start }) => String(start) < '2026-10-29T23'),
    );
    assert.deepEqual(days().slice(1), [
      { area: 'SE3', day: '2026-10-29', reason: 'corrected', prices: today },
    ]);
    stream.hangUp();
    await stream.ended;
  });

  it('a caller has so many streams at a time, and each counts once', async () => {
    const { key } = await world.newAccount();
    const headers = { 'x-api-key': key };
    const url = `${world.grid}/api/v1/prices/stream?area=SE1`;
    const streams = await Promise.all(Array.from({ length: 10 }, () => listen(url, headers)));
    assert.deepEqual([...new Set(streams.map(({ status }) => status))], [200]);
    const refused = await fetch(url, { headers });
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get('elnav-error'), 'limit.busy');
    assert.equal(refused.headers.get('retry-after'), '30');
    for (const stream of streams) stream.hangUp();
    await until('their places are free', async () => {
      const again = await listen(url, headers);
      again.hangUp();
      return again.status === 200;
    });
    await until('each is counted', async () => {
      const usage = (await (await world.admin('GET', '/admin/usage?limit=100')).json()) as Item[];
      const own = usage.find(
        ({ route, status_class, key_id }) =>
          String(route).endsWith('/stream') && status_class === '2xx' && key_id !== null,
      );
      return own?.count === 11;
    });
  });

  it('a stop ends the streams, and a stream is over when the server is', async () => {
    const other = await makeWorld({
      engine,
      clock: turnedClock(),
      priceSources: [fakeSource(turnedClock(), 'told')],
    });
    await until('prices are there', async () => (await fetch(`${other.grid}/api/v1/prices/current`)).ok);
    const stream = await listen(`${other.grid}/api/v1/prices/stream`);
    await until('it has begun', () => stream.events('current').length === 1);
    await other.close();
    await stream.ended;
  });

  it('prices and production back-fills are audited, and say how they went', async () => {
    const [newest] = (await (await world.admin('GET', '/admin/prices/backfill')).json()) as Item[];
    const one = (await (await world.admin('GET', `/admin/prices/backfill/${newest?.id}`)).json()) as Item;
    assert.deepEqual(one, newest);
    assert.equal(one.status, 'done');
    assert.equal((await world.admin('GET', '/admin/prices/backfill/none')).status, 404);
    const ended = await world.admin('DELETE', `/admin/prices/backfill/${newest?.id}`);
    assert.equal(((await ended.json()) as Item).status, 'done');
    const audit = (await (await world.admin('GET', '/admin/audit?limit=10')).json()) as Item[];
    const target = `backfill/${newest?.id}`;
    assert.deepEqual(
      audit.filter((one) => one.target === target).map(({ action }) => action),
      ['backfill.begun'],
      'it was over, and is not said to be cancelled',
    );
  });

  it('prices and production back-fills say what is wrong with a range, all of it at once', async () => {
    const faultsOf = async (query: string) => {
      const answer = await world.admin('POST', `/admin/prices/backfill?${query}`);
      assert.equal(answer.status, 422, query);
      const { detail } = (await answer.json()) as { detail: Item[] };
      return detail.map(({ type, loc, msg }) => `${type} ${String(loc)}: ${msg}`);
    };
    assert.deepEqual(await faultsOf('from=2026-02-30&to=2026-03-01&refresh=maybe&area=SE9'), [
      'value_error query,from: Value error, it must be a day of the calendar such as 2024-01-01',
      "literal_error query,area: Input should be 'SE1', 'SE2', 'SE3' or 'SE4'",
      'bool_parsing query,refresh: Input should be a valid boolean, unable to interpret input',
    ]);
    for (const [query, fault] of [
      ['from=2026-03-02&to=2026-03-01', 'it must not be before 2026-03-02, which is the first day'],
      ['from=2026-10-01&to=2027-01-01', 'it must not be after 2026-10-30'],
      ['from=2000-01-01&to=2026-01-01', 'it must not be more than 20 years after 2000-01-01'],
    ] as const)
      assert.deepEqual(await faultsOf(query), [`value_error query,to: Value error, ${fault}`]);
  });
});

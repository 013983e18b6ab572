import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { smallTables } from '../../../../test/kit/areas.ts';
import { bareServer } from '../../../../test/kit/bare-server.ts';
import { type TurnedClock, turnedClock } from '../../../core/clock.ts';
import { type Areas, createAreas } from '../../../domain/market/areas/index.ts';
import {
  AddressAnswer,
  CoordinateAnswer,
  GridAreaAnswer,
  GridOwners,
  PlaceAnswer,
  PostalAnswer,
  PriceAreas,
  TaxAnswer,
} from '../lookups/schemas.ts';
import { createPreparedResponses } from '../responses/prepared.ts';
import { addLookupRoutes } from './lookup.ts';
import { addRegionRoutes } from './regions.ts';
import { addTaxRoute } from './tax.ts';

interface Made {
  readonly app: FastifyInstance;
  readonly clock: TurnedClock;
  readonly counted: number[];
  readonly asked: string[];
}

async function makeApp(geocode?: Parameters<typeof createAreas>[0]['geocode']): Promise<Made> {
  const clock = turnedClock();
  const counted: number[] = [];
  const asked: string[] = [];
  const { app } = bareServer({
    clock,
    gate: { admit: () => {}, count: (_request, reply) => void counted.push(reply.statusCode) },
  });
  const areas = createAreas({ tables: smallTables(), clock, geocode });
  // Notes what reaches the tables, so that a test sees what was answered from what is kept.
  const noting: Areas = {
    ...areas,
    postal(code) {
      asked.push(code);
      return areas.postal(code);
    },
  };
  const responses = createPreparedResponses({ clock, validUntil: areas.validUntil });
  addLookupRoutes(app, noting, responses);
  addRegionRoutes(app, areas, responses);
  addTaxRoute(app, areas, responses);
  await app.ready();
  return { app, clock, counted, asked };
}

describe('the look-up routes', () => {
  let made: Made;
  before(async () => {
    made = await makeApp();
  });
  after(() => made.app.close());
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await made.app.inject({ url: `/api/v1/${path}`, headers });
    return { status: answer.statusCode, headers: answer.headers, text: answer.body };
  };
  const faultOf = async (path: string) => {
    const { status, text } = await get(path);
    assert.equal(status, 422, `${path}: ${text}`);
    return (JSON.parse(text) as { detail: unknown[] }).detail;
  };

  it('the look-up routes answer in the shapes that their document has, with nothing besides', async () => {
    const shapes: Readonly<Record<string, TSchema>> = {
      'lookup/postal?code=111%2022': PostalAnswer,
      'lookup/grid-area?code=vbn': GridAreaAnswer,
      'lookup/ort?ort=nas': PlaceAnswer,
      'lookup/address?adress=Storgatan%201&ort=nas': AddressAnswer,
      'lookup/address?adress=Storgatan%201,%20111%2022%20Stockholm': AddressAnswer,
      'lookup/coordinate?lat=59.33&lon=18.06': CoordinateAnswer,
      'regions/elomraden': PriceAreas,
      'regions/grid-owners': GridOwners,
      'tax?kommun=2580&date=2027-05-05': TaxAnswer,
    };
    for (const [path, shape] of Object.entries(shapes)) {
      const { status, text, headers } = await get(path);
      assert.equal(status, 200, `${path}: ${text}`);
      assert.equal(headers['content-type'], 'application/json; charset=utf-8');
      const isObject = Reflect.get(shape, 'type') === 'object';
      const strict = Compile({ ...shape, ...(isObject ? { additionalProperties: false } : {}) });
      const body: unknown = JSON.parse(text);
      assert.ok(
        strict.Check(body),
        `${path}: ${JSON.stringify([...strict.Errors(body)].slice(0, 2))} ${text}`,
      );
    }
  });

  it('the look-up routes say what is wrong with a postal code as pydantic does', async () => {
    const fault = (type: string, msg: string, input: string, ctx: object) => [
      { type, loc: ['query', 'code'], msg, input, ctx },
    ];
    assert.deepEqual(
      await faultOf('lookup/postal?code=1112'),
      fault('string_too_short', 'String should have at least 5 characters', '1112', { min_length: 5 }),
    );
    assert.deepEqual(
      await faultOf('lookup/postal?code=111222'),
      fault('string_too_long', 'String should have at most 5 characters', '111222', { max_length: 5 }),
    );
    for (const input of ['1112x', '11 122', '-1112', '１１１２２']) {
      assert.deepEqual(
        await faultOf(`lookup/postal?code=${encodeURIComponent(input)}`),
        fault('string_pattern_mismatch', "String should match pattern '^\\d{5}$'", input, {
          pattern: '^\\d{5}$',
        }),
      );
    }
    assert.deepEqual(await faultOf('lookup/postal'), [
      { type: 'missing', loc: ['query', 'code'], msg: 'Field required', input: null },
    ]);
    assert.deepEqual(
      (await faultOf('lookup/address?postnr=12')).map((item) => Reflect.get(Object(item), 'loc')),
      [
        ['query', 'adress'],
        ['query', 'postnr'],
      ],
    );
  });

  it('the look-up routes want two letters to search, without the spaces around them', async () => {
    for (const input of ['s', ' s ', '  ', '', '\u00a0å\u00a0']) {
      assert.deepEqual(await faultOf(`search/ort?q=${encodeURIComponent(input)}`), [
        {
          type: 'string_too_short',
          loc: ['query', 'q'],
          msg: 'String should have at least 2 characters',
          input,
          ctx: { min_length: 2 },
        },
      ]);
    }
    const found = JSON.parse((await get('search/ort?q=%20MAL%20')).text) as Record<string, unknown>[];
    assert.deepEqual(found, [
      {
        ort: 'Malmö',
        kommun: { code: '1280', name: 'Malmö' },
        lan: { code: '12', name: 'Skåne län' },
        elomrade: 'SE4',
        postal_codes: ['21100'],
        lat: 55.6,
        lon: 13,
        score: found[0]?.score,
      },
    ]);
    assert.equal((await get('search/ort?q=zz')).text, '[]');
  });

  it('the look-up routes want a name or a code that is more than spaces', async () => {
    for (const [path, name] of [
      ['lookup/ort', 'ort'],
      ['lookup/grid-area', 'code'],
    ] as const)
      for (const input of ['', ' ', '\u00a0'])
        assert.deepEqual(await faultOf(`${path}?${name}=${encodeURIComponent(input)}`), [
          {
            type: 'string_too_short',
            loc: ['query', name],
            msg: 'String should have at least 1 character',
            input,
            ctx: { min_length: 1 },
          },
        ]);
    assert.equal((await get('lookup/ort?ort=%20Malm%C3%B6%20')).status, 200);
  });

  it('the look-up routes say what is wrong with a coordinate', async () => {
    for (const [query, type] of [
      ['lat=north&lon=18', 'float_parsing'],
      ['lat=&lon=18', 'float_parsing'],
      ['lat=nan&lon=18', 'finite_number'],
      ['lat=1e999&lon=18', 'finite_number'],
      ['lat=90.1&lon=18', 'less_than_equal'],
      ['lat=-90.1&lon=18', 'greater_than_equal'],
      ['lat=59&lon=180.5', 'less_than_equal'],
      ['lon=18', 'missing'],
    ] as const) {
      const [fault] = await faultOf(`lookup/coordinate?${query}`);
      assert.equal(Reflect.get(Object(fault), 'type'), type, query);
    }
    const oslo = await get('lookup/coordinate?lat=59.91&lon=10.75');
    assert.deepEqual([oslo.status, oslo.headers['elnav-error']], [404, 'coordinate.outside']);
  });

  it('the look-up routes say what is wrong with a question for the tax', async () => {
    const date = (input: string, error: string) => [
      {
        type: 'date_from_datetime_parsing',
        loc: ['query', 'date'],
        msg: `Input should be a valid date or datetime, ${error}`,
        input,
        ctx: { error },
      },
    ];
    for (const [input, error] of [
      ['2026', 'input is too short'],
      ['2026-13-01', 'month value is outside expected range of 1-12'],
      ['2026-02-29', 'day value is outside expected range'],
      ['2026-02-00', 'day value is outside expected range'],
      ['2026/02/01', 'invalid date separator, expected `-`'],
      ['x026-02-01', 'invalid character in year'],
      ['2026-0x-01', 'invalid character in month'],
      ['2026-01-0x', 'invalid character in day'],
      ['2026-02-01x', 'unexpected extra characters at the end of the input'],
    ] as const) {
      assert.deepEqual(await faultOf(`tax?kommun=0180&date=${input}`), date(input, error));
    }
    for (const query of ['', '?kommun=0180&postal=11122', '?kommun=%20']) {
      const [fault] = await faultOf(`tax${query}`);
      assert.deepEqual(
        [Reflect.get(Object(fault), 'type'), Reflect.get(Object(fault), 'msg')],
        ['value_error', 'Value error, send exactly one of postal and kommun'],
      );
    }
    assert.equal((await get('tax?kommun=0180&date=2024-02-29')).headers['elnav-error'], 'tax.unknown');
    assert.equal((await get('tax?kommun=Ingenstans')).headers['elnav-error'], 'place.not_found');
    assert.equal((await get('tax?postal=999%2099')).headers['elnav-error'], 'place.not_found');
  });

  it('the look-up routes limit the list of owners', async () => {
    const count = async (query: string) =>
      (JSON.parse((await get(`regions/grid-owners${query}`)).text) as unknown[]).length;
    assert.deepEqual([await count(''), await count('?limit=2'), await count('?limit=5000')], [9, 2, 9]);
    for (const limit of ['0', '5001', 'x']) await faultOf(`regions/grid-owners?limit=${limit}`);
  });

  it('the look-up routes keep an answer until the day ends in Sweden, and count who has it already', async () => {
    const { clock, asked, counted } = made;
    const midnight = Date.UTC(2026, 10, 21, 23);
    clock.turn(midnight - clock.now() - 90_000);
    const first = await get('lookup/postal?code=97231');
    assert.equal(first.headers['cache-control'], 'private, max-age=90, must-revalidate');
    const before = asked.length;
    assert.equal((await get('lookup/postal?code=97231')).text, first.text);
    assert.equal(asked.length, before, 'it was not made again');
    counted.length = 0;
    const again = await get('lookup/postal?code=97231', { 'if-none-match': String(first.headers.etag) });
    assert.deepEqual([again.status, again.text, counted], [304, '', [304]]);
    clock.turn(90_000);
    const tomorrow = await get('lookup/postal?code=97231');
    assert.equal(asked.length, before + 1);
    assert.equal(tomorrow.headers['cache-control'], 'private, max-age=86400, must-revalidate');
    assert.equal(tomorrow.headers.etag, first.headers.etag, 'the same body has the same tag');
  });

  it('the look-up routes do not take one question for another', async () => {
    await get('lookup/postal?code=11122');
    assert.equal((await get('lookup/postal?code=11122&code=x')).status, 422, 'the last one counts');
    assert.equal((await get('lookup/ort?ort=11122')).status, 404);
  });

  it('the look-up routes answer or refuse whatever is asked, and never fail', async () => {
    const routes = [
      ['lookup/postal', 'code'],
      ['lookup/grid-area', 'code'],
      ['search/ort', 'q'],
      ['lookup/ort', 'ort'],
      ['lookup/address', 'adress'],
      ['lookup/coordinate', 'lat'],
      ['tax', 'kommun'],
      ['tax', 'date'],
      ['regions/grid-owners', 'limit'],
    ] as const;
    const odd = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }).map((text) => encodeURIComponent(text.toWellFormed())),
      fc.constantFrom(
        '%00',
        '%',
        '%ff',
        '%ed%a0%80',
        '%E2%80%AE%D9%85',
        'x'.repeat(10_000),
        '1&x=2',
        '[]',
        '__proto__',
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...routes), odd, async ([path, name], value) => {
        const { status, headers } = await get(`${path}?${name}=${value}`);
        assert.ok([200, 404, 422].includes(status), `${status} ${path} ${value}`);
        assert.ok(status === 200 || headers['cache-control'] === 'no-store');
      }),
      { numRuns: 400 },
    );
  });
});

describe('the address route with a geocoder', () => {
  it('the address route with a geocoder lets an answer of the geocoder be used for an hour, and one without it not at all', async () => {
    let isUp = true;
    const { app } = await makeApp(async () =>
      isUp ? { lat: 59.33, lon: 18.06, postal_code: '11122', ort: 'Stockholm', precision: 'house' } : null,
    );
    const url = '/api/v1/lookup/address?adress=Vasagatan%201&ort=Stockholm';
    const found = await app.inject({ url });
    assert.deepEqual(
      [found.json().resolved_by, found.headers['cache-control']],
      ['geocoder', 'private, max-age=3600, must-revalidate'],
    );
    isUp = false;
    const without = await app.inject({ url });
    assert.deepEqual(
      [without.json().resolved_by, without.headers['cache-control']],
      ['ort', 'private, no-cache'],
    );
    assert.equal((await app.inject({ url: '/api/v1/lookup/address?adress=x' })).statusCode, 404);
    await app.close();
  });
});

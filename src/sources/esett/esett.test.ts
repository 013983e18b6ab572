import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { type SimulatedEsett, startEsett } from '../../../test/kit/esett.ts';
import { HttpFailure, type HttpFailureKind } from '../../adapter/http.ts';
import { QUARTER_MS } from '../../core/durations.ts';
import type { Json } from '../../core/json.ts';
import { PRICE_AREAS } from '../contract/market.ts';
import { esett } from './index.ts';
import type { EsettFault } from './simulator.ts';
import { translateVolumes } from './translate.ts';

const signal = new AbortController().signal;
/** Settled by 2026-11-21 09:00 UTC, the time of the test clock. */
const DAY = { from: Date.parse('2026-11-18T23:00:00Z'), until: Date.parse('2026-11-19T23:00:00Z') };

const recorded: Json = JSON.parse(readFileSync(new URL('./recorded.json', import.meta.url), 'utf8'));
const row = (fields: Record<string, Json>): Json => [
  { timestampUTC: '2026-01-01T00:00:00Z', mba: 'SE3', total: 1, ...fields },
];
const refusedWith = (pattern: RegExp) => (error: unknown) =>
  error instanceof HttpFailure && error.kind === 'answer_invalid' && pattern.test(error.message);

describe('rows of EXP16/Volumes', () => {
  it('rows of EXP16/Volumes are distinguished by UTC when the local time occurs twice', () => {
    const slots = translateVolumes(recorded).filter(({ area }) => area === 'SE3');
    assert.deepEqual(
      slots.map(({ start, total }) => [new Date(start).toISOString(), total]),
      [
        ['2025-10-25T23:45:00.000Z', 2141.312],
        ['2025-10-26T00:45:00.000Z', 2120.507],
        ['2025-10-26T01:45:00.000Z', 2099.4],
      ],
    );
    assert.ok(slots.every(({ start, end }) => end - start === QUARTER_MS));
  });

  it('rows of EXP16/Volumes add offshore wind to wind, and storage to the other kinds', () => {
    const [first, second, third] = translateVolumes(recorded).filter(({ area }) => area === 'SE3');
    assert.equal(first?.wind, 296.401 + 14.225);
    assert.equal(first?.other, null, 'neither storage nor others');
    assert.equal(second?.other, -1.5);
    assert.equal(third?.other, -0.5);
    assert.equal(third?.solar, null, 'absent');
  });

  it('rows of EXP16/Volumes of other countries are left out', () => {
    assert.deepEqual([...new Set(translateVolumes(recorded).map(({ area }) => area))], ['SE3', 'SE1']);
  });

  it('rows of EXP16/Volumes may name an area by its EIC', () => {
    assert.equal(translateVolumes(row({ mba: '10Y1001A1001A46L' }))[0]?.area, 'SE3');
  });

  it('rows of EXP16/Volumes are hours only when many slots in a row start on the hour', () => {
    const hours = (count: number): Json =>
      Array.from({ length: count }, (_, hour) => ({
        timestampUTC: `2022-01-0${1 + Math.floor(hour / 24)}T${String(hour % 24).padStart(2, '0')}:00:00Z`,
        mba: 'SE3',
        total: 8_000,
      }));
    assert.ok(translateVolumes(hours(24)).every(({ start, end }) => end - start === 4 * QUARTER_MS));
    assert.ok(translateVolumes(hours(3)).every(({ start, end }) => end - start === QUARTER_MS));
  });

  for (const [what, answer, pattern] of [
    ['an object', {}, /not a list/],
    ['a row that is no object', [7], /row 0 is not an object/],
    ['a row without a time', [{ mba: 'SE3' }], /row 0 has no timestampUTC/],
    ['an invalid time', row({ timestampUTC: '2026-13-01T00:00:00Z' }), /timestampUTC/],
    ['a local time with an offset', row({ timestampUTC: '2026-01-01T00:00:00+01:00' }), /timestampUTC/],
    ['a figure in words', row({ hydro: '12' }), /hydro that is not a number/],
    [
      'an infinite figure',
      JSON.parse('[{"timestampUTC":"2026-01-01T00:00:00Z","mba":"SE3","wind":1e999}]'),
      /wind/,
    ],
  ] as const satisfies readonly (readonly [string, Json, RegExp])[]) {
    it(`rows of EXP16/Volumes are not understood: ${what}`, () => {
      assert.throws(() => translateVolumes(answer), refusedWith(pattern));
    });
  }
});

describe('the source eSett', () => {
  let served: SimulatedEsett;
  before(async () => {
    served = await startEsett();
  });
  after(() => served.close());
  const fetchDay = () => esett.fetchVolumes({ http: served.http, signal }, { ...DAY, areas: PRICE_AREAS });

  it('the source eSett requests a range and each area by its EIC', async () => {
    await esett.fetchVolumes({ http: served.http, signal }, { ...DAY, areas: ['SE3', 'SE4'] });
    const asked = served.simulator.calls().at(-1);
    assert.equal(asked?.pathname, '/EXP16/Volumes');
    assert.equal(asked?.searchParams.get('start'), '2026-11-18T23:00:00.000Z');
    assert.equal(asked?.searchParams.get('end'), '2026-11-19T23:00:00.000Z');
    assert.deepEqual(asked?.searchParams.getAll('mba'), ['10Y1001A1001A46L', '10Y1001A1001A47J']);
  });

  it('the source eSett returns every area and slot of a day, by start then area', async () => {
    served.simulator.forget();
    const slots = await fetchDay();
    assert.equal(slots.length, 96 * 4);
    assert.deepEqual(
      slots.slice(0, 5).map(({ area }) => area),
      [...PRICE_AREAS, 'SE1'],
    );
    assert.equal(slots[0]?.start, DAY.from);
    assert.equal(slots.at(-1)?.end, DAY.until);
    for (const { total, hydro, nuclear, wind, solar, thermal, other } of slots) {
      const sum = [hydro, nuclear, wind, solar, thermal, other].reduce<number>(
        (all, one) => all + (one ?? 0),
        0,
      );
      assert.ok(Math.abs(sum - (total ?? 0)) < 0.01, `${sum} and ${total}`);
    }
  });

  it('the source eSett treats 204 as no data', async () => {
    served.simulator.forget();
    served.simulator.fault('no_data');
    assert.deepEqual(await fetchDay(), []);
  });

  for (const [fault, kind] of [
    ['down', 'server_error'],
    ['rate_limited', 'rate_limited'],
    ['page', 'answer_invalid'],
    ['torn', 'answer_invalid'],
    ['words', 'answer_invalid'],
  ] as const satisfies readonly (readonly [EsettFault, HttpFailureKind])[]) {
    it(`the source eSett fails as ${kind} when the service is ${fault}`, async () => {
      served.simulator.forget();
      served.simulator.fault(fault);
      await assert.rejects(fetchDay(), (error) => error instanceof HttpFailure && error.kind === kind);
    });
  }

  it('the source eSett passes on Retry-After', async () => {
    served.simulator.forget();
    served.simulator.fault('rate_limited');
    await assert.rejects(
      fetchDay(),
      (error) => error instanceof HttpFailure && error.retryAfterSeconds === 120,
    );
  });
});

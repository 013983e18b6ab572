import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { codeOf, gridArea, postalCode, rectangle, smallTables } from '../../../../test/kit/areas.ts';
import { turnedClock } from '../../../core/clock.ts';
import type { PriceArea } from '../../../sources/contract/market.ts';
import { type AreaTables, createAreas, readTables } from './index.ts';

const areasOf = (changed: Partial<AreaTables> = {}) =>
  createAreas({ tables: smallTables(changed), clock: turnedClock() });
const areas = areasOf();

const TAX = {
  rate_ore_per_kwh: '36',
  rate_ore_per_kwh_incl_vat: '45',
  reduced: false,
  valid_from: '2026-01-01',
};

describe('a postal code', () => {
  it('a postal code returns all its facts, in the shape of the contract', () => {
    assert.deepEqual(areas.postal('11122'), {
      postal_code: '11122',
      ort: 'Stockholm',
      kommun: { code: '0180', name: 'Stockholm' },
      lan: { code: '01', name: 'Stockholms län' },
      elomrade: 'SE3',
      grid_areas: [
        {
          code: 'STH',
          name: 'Stockholm',
          eic: null,
          elomrade: 'SE3',
          owner: { id: '14900', name: 'Ellevio AB' },
          confidence: 0.8,
        },
      ],
      energy_tax: TAX,
      source: 'GeoNames; eSett Open Data; Skatteverket',
      confidence: 0.97,
    });
  });

  it('a postal code has a confidence that depends on how the facts were found', () => {
    assert.equal(areas.postal('13200').confidence, 0.8, 'the municipality is of the nearest code');
    const split = areasOf({
      postal_codes: [
        postalCode('10001', 'A', { elomrade: 'SE3' }),
        postalCode('10002', 'B', { elomrade: 'SE4' }),
        postalCode('10003', 'C', { elomrade: 'SE4', elomrade_basis: 'register' }),
      ],
    });
    assert.equal(split.postal('10001').confidence, 0.85, 'two price areas meet in the municipality');
    assert.equal(split.postal('10003').confidence, 0.97, 'the register states it');
  });

  it('a postal code has a note when no grid area can be named', () => {
    const answer = areasOf({ grid_areas: [] }).postal('11122');
    assert.deepEqual(answer.grid_areas, []);
    assert.match(answer.note ?? '', /no grid area was found/);
  });

  it("a postal code has its municipality's tax on the current Swedish day", () => {
    assert.equal(areas.postal('97231').energy_tax?.reduced, true);
    const newYear = turnedClock(Date.UTC(2025, 11, 31, 22, 59));
    const turning = createAreas({ tables: smallTables(), clock: newYear });
    assert.equal(turning.postal('11122').energy_tax?.rate_ore_per_kwh, '43.9');
    assert.equal(turning.validUntil(), Date.UTC(2025, 11, 31, 23));
    newYear.turn(60_000);
    assert.equal(turning.postal('11122').energy_tax?.rate_ore_per_kwh, '36');
    assert.equal(turning.validUntil(), Date.UTC(2026, 0, 1, 23));
  });

  it('a postal code is not found when no table has it', () => {
    assert.throws(() => areas.postal('99999'), { code: 'place.not_found', message: /999 99/ });
  });

  it('a postal code has no tax without a rate', () => {
    assert.equal(areasOf({ tax_rates: [] }).postal('11122').energy_tax, null);
  });
});

describe('grid areas', () => {
  const codes = (code: string) => areas.gridArea(code).grid_areas.map((area) => area.code);

  it('grid areas are found by code, EIC of the price area, or owner', () => {
    assert.deepEqual(codes(' sth '), ['STH']);
    assert.deepEqual(codes('36900'), ['VBN', 'VBS']);
    assert.deepEqual(codes('10y1001a1001a44p'), ['LUL', 'LUR']);
    const withEic = areasOf({ grid_areas: [gridArea('STH', 'Stockholm', { eic: '46Y000000000001X' })] });
    assert.equal(withEic.gridArea('46y000000000001x').grid_areas[0]?.code, 'STH');
  });

  it('grid areas have their owner and the municipalities that they may supply, most likely first', () => {
    assert.deepEqual(areas.gridArea('VBG').grid_areas, [
      {
        code: 'VBG',
        name: 'Varberg',
        type: 'DISTRIBUTION',
        eic: null,
        elomrade: 'SE3',
        owner: { id: '36800', name: 'Varberg Energi Elnät AB' },
        municipalities: [{ code: '1383', name: 'Varberg', confidence: 0.71 }],
      },
    ]);
    const [region] = areas.gridArea('LUR').grid_areas;
    assert.deepEqual([region?.municipalities, region?.owner], [[], { id: null, name: 'Okänd AB' }]);
  });

  it('grid areas that are not found give an error that describes a valid code', () => {
    assert.throws(() => areas.gridArea('XYZ'), {
      code: 'area.not_found',
      message: /STH.*10Y1001A1001A46L.*14900/,
    });
    assert.throws(() => areas.gridArea('46600'), {
      code: 'area.not_found',
      message: /Årsunda Kraft.*no grid area/,
    });
  });

  it('grid areas are listed by owner in Swedish sort order, unregistered owners included', () => {
    const owners = areas.gridOwners();
    assert.deepEqual(
      owners.map(({ name }) => name),
      [
        'Affärsverken Elnät AB',
        'E.ON Energidistribution AB',
        'Ellevio AB',
        'Luleå Energi Elnät AB',
        'Nacka Energi AB',
        'Okänd AB',
        'Varberg Energi Elnät AB',
        'Varbergsortens Elnät AB',
        'Årsunda Kraft',
      ],
    );
    assert.deepEqual(owners[2], {
      id: '14900',
      name: 'Ellevio AB',
      grid_areas: ['NHA', 'STH'],
      elomraden: ['SE3'],
    });
    assert.deepEqual(owners[5], { id: null, name: 'Okänd AB', grid_areas: ['LUR'], elomraden: ['SE1'] });
  });
});

describe('a place', () => {
  it('a place is found by its folded name, with all places of that name', () => {
    const { matches } = areas.place(' NAS ');
    assert.deepEqual(
      matches.map(({ kommun, elomrade, postal_codes }) => [kommun.name, elomrade, postal_codes.length]),
      [
        ['Varberg', 'SE3', 2],
        ['Malmö', 'SE4', 1],
      ],
    );
    assert.ok(matches.every(({ energy_tax }) => energy_tax?.rate_ore_per_kwh === '36'));
  });

  it('a place that is not found gives an error with similar names', () => {
    assert.throws(() => areas.place('Stokholm'), {
      code: 'place.not_found',
      message: /did you mean Stockholm\?/,
    });
    assert.throws(() => areas.place('\ud800'), { code: 'place.not_found' });
  });

  it('a place has no position when its postal codes have none', () => {
    assert.deepEqual(
      [areas.place('Överträsk').matches[0]?.lat, areas.place('Överträsk').matches[0]?.lon],
      [null, null],
    );
  });
});

describe('a coordinate', () => {
  it('a coordinate inside a polygon has its price area, the nearest place and its municipality', () => {
    const answer = areas.coordinate(59.331, 18.061);
    assert.deepEqual(
      [answer.elomrade, answer.distance_m, answer.ort, answer.postal_code, answer.kommun.code],
      ['SE3', 0, 'Stockholm', '11122', '0180'],
    );
    assert.ok(answer.confidence > 0.5 && answer.confidence < 0.97);
  });

  it('a coordinate off the coast belongs to the nearest polygon, with the distance', () => {
    const answer = areas.coordinate(58.9, 19.2);
    assert.equal(answer.elomrade, 'SE3');
    assert.ok(answer.distance_m > 11_000 && answer.distance_m < 13_000, String(answer.distance_m));
    assert.equal(
      codeOf(() => areas.coordinate(58.9, 19.9)),
      'coordinate.outside',
    );
  });

  it('a coordinate has less confidence the farther the nearest postal code is', () => {
    const at = (lat: number) => areas.coordinate(lat, 18.06).confidence;
    assert.ok(at(59.33) > at(59.42) && at(59.42) > at(59.6));
  });

  it('a coordinate near a postal code whose price area the register states belongs to that area', () => {
    const stated = areasOf({
      postal_codes: [postalCode('10001', 'A', { elomrade: 'SE4', elomrade_basis: 'register' })],
    });
    assert.equal(stated.coordinate(59.33, 18.07).elomrade, 'SE4');
    assert.equal(stated.coordinate(59.5, 18.07).elomrade, 'SE3');
  });

  it('a coordinate is in the municipality whose border surrounds it, whatever postal code is nearest', () => {
    const drawn = areasOf({
      municipality_shapes: [
        { municipality: '0180', name: 'Stockholm', polygons: [rectangle(59.2, 17.9, 59.5, 18.1)] },
        { municipality: '0182', name: 'Nacka', polygons: [rectangle(59.2, 18.1, 59.5, 18.4)] },
      ],
    });
    // The nearest postal code is 11123 in Stockholm, at 18.08.
    const answer = drawn.coordinate(59.34, 18.105);
    assert.deepEqual([answer.kommun.name, answer.postal_code], ['Nacka', '13100']);
    assert.equal(drawn.coordinate(59.34, 18.095).kommun.name, 'Stockholm');
    assert.equal(drawn.coordinate(59.34, 18.41).kommun.name, 'Nacka', 'just outside of all: the nearest');
    assert.ok(drawn.coordinate(59.34, 18.41).confidence < answer.confidence);
    assert.equal(drawn.coordinate(65.58, 22.15).kommun.name, 'Luleå', 'far from all: by postal code');
  });

  it('a coordinate is resolved or reported as outside, for any input', () => {
    fc.assert(
      fc.property(fc.double(), fc.double(), (lat, lon) => {
        const code = codeOf(() => areas.coordinate(lat, lon));
        assert.ok(code === undefined || code === 'coordinate.outside', String(code));
      }),
    );
    fc.assert(
      fc.property(fc.double({ min: 54, max: 70 }), fc.double({ min: 10, max: 25 }), (lat, lon) => {
        if (!Number.isFinite(lat) || !Number.isFinite(lon)) return;
        const code = codeOf(() => {
          const { confidence, distance_m } = areas.coordinate(lat, lon);
          assert.ok(confidence >= 0 && confidence <= 1 && distance_m >= 0 && distance_m <= 25_000);
        });
        assert.ok(code === undefined || code === 'coordinate.outside', String(code));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('energy tax', () => {
  it('energy tax is found by postal code, and by code or name of a municipality', () => {
    for (const of of [
      { postal: '97231' },
      { kommun: '2580' },
      { kommun: 'LULEA' },
      { kommun: ' Luleå kommun' },
    ]) {
      const answer = areas.tax(of, '2025-03-01');
      assert.deepEqual(answer.kommun, { code: '2580', name: 'Luleå' });
      assert.equal(answer.energy_tax.rate_ore_per_kwh_incl_vat, '42.875');
      assert.deepEqual(
        answer.rates.map(({ valid_from, valid_until }) => [valid_from, valid_until]),
        [
          ['2025-01-01', '2026-01-01'],
          ['2026-01-01', null],
        ],
      );
      assert.equal(answer.is_forecast, false);
    }
    assert.equal(areas.tax({ kommun: 'Stockholms kommun' }).kommun.code, '0180');
  });

  it('energy tax has a note when the latest rate is used instead, and an error before the first rate', () => {
    const later = areas.tax({ kommun: '0180' }, '2027-01-01');
    assert.equal(later.is_forecast, true);
    assert.match(later.note ?? '', /2027 are unknown/);
    assert.equal(
      codeOf(() => areas.tax({ kommun: '0180' }, '2024-12-31')),
      'tax.unknown',
    );
  });

  it('energy tax does not guess between municipalities whose folded names are equal', () => {
    const two = areasOf({
      municipalities: [
        { code: '0305', name: 'Håbo', county: '03' },
        { code: '0643', name: 'Habo', county: '06' },
      ],
    });
    assert.equal(two.tax({ kommun: 'håbo' }).kommun.code, '0305');
    assert.equal(two.tax({ kommun: 'HABO' }).kommun.code, '0643');
    assert.throws(() => two.tax({ kommun: 'hábo' }), { message: /Håbo \(0305\) or Habo \(0643\)/ });
  });
});

describe('any input', () => {
  it('any input gets a result or an error sentence', async () => {
    const odd = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom(
        'x'.repeat(100_000),
        '\u0000',
        '\ud800',
        '\u202e\u0645\u0631',
        '%00',
        '1'.repeat(100_000),
        '__proto__',
      ),
    );
    await fc.assert(
      fc.asyncProperty(odd, odd, async (one, other) => {
        codeOf(() => areas.postal(one));
        codeOf(() => areas.gridArea(one));
        codeOf(() => areas.search(one));
        codeOf(() => areas.place(one));
        codeOf(() => areas.tax({ kommun: one }));
        codeOf(() => areas.address({ adress: one, ort: other, postnr: '' }));
        codeOf(() => areas.address({ adress: one, ort: '', postnr: other }));
      }),
    );
  });
});

describe('the energy tax of a price area', () => {
  const of = (codes: Readonly<Record<string, readonly [PriceArea, number]>>) =>
    areasOf({
      postal_codes: Object.entries(codes).flatMap(([municipality, [elomrade, count]], index) =>
        Array.from({ length: count }, (_, at) =>
          postalCode(String(10_000 + index * 100 + at), 'Ort', { municipality, elomrade }),
        ),
      ),
    });

  it('the energy tax of a price area is the rate of most of its postal codes, with the other one', () => {
    const mixed = of({ '0180': ['SE3', 3], '2580': ['SE3', 2], '1280': ['SE3', 1] });
    assert.deepEqual(mixed.areaTax('SE3', '2026-11-21'), {
      energy_tax: TAX,
      is_forecast: false,
      other: { ...TAX, rate_ore_per_kwh: '26.4', rate_ore_per_kwh_incl_vat: '33', reduced: true },
      other_count: 1,
      count: 3,
    });
    const north = of({ '0180': ['SE3', 1], '2580': ['SE3', 2], '1280': ['SE4', 1] }).areaTax(
      'SE3',
      '2026-11-21',
    );
    assert.deepEqual([north?.energy_tax.rate_ore_per_kwh, north?.other, north?.count], ['26.4', TAX, 2]);
  });

  it('the energy tax of a price area is the only one where all have the same, that of the day, and null where it is not known', () => {
    const south = of({ '1280': ['SE4', 2] });
    assert.equal(south.areaTax('SE4', '2026-11-21')?.other, null);
    assert.equal(south.areaTax('SE4', '2027-01-01')?.is_forecast, true);
    assert.equal(south.areaTax('SE4', '1990-01-01'), null);
    assert.equal(south.areaTax('SE1', '2026-11-21'), null);
  });
});

describe('the bundled tables', () => {
  const clock = turnedClock();
  const real = createAreas({
    tables: readTables([fileURLToPath(new URL('../../../../seed', import.meta.url))]),
    clock,
  });
  const areaAt = (lat: number, lon: number) => real.coordinate(lat, lon).elomrade;

  it('the bundled tables have outlines for a map, with few points and without the smallest islands', () => {
    const outlines = real.outlines();
    assert.deepEqual(
      outlines.map(({ elomrade }) => elomrade),
      ['SE1', 'SE2', 'SE3', 'SE4'],
    );
    const points = outlines.flatMap(({ rings }) => rings.map(({ lon }) => lon.length));
    assert.ok(points.length >= 6 && points.every((count) => count >= 3), points.join());
    assert.ok(points.reduce((sum, count) => sum + count) < 1_200, points.join());
  });

  it('the bundled tables have the right municipality for places near towns of another', () => {
    for (const [name, lat, lon, municipality] of [
      ['Drottningholm', 59.3217, 17.8866, 'Ekerö'],
      ['Solna station', 59.3653, 18.0093, 'Solna'],
      ['Arlanda airport', 59.6498, 17.9238, 'Sigtuna'],
      ['Kebnekaise', 67.9008, 18.5167, 'Kiruna'],
      ['Landvetter airport', 57.6688, 12.2923, 'Härryda'],
      ['Sandhamn', 59.288, 18.913, 'Värmdö'],
      ['Ven', 55.908, 12.69, 'Landskrona'],
    ] as const) {
      assert.equal(real.coordinate(lat, lon).kommun.name, municipality, name);
    }
  });

  it('the bundled tables contain points in Sweden and no others', () => {
    for (const [name, lat, lon, elomrade] of [
      ['Stockholm', 59.33, 18.06, 'SE3'],
      ['Malmö harbour', 55.62, 12.99, 'SE4'],
      ['Ven', 55.91, 12.7, 'SE4'],
      ['Haparanda', 65.836, 24.137, 'SE1'],
      ['Strömstad', 58.94, 11.17, 'SE3'],
      ['Koster', 58.88, 11.0, 'SE3'],
      ['Visby', 57.64, 18.29, 'SE3'],
      ['Borgholm', 56.88, 16.65, 'SE4'],
      ['Kiruna', 67.855, 20.225, 'SE1'],
      ['Sundsvall', 62.39, 17.31, 'SE2'],
      ['Värnamo, by the register', 57.186, 14.04, 'SE4'],
    ] as const) {
      assert.equal(areaAt(lat, lon), elomrade, name);
    }
    for (const [name, lat, lon] of [
      ['Oslo', 59.913, 10.752],
      ['Halden', 59.12, 11.39],
      ['Copenhagen', 55.676, 12.568],
      ['Helsingør', 56.036, 12.61],
      ['Bornholm', 55.1, 14.9],
      ['Helsinki', 60.17, 24.94],
      ['Mariehamn', 60.1, 19.93],
      ['Tornio', 65.848, 24.16],
      ['the middle of the Baltic', 58.5, 19.8],
      ['the pole', 90, 0],
      ['null island', 0, 0],
    ] as const) {
      assert.equal(
        codeOf(() => areaAt(lat, lon)),
        'coordinate.outside',
        name,
      );
    }
  });

  it('the bundled tables have the right facts for well-known places', () => {
    const factsOf = (code: string) => {
      const { kommun, elomrade, energy_tax, grid_areas } = real.postal(code);
      return [kommun.name, elomrade, energy_tax?.reduced, grid_areas[0]?.code];
    };
    assert.deepEqual(factsOf('11122'), ['Stockholm', 'SE3', false, 'STH']);
    assert.deepEqual(factsOf('33131'), ['Värnamo', 'SE4', false, 'VMO']);
    assert.deepEqual(factsOf('98132'), ['Kiruna', 'SE1', true, 'MAF']);
    assert.deepEqual(real.tax({ kommun: 'Torsby' }).energy_tax.reduced, true, 'SE3 and reduced');
    assert.deepEqual(real.tax({ kommun: 'Sundsvall' }).energy_tax.reduced, false, 'SE2 and not reduced');
  });

  it('the bundled tables name a municipality for most grid areas, and a grid area for most postal codes', () => {
    const local = real
      .gridOwners()
      .flatMap(({ grid_areas }) => grid_areas)
      .flatMap((code) => real.gridArea(code).grid_areas)
      .filter(({ type }) => type === 'DISTRIBUTION');
    const placed = local.filter(({ municipalities }) => municipalities.length > 0);
    assert.ok(
      local.length > 250 && placed.length / local.length > 0.9,
      `${placed.length} of ${local.length}`,
    );
  });

  it('the bundled tables return twenty places for two letters', () => {
    for (const query of ['an', 'st']) assert.equal(real.search(query).length, 20);
  });
});

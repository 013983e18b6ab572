import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createTax, priceWith, VAT_PERCENT } from './index.ts';

const tax = createTax({
  // Out of order on purpose.
  tax_rates: [
    { valid_from: '2026-01-01', normal: '36.0', reduced: '26.4' },
    { valid_from: '2024-01-01', normal: '42.8', reduced: '33.2' },
    { valid_from: '2025-01-01', normal: '43.9', reduced: '34.3' },
  ],
  reduced_tax: [
    { municipality: '2480', valid_from: '2012-01-01', valid_until: null },
    { municipality: '1737', valid_from: '2025-07-01', valid_until: '2026-01-01' },
  ],
});

describe('energy tax', () => {
  it('energy tax is exact in öre, with and without VAT', () => {
    assert.deepEqual(tax.on('0180', '2025-06-01'), {
      rate_ore_per_kwh: '43.9',
      rate_ore_per_kwh_incl_vat: '54.875',
      reduced: false,
      valid_from: '2025-01-01',
    });
    assert.deepEqual(tax.on('2480', '2026-11-21'), {
      rate_ore_per_kwh: '26.4',
      rate_ore_per_kwh_incl_vat: '33',
      reduced: true,
      valid_from: '2026-01-01',
    });
  });

  it('energy tax changes on the day, not before', () => {
    assert.equal(tax.on('0180', '2025-12-31')?.rate_ore_per_kwh, '43.9');
    assert.equal(tax.on('0180', '2026-01-01')?.rate_ore_per_kwh, '36');
  });

  it('energy tax is unknown before the first rate, and the latest rate continues', () => {
    assert.equal(tax.on('0180', '2023-12-31'), null);
    assert.equal(tax.since, '2024-01-01');
    assert.equal(tax.on('0180', '2031-05-05')?.valid_from, '2026-01-01');
    assert.equal(tax.isForecast('2026-12-31'), false);
    assert.equal(tax.isForecast('2027-01-01'), true);
  });

  it('energy tax follows a municipality that gains and loses its reduction', () => {
    const rates = tax
      .all('1737')
      .map(({ valid_from, valid_until, reduced, rate_ore_per_kwh }) => [
        valid_from,
        valid_until,
        reduced,
        rate_ore_per_kwh,
      ]);
    assert.deepEqual(rates, [
      ['2024-01-01', '2025-01-01', false, '42.8'],
      ['2025-01-01', '2025-07-01', false, '43.9'],
      ['2025-07-01', '2026-01-01', true, '34.3'],
      ['2026-01-01', null, false, '36'],
    ]);
  });

  it('energy tax is null without any rate', () => {
    const none = createTax({ tax_rates: [], reduced_tax: [] });
    assert.equal(none.on('0180', '2026-01-01'), null);
    assert.equal(none.since, null);
    assert.equal(none.isForecast('2026-01-01'), false);
  });

  it('energy tax has exactly one rate for every day', () => {
    const day = fc
      .date({ min: new Date('2024-01-01'), max: new Date('2040-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10));
    fc.assert(
      fc.property(day, fc.constantFrom('0180', '2480', '1737'), (when, municipality) => {
        const holding = tax
          .all(municipality)
          .filter(({ valid_from, valid_until }) => valid_from <= when && (valid_until ?? '9999') > when);
        assert.equal(holding.length, 1);
        assert.equal(holding[0]?.rate_ore_per_kwh, tax.on(municipality, when)?.rate_ore_per_kwh);
      }),
    );
  });
});

describe('a price with energy tax and VAT', () => {
  it('a price with energy tax and VAT is exact, with VAT on the tax too', () => {
    assert.equal(VAT_PERCENT, 25);
    for (const [spot, energyTax, hasVat, price] of [
      ['0.87431', null, false, '0.87431'],
      ['0.87431', null, true, '1.0928875'],
      ['0.87431', '36.0', false, '1.23431'],
      ['0.87431', '36.0', true, '1.5428875'],
      ['0.1', '26.4', true, '0.455'],
      ['0', '43.9', true, '0.54875'],
      ['-0.36', '36.0', true, '0'],
      ['-0.01234', null, true, '-0.015425'],
      ['0.0000001', null, true, '0.000000125'],
    ] as const)
      assert.equal(priceWith(spot, { energyTax, hasVat }), price, `${spot} ${energyTax} ${hasVat}`);
  });
});

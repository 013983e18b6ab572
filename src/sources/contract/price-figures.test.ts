import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { dayBounds } from '../../core/swedish-days.ts';
import { decimalText, eachArea, perKwh, shortestGap, slotsFrom } from './price-figures.ts';

describe('figures of prices', () => {
  it('figures of prices are plain decimals, the shortest that mean the same number', () => {
    const texts = [1e-5, -1e-5, 0.1, 1e-18, 123456789.125, -0, 0, 12].map(decimalText);
    assert.deepEqual(texts, [
      '0.00001',
      '-0.00001',
      '0.1',
      '0.000000000000000001',
      '123456789.125',
      '0',
      '0',
      '12',
    ]);
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }), (value) => {
        const text = decimalText(value);
        assert.match(text, /^-?\d+(\.\d+)?$/);
        assert.ok(Number(text) === value);
      }),
    );
  });

  it('figures of prices per kWh are exactly a thousandth', () => {
    assert.deepEqual(['34.89', '-0.010', '0', '-0.00', 99.269997, 1e-5].map(perKwh), [
      '0.03489',
      '-0.00001',
      '0',
      '0',
      '0.099269997',
      '0.00000001',
    ]);
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), (millionths) => {
        const digits = String(millionths < 0n ? -millionths : millionths).padStart(7, '0');
        const perMwh = `${millionths < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`;
        const [whole = '', fraction = ''] = perKwh(perMwh).split('.');
        assert.equal(BigInt(whole + fraction.padEnd(9, '0')), millionths);
      }),
    );
  });
});

describe('slots', () => {
  const at = (...starts: number[]) => starts.map((start) => ({ start, sek: null, eur: '1' }));

  it('slots are ordered and have the given length, with gaps for missing rows', () => {
    const slots = slotsFrom(at(60, 15, 0), 15, 'x').map(({ start, end }) => [start, end]);
    assert.deepEqual(slots, [
      [0, 15],
      [15, 30],
      [60, 75],
    ]);
    assert.throws(() => slotsFrom(at(0, 10), 15, 'x'), /two prices for one time/);
    assert.throws(() => slotsFrom(at(0, 0), 15, 'x'), /two prices for one time/);
    assert.equal(shortestGap(at(60, 15, 0)), 15);
    assert.equal(shortestGap(at(60)), Number.POSITIVE_INFINITY);
  });

  it('slots of a day lie between two Swedish midnights', () => {
    const hours = ['2026-03-29', '2026-11-21', '2026-10-25'].map((day) => {
      const { start, end } = dayBounds(day);
      return (end - start) / 3_600_000;
    });
    assert.deepEqual(hours, [23, 24, 25]);
    assert.equal(dayBounds('2026-11-21').start, Date.parse('2026-11-21T00:00:00+01:00'));
  });
});

describe('requesting area by area', () => {
  const day = { day: '2026-11-21', slots: [], exchangeRate: null, publishedAt: null };

  it('requesting area by area keeps areas that succeed, and throws when none does', async () => {
    const fail = (area: string): never => {
      throw new Error(area);
    };
    const days = await eachArea(['SE1', 'SE2', 'SE3'], async (area) =>
      area === 'SE1' ? fail(area) : area === 'SE2' ? null : { ...day, area },
    );
    assert.deepEqual(days, [{ ...day, area: 'SE3' }]);
    await assert.rejects(
      eachArea(['SE1', 'SE2'], async (area) => (area === 'SE1' ? null : fail(area))),
      /SE2/,
    );
    assert.deepEqual(await eachArea(['SE1'], async () => null), []);
  });
});

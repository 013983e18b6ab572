import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { codeOf } from '../../../test/kit/areas.ts';
import { turnedClock } from '../../core/clock.ts';
import { createAreas, readTables } from './index.ts';

describe('the bundled tables', () => {
  const clock = turnedClock();
  const real = createAreas({
    tables: readTables([fileURLToPath(new URL('../../../seed', import.meta.url))]),
    clock,
  });
  const areaAt = (lat: number, lon: number) => real.coordinate(lat, lon).elomrade;

  it('have outlines for a map, with few points and without the smallest islands', () => {
    const outlines = real.outlines();
    assert.deepEqual(
      outlines.map(({ elomrade }) => elomrade),
      ['SE1', 'SE2', 'SE3', 'SE4'],
    );
    const points = outlines.flatMap(({ rings }) => rings.map(({ lon }) => lon.length));
    assert.ok(points.length >= 6 && points.every((count) => count >= 3), points.join());
    assert.ok(points.reduce((sum, count) => sum + count) < 1_200, points.join());
  });

  it('have the right municipality for places near towns of another', () => {
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

  it('contain points in Sweden and no others', () => {
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

  it('have the right facts for well-known places', () => {
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

  it('name a municipality for most grid areas, and a grid area for most postal codes', () => {
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

  it('return twenty places for two letters', () => {
    for (const query of ['an', 'st']) assert.equal(real.search(query).length, 20);
  });
});

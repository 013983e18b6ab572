import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { turnedClock } from '../../../core/clock.ts';
import { createAreas, readTables } from '../../../domain/market/areas/index.ts';
import { type Found, find } from './find.ts';

const areas = createAreas({
  tables: readTables([fileURLToPath(new URL('../../../../seed', import.meta.url))]),
  clock: turnedClock(),
});

/** What is found, in a line. */
function told(found: Found): string {
  if ('fault' in found) return `${found.fault}: ${found.near.join(', ')}`;
  if ('region' in found) {
    const { kind, name, elomraden, tax } = found.region;
    return `${kind} ${name}: ${elomraden.join(' ')}, tax ${tax === null ? 'varies' : tax.isReduced ? 'reduced' : 'normal'}`;
  }
  const [first, ...others] = found.places;
  const as = found.instead === undefined ? '' : ` instead`;
  return `${first?.title}, ${first?.kommun.name}, ${first?.elomrade}${others.length > 0 ? ', …' : ''}${as}`;
}

describe('the look-up box finds', () => {
  for (const [text, expected] of [
    ['Storgatan 1, 852 30 Sundsvall', '852 30 Sundsvall, Sundsvall, SE2'],
    ['Storgatan 1, Umeå', 'Umeå, Umeå, SE2'],
    ['Storgatan 1 Umeå', 'Umeå, Umeå, SE2'],
    ['Gotland', 'municipality Gotland: SE3, tax normal'],
    ['Berg', 'municipality Berg: SE2, tax reduced'],
    ['Mora kommun', 'municipality Mora: SE3, tax reduced'],
    ['Mora', 'Mora, Mora, SE3'],
    ['Dalarna', 'county Dalarnas län: SE3, tax varies'],
    ['Norrbottens län', 'county Norrbottens län: SE1, tax reduced'],
    ['Gotlands län', 'county Gotlands län: SE3, tax normal'],
    ['SE3', 'area SE3 Stockholm: SE3, tax varies'],
    ["59°20'N 18°4'E", 'Stockholm, Stockholm, SE3'],
    ['sundsvl', 'Sundsvall, Sundsvall, SE2 instead'],
    ['Storgatan 1, Nowhere', 'unknown_address: '],
    ['Qwertyholm', 'unknown_place: '],
  ] as const) {
    it(text, async () => assert.equal(told(await find(areas, text)), expected));
  }
});

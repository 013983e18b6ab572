import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { smallTables } from '../../../../test/kit/areas.ts';
import { HttpFailure } from '../../../adapter/http.ts';
import { turnedClock } from '../../../core/clock.ts';
import type { GeocodedAddress } from '../../../sources/contract/geocoder.ts';
import { readWrittenAddress } from './address.ts';
import { createAreas } from './index.ts';

const tables = smallTables();
const plain = createAreas({ tables, clock: turnedClock() });
const asking = (geocode: () => Promise<GeocodedAddress | null>) =>
  createAreas({ tables, clock: turnedClock(), geocode });
const sent = (adress: string, ort = '', postnr = '') => ({ adress, ort, postnr });

describe('a written address', () => {
  it('a written address contains a postal code, and places after it or after the house number', () => {
    const read = (text: string) => {
      const { postalCodes, places, street } = readWrittenAddress(text);
      return [postalCodes, places, street];
    };
    assert.deepEqual(read('Storgatan 1, 111 22 Stockholm'), [
      ['11122'],
      ['Stockholm', '111 22 Stockholm'],
      'Storgatan 1',
    ]);
    assert.deepEqual(read('Storgatan 1 11122 Saltsjö-Boo, Sverige').slice(0, 2), [
      ['11122'],
      ['Saltsjö-Boo'],
    ]);
    assert.deepEqual(read('Storgatan 1 Stockholm')[1], ['Stockholm']);
    assert.deepEqual(read('Storgatan 1, Stockholm')[1], ['Stockholm']);
    assert.deepEqual(read('Box 12345, 111 22 Stockholm')[0], ['11122']);
    assert.deepEqual(read('Box 11122')[0], []);
    assert.deepEqual(read('Storgatan 111223'), [[], [], 'Storgatan 111223']);
    assert.deepEqual(read(''), [[], [], '']);
  });
});

describe('an address', () => {
  it('an address is resolved by the postal code sent with it', async () => {
    const answer = await plain.address(sent('Storgatan 1', '', '11122'));
    assert.equal(answer.resolved_by, 'postnr');
    assert.deepEqual([answer.postal_code, answer.elomrade, answer.confidence], ['11122', 'SE3', 0.97]);
    assert.deepEqual(
      answer.grid_areas.map(({ code }) => code),
      ['STH'],
    );
    assert.equal(answer.matches.length, 1);
    assert.throws(() => plain.address(sent('Storgatan 1', 'Stockholm', '99999')), {
      code: 'place.not_found',
    });
  });

  it('an address has less confidence and a note when postal code and place contradict each other', async () => {
    const answer = await plain.address(sent('Storgatan 1', 'Malmö', '11122'));
    assert.deepEqual([answer.ort, answer.confidence], ['Stockholm', 0.58]);
    assert.match(answer.note ?? '', /not in "Malmö"; the postal code was used/);
    assert.equal(
      (await plain.address(sent('x', 'Nacka', '13200'))).note,
      undefined,
      'a neighbour in the municipality',
    );
  });

  it('an address is resolved by a postal code or a place in its text', async () => {
    assert.equal((await plain.address(sent('Storgatan 1, 111 22 Stockholm'))).resolved_by, 'postnr');
    const named = await plain.address(sent('Storgatan 1 Luleå'));
    assert.deepEqual([named.resolved_by, named.elomrade], ['ort', 'SE1']);
  });

  it('an address is not guessed when several places have the name', async () => {
    const answer = await plain.address(sent('Byvägen 3', 'Näs'));
    assert.equal(answer.resolved_by, 'ort');
    assert.deepEqual(
      answer.matches.map(({ kommun, confidence }) => [kommun.name, confidence]),
      [
        ['Varberg', 0.58],
        ['Malmö', 0.29],
      ],
    );
    assert.deepEqual([answer.elomrade, answer.kommun, answer.grid_areas], [null, null, []]);
    assert.equal(answer.ort, 'Näs', 'on which both agree');
    assert.equal(answer.energy_tax?.rate_ore_per_kwh, '36');
    assert.match(answer.note ?? '', /2 places.*postnr/);
  });

  it('an address has less confidence and a note when the place is spelled differently', async () => {
    const other = await plain.address(sent('Byvägen 3', 'Mälmö'));
    assert.deepEqual([other.ort, other.confidence], ['Malmö', 0.52]);
    assert.match(other.note ?? '', /no place is called "Mälmö"; Malmö is the closest match/);
    assert.equal(
      (await plain.address(sent('Byvägen 3', 'malmo'))).note,
      undefined,
      'written without accents',
    );
  });

  it('an address that cannot be resolved gives an error that says what is missing', () => {
    assert.throws(() => plain.address(sent('Storgatan 1')), {
      code: 'address.not_found',
      message: /postnr.*ort/,
    });
    assert.throws(() => plain.address(sent('')), { code: 'address.not_found', message: /adress is empty/ });
    assert.throws(() => plain.address(sent('x', 'Stokholm')), {
      message: /did you mean Stockholm\?.*postnr/,
    });
  });
});

describe('an address with a geocoder', () => {
  const house: GeocodedAddress = {
    lat: 59.331,
    lon: 18.061,
    postal_code: '11123',
    ort: 'Stockholm',
    precision: 'house',
  };

  it('an address with a geocoder is resolved by its position', async () => {
    const asked: unknown[] = [];
    const areas = createAreas({
      tables,
      clock: turnedClock(),
      geocode: async (query) => {
        asked.push(query);
        return house;
      },
    });
    const answer = await areas.address(sent('Vasagatan 1', 'Stockholm'));
    assert.deepEqual(
      [answer.resolved_by, answer.postal_code, answer.elomrade, answer.lat],
      ['geocoder', '11123', 'SE3', 59.331],
    );
    await areas.address(sent('Vasagatan 1, 111 22 Stockholm'));
    assert.deepEqual(asked, [
      { street: 'Vasagatan 1', city: 'Stockholm', postalCode: undefined },
      { street: 'Vasagatan 1', city: 'Stockholm', postalCode: '11122' },
    ]);
  });

  it('an address with a geocoder is not geocoded when the postal code is sent', async () => {
    const areas = asking(() => assert.fail('it was asked'));
    assert.equal((await areas.address(sent('Vasagatan 1', '', '11122'))).resolved_by, 'postnr');
  });

  it('an address with a geocoder has less confidence for a street than for a house', async () => {
    const of = async (precision: GeocodedAddress['precision']) =>
      (await asking(async () => ({ ...house, precision })).address(sent('x'))).confidence;
    const [exact, street, area] = [await of('house'), await of('street'), await of('area')];
    assert.ok(exact > street && street > area);
  });

  it('an address with a geocoder falls back to the place, with a note, when the geocoder fails or finds nothing', async () => {
    const fails = asking(() => Promise.reject(new HttpFailure('timeout', 'no answer')));
    const answer = await fails.address(sent('Vasagatan 1', 'Stockholm'));
    assert.equal(answer.resolved_by, 'ort');
    assert.match(answer.note ?? '', /the geocoder is unreachable/);
    const none = await asking(async () => null).address(sent('Vasagatan 1, 111 22 Stockholm'));
    assert.equal(none.resolved_by, 'postnr');
    assert.match(none.note ?? '', /does not know the street/);
    const abroad = asking(async () => ({ ...house, lat: 48.85, lon: 2.35 }));
    assert.match((await abroad.address(sent('x', 'Luleå'))).note ?? '', /outside Sweden/);
  });

  it('an address with a geocoder cannot be resolved when the geocoder fails and nothing else is sent', async () => {
    const fails = asking(() =>
      Promise.reject(new HttpFailure('rate_limited', 'no', { retryAfterSeconds: 9 })),
    );
    await assert.rejects(async () => fails.address(sent('Vasagatan 1')), {
      code: 'geocoder.unavailable',
      retryAfterSeconds: 9,
    });
    await assert.rejects(async () => asking(async () => null).address(sent('Vasagatan 1')), {
      code: 'address.not_found',
      message: /does not know the street/,
    });
    const broken = asking(() => Promise.reject(new TypeError('ours')));
    await assert.rejects(async () => broken.address(sent('Vasagatan 1', 'Stockholm')), TypeError);
  });
});

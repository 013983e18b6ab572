import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { HttpFailure } from '../../adapter/http.ts';
import { nominatim } from './index.ts';
import { simulateNominatim } from './simulator.ts';

const street = (text: string, city?: string, postalCode?: string) => ({ street: text, city, postalCode });
const recorded = JSON.parse(readFileSync(new URL('./recorded.json', import.meta.url), 'utf8'));

describe('a Nominatim geocoder', () => {
  it('a Nominatim geocoder reads a result of the documented shape', async () => {
    const simulator = simulateNominatim();
    simulator.answerWith = recorded;
    assert.deepEqual(await nominatim(simulator.http)(street('Hantverkargatan 1', 'Stockholm')), {
      lat: 59.327674,
      lon: 18.054732,
      postal_code: '11152',
      ort: 'Stockholm',
      precision: 'house',
    });
  });

  it('a Nominatim geocoder searches only in Sweden, structured if possible', async () => {
    const simulator = simulateNominatim();
    const geocode = nominatim(simulator.http);
    await geocode(street('Vasagatan 1', 'Stockholm', '11120'));
    await geocode(street('Vasagatan 1'));
    const [structured, free] = simulator.asked;
    assert.deepEqual(structured?.query, {
      street: 'Vasagatan 1',
      city: 'Stockholm',
      postalcode: '11120',
      countrycodes: 'se',
      format: 'jsonv2',
      addressdetails: '1',
      limit: '1',
    });
    assert.equal(free?.query?.q, 'Vasagatan 1');
    assert.equal(free?.query?.street, undefined);
  });

  it('a Nominatim geocoder distinguishes a house from its street, and finds nothing without a match', async () => {
    const geocode = nominatim(simulateNominatim().http);
    assert.equal((await geocode(street('Storgatan 2', 'Luleå')))?.precision, 'house');
    assert.equal((await geocode(street('Storgatan 99', 'Luleå')))?.precision, 'street');
    assert.equal(await geocode(street('Ingenstansgatan 1', 'Luleå')), null);
  });

  it('a Nominatim geocoder caches hits, sends one request for concurrent equal queries, and repeats misses', async () => {
    const simulator = simulateNominatim();
    const geocode = nominatim(simulator.http);
    await Promise.all([
      geocode(street('Vasagatan 1', 'Stockholm')),
      geocode(street('VASAGATAN 1', 'stockholm')),
    ]);
    await geocode(street('Vasagatan 1', 'Stockholm'));
    assert.equal(simulator.asked.length, 1);
    await geocode(street('Ingenstans', 'Luleå'));
    await geocode(street('Ingenstans', 'Luleå'));
    assert.equal(simulator.asked.length, 3);
  });

  it('a Nominatim geocoder evicts the oldest of many', async () => {
    const simulator = simulateNominatim();
    const geocode = nominatim(simulator.http);
    for (let number = 0; number <= 500; number += 1)
      await geocode(street(`Vasagatan ${number}`, 'Stockholm'));
    await geocode(street('Vasagatan 500', 'Stockholm'));
    assert.equal(simulator.asked.length, 501);
    await geocode(street('Vasagatan 0', 'Stockholm'));
    assert.equal(simulator.asked.length, 502);
  });

  it('a Nominatim geocoder reports that it is unreachable, and does not cache that', async () => {
    const simulator = simulateNominatim();
    const geocode = nominatim(simulator.http);
    simulator.failWith = 'timeout';
    await assert.rejects(geocode(street('Vasagatan 1', 'Stockholm')), HttpFailure);
    simulator.failWith = undefined;
    assert.notEqual(await geocode(street('Vasagatan 1', 'Stockholm')), null);
  });

  it('a Nominatim geocoder refuses a malformed result', async () => {
    const simulator = simulateNominatim();
    for (const answer of [{ error: 'x' }, 'x', 0, [1], [{ lat: '1' }], [{ lat: [], lon: '1' }]]) {
      simulator.answerWith = answer;
      await assert.rejects(nominatim(simulator.http)(street('x', 'y')), { kind: 'answer_invalid' });
    }
    simulator.answerWith = [{ lat: 'north', lon: '18' }];
    assert.equal(await nominatim(simulator.http)(street('x', 'y')), null);
    simulator.answerWith = [{ lat: '59.9', lon: '10.7', address: { country_code: 'no' } }];
    assert.equal(await nominatim(simulator.http)(street('x', 'y')), null);
  });
});

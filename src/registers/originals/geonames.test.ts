import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { strToU8, zipSync } from 'fflate';
import { OperatorError } from '../../core/errors.ts';
import { parseGeonames } from './geonames.ts';

/** Lines in the layout of the export's readme.txt: tab-separated, no header, twelve columns. */
const EXPORT = [
  'SE\t186 00\tVallentuna\tStockholm\tAB\tVallentuna\t0115\t\t\t59.5344\t18.0776\t4',
  'SE\t624 66\tFårö\tGotland\tI\t\t\t\t\t57.9167\t19.1333\t4',
  'SE\t114 00\tStockholm\tStockholm\tAB\tStockholm\t180\t\t\t59.3326\t18.0649\t4',
  '',
].join('\n');

const MIRROR = [
  'country_code,zipcode,place,state,state_code,province,province_code,community,community_code,latitude,longitude',
  'SE,186 00,Vallentuna,Stockholm,AB,Vallentuna,0115,,,59.5344,18.0776',
  'SE,624 66,Fårö,Gotland,05,,,,,57.9167,19.1333',
  '',
].join('\n');

const ROWS = [
  { code: '18600', place: 'Vallentuna', municipality: '0115', lat: 59.5344, lon: 18.0776 },
  { code: '62466', place: 'Fårö', municipality: null, lat: 57.9167, lon: 19.1333 },
];

function faultIn(bytes: Uint8Array): string {
  try {
    parseGeonames(bytes, 'SE.zip');
  } catch (error) {
    assert.ok(error instanceof OperatorError, String(error));
    return error.message;
  }
  return 'no fault';
}

const text = (from: string, to: string) => strToU8(EXPORT.replace(from, to));
const zipped = (name: string, content: string) =>
  zipSync({ [name]: strToU8(content), 'readme.txt': strToU8('…') });

describe("GeoNames' postal codes", () => {
  it("GeoNames' postal codes are read from the zip file, its text, and a mirror", () => {
    const stockholm = { code: '11400', place: 'Stockholm', municipality: '0180', lat: 59.3326, lon: 18.0649 };
    assert.deepEqual(parseGeonames(zipped('SE.txt', EXPORT), 'SE.zip'), [...ROWS, stockholm]);
    assert.deepEqual(parseGeonames(strToU8(EXPORT), 'SE.txt'), [...ROWS, stockholm]);
    assert.deepEqual(parseGeonames(strToU8(MIRROR), 'se.csv'), ROWS);
  });

  it("GeoNames' postal codes have the first place of a code with several", () => {
    const several = EXPORT.replace('624 66', '186 00');
    assert.deepEqual(
      parseGeonames(strToU8(several), 'SE.txt').map(({ place }) => place),
      ['Vallentuna', 'Stockholm'],
    );
  });

  const half = zipped('SE.txt', EXPORT.repeat(50));
  const FAULTS: readonly [string, Uint8Array, RegExp][] = [
    ['nothing', new Uint8Array(), /SE\.zip is empty/],
    ['a web page', strToU8('<!DOCTYPE html>\n<html></html>\n'), /is a web page/],
    ['half a zip file', half.subarray(0, half.length / 2), /is not a whole zip file/],
    ['a zip file of another country', zipped('NO.txt', EXPORT), /holds no SE\.txt/],
    ['bytes that are not UTF-8', new Uint8Array([0x53, 0xff, 0x0a]), /is not UTF-8/],
    ['a truncated file', strToU8(EXPORT.slice(0, -20)), /line 3 has no end: the file is cut short/],
    ['a line with a missing column', text('\t59.5344', ''), /line 1 has 11 cells; GeoNames' export has 12/],
    ['another country', text('SE\t186', 'NO\t186'), /line 1 is of the country "NO"/],
    ['a code of four digits', text('186 00', '186 0'), /line 1 has the postal code "186 0"/],
    ['no place', text('\tVallentuna\tStock', '\t\tStock'), /line 1 has no place name/],
    ['an invalid municipality', text('0115', 'AB15'), /line 1 has the municipality code "AB15"/],
    ['an invalid position', text('59.5344', '59,5344'), /line 1 has the coordinate "59,5344"/],
    ['a mirror with a code twice', strToU8(MIRROR.replace('624 66', '186 00')), /has 18600 twice/],
    [
      'a mirror without a column',
      strToU8(MIRROR.replace('latitude', 'north')),
      /does not name the column latitude/,
    ],
    ['a mirror with only its header', strToU8(MIRROR.slice(0, MIRROR.indexOf('\n') + 1)), /has no row below/],
  ];
  for (const [what, bytes, sentence] of FAULTS) {
    it(`GeoNames' postal codes are refused: ${what}`, () => assert.match(faultIn(bytes), sentence));
  }

  it("GeoNames' postal codes are refused when content of the zip file has not the stated length", () => {
    const bytes = zipped('SE.txt', EXPORT);
    const damaged = bytes.slice();
    // One byte of the compressed text.
    damaged[60] = (damaged[60] ?? 0) ^ 0xff;
    assert.notEqual(faultIn(damaged), 'no fault');
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { strToU8, zipSync } from 'fflate';
import proj4 from 'proj4';
import { dbf, PRJ, RING, SQUARE, shp } from '../../../test/kit/shapefile.ts';
import { OperatorError } from '../../core/errors.ts';
import { findConcessionsLink, parseConcessions } from './ei.ts';

const NAMES = ['KONCESSION', 'FöretagNa', 'Enhet'];
const ROW = ['104FA', 'Luleå Energi Elnät AB', 'x'];

const PARTS = {
  'Lokalnät.shp': shp([SQUARE]),
  'Lokalnät.dbf': dbf(NAMES, [ROW]),
  'Lokalnät.prj': strToU8(PRJ),
};
const zip = (parts: Record<string, Uint8Array>) => zipSync(parts);

const GEOJSON = {
  type: 'FeatureCollection',
  features: [
    {
      type: 'Feature',
      properties: { id: '104FA', owner: 'Luleå Energi Elnät AB', kv: 40 },
      geometry: {
        type: 'Polygon',
        coordinates: [RING],
      },
    },
  ],
};

async function faultOf(bytes: Uint8Array): Promise<string> {
  try {
    await parseConcessions(bytes, 'ei.zip');
  } catch (error) {
    assert.ok(error instanceof OperatorError, String(error));
    return error.message;
  }
  return 'no fault';
}

describe("Ei's concessions", () => {
  it("Ei's concessions are read from the zip file with a shapefile, in degrees", async () => {
    const [concession, ...others] = await parseConcessions(zip(PARTS), 'ei.zip');
    assert.equal(others.length, 0);
    assert.equal(concession?.id, '104FA');
    assert.equal(concession?.owner_name, 'Luleå Energi Elnät AB');
    const ring = concession?.polygons[0]?.[0] ?? [];
    assert.equal(ring.length, 5);
    // Back to metres with proj4's definition of UTM zone 33, which SWEREF 99 TM is.
    const back = ring.map(([lon, lat]) => proj4('WGS84', 'EPSG:32633', [lon, lat]));
    back.forEach(([east = 0, north = 0], index) => {
      assert.ok(
        Math.hypot(east - (SQUARE[index]?.[0] ?? 0), north - (SQUARE[index]?.[1] ?? 0)) < 1,
        `point ${index}`,
      );
    });
    const [lon, lat] = ring[0] ?? [];
    assert.ok(Math.abs((lon ?? 0) - 21.96) < 0.1 && Math.abs((lat ?? 0) - 65.59) < 0.1, `${lat}, ${lon}`);
  });

  it("Ei's concessions are read from the file of local grids when the zip file has others", async () => {
    const parts = {
      ...PARTS,
      'Regionnät.shp': shp([]),
      'Regionnät.dbf': dbf(NAMES, []),
      'Regionnät.prj': strToU8(PRJ),
    };
    assert.equal((await parseConcessions(zip(parts), 'ei.zip')).length, 1);
  });

  it("Ei's concessions are read from GeoJSON in degrees", async () => {
    const read = await parseConcessions(strToU8(JSON.stringify(GEOJSON)), 'c.geojson');
    assert.deepEqual(
      read.map(({ id, owner_name }) => [id, owner_name]),
      [['104FA', 'Luleå Energi Elnät AB']],
    );
  });

  const half = PARTS['Lokalnät.shp'].subarray(0, 150);
  const swapped = SQUARE.map(([east, north]) => [north, east] as const);
  const { 'Lokalnät.dbf': _, ...withoutTable } = PARTS;
  const FAULTS: readonly [string, Uint8Array, RegExp][] = [
    ['nothing', new Uint8Array(), /is empty/],
    ['a web page', strToU8('<!DOCTYPE html><title>Ei</title>'), /is a web page/],
    ['half a zip file', zip(PARTS).subarray(0, 300), /is not a whole zip file/],
    ['a zip file without a shapefile', zip({ 'läs.txt': strToU8('hej') }), /it holds none/],
    [
      'two shapefiles of local grids',
      zip({ ...PARTS, 'Lokalnät2.shp': shp([]) }),
      /must hold one shapefile of local grids/,
    ],
    ['a shapefile without its table', zip(withoutTable), /without its \.dbf file/],
    [
      'another projection',
      zip({ ...PARTS, 'Lokalnät.prj': strToU8('GEOGCS["RT90"]') }),
      /is not in SWEREF 99 TM/,
    ],
    [
      'a truncated shapefile',
      zip({ ...PARTS, 'Lokalnät.shp': half }),
      /has 150 bytes where its head states 236: it is cut short/,
    ],
    [
      'a file that is no shapefile',
      zip({ ...PARTS, 'Lokalnät.shp': new Uint8Array(200) }),
      /is not a shapefile/,
    ],
    [
      'a truncated table',
      zip({ ...PARTS, 'Lokalnät.dbf': PARTS['Lokalnät.dbf'].subarray(0, 140) }),
      /\.dbf file has 140 bytes where 1 records need/,
    ],
    [
      'a table of other columns',
      zip({ ...PARTS, 'Lokalnät.dbf': dbf(['ID', 'NAMN', 'x'], [ROW]) }),
      /feature 1 has no KONCESSION/,
    ],
    [
      'fewer shapes than rows',
      zip({ ...PARTS, 'Lokalnät.dbf': dbf(NAMES, [ROW, ROW]) }),
      /states 2 features and has 1/,
    ],
    [
      'exchanged coordinates',
      zip({ ...PARTS, 'Lokalnät.shp': shp([swapped]) }),
      /feature 1 has a point at .* far outside Sweden/,
    ],
    [
      'GeoJSON in metres',
      strToU8(JSON.stringify(GEOJSON).replaceAll('65.', '7290000.')),
      /feature 1 is not a Polygon or MultiPolygon/,
    ],
    [
      'GeoJSON without an owner',
      strToU8(JSON.stringify(GEOJSON).replace('owner', 'kund')),
      /feature 1 has no owner/,
    ],
  ];
  for (const [what, bytes, sentence] of FAULTS) {
    it(`Ei's concessions are refused: ${what}`, async () => assert.match(await faultOf(bytes), sentence));
  }
});

describe("Ei's page", () => {
  const page = 'https://ei.se/bransch/koncessioner/ansokan-natkoncession-for-omrade';
  const LOCAL =
    '<a class="x" href="/download/18.1/1762/N%C3%A4tkoncession%20lokaln%C3%A4t.zip">Karta (zip)</a>';
  const REGIONAL =
    '<a href="/download/18.2/1762/regionnat.zip">Nätkoncession för område – <b>regionnät</b></a>';

  it("Ei's page is searched for the link to local grids", () => {
    const href = 'https://ei.se/download/18.1/1762/N%C3%A4tkoncession%20lokaln%C3%A4t.zip';
    assert.equal(findConcessionsLink(`<ul>${REGIONAL}${LOCAL}</ul>`, page), href);
    assert.equal(
      findConcessionsLink(`${REGIONAL}<a href='a.zip?x=1&amp;y=2'>Nätkoncession, lokalnät</a>`, page),
      'https://ei.se/bransch/koncessioner/a.zip?x=1&y=2',
    );
  });

  it("Ei's page gives an error with the number of links unless there is exactly one", () => {
    assert.throws(
      () => findConcessionsLink(REGIONAL, page),
      /has 0 links to a zip file of local grids.*of 1 zip files/,
    );
    assert.throws(() => findConcessionsLink(LOCAL + LOCAL.replace('18.1', '18.3'), page), /has 2 links/);
  });
});

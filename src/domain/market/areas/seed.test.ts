import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { OperatorError } from '../../../core/errors.ts';
import { decodeTable, encodeTable, fileOf, READY, readTables } from './seed.ts';
import { CODECS, TABLE_NAMES } from './seed-codecs.ts';
import type { AreaTables } from './tables.ts';

const BUNDLED = 'seed';

const made: string[] = [];
after(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'elnav-seed-'));
  made.push(folder);
  return folder;
}

/** A copy of the bundled tables with a change in one file. */
function changed(table: keyof typeof CODECS, from: string | RegExp, to: string): string {
  const folder = emptyFolder();
  cpSync(BUNDLED, folder, { recursive: true });
  const file = join(folder, fileOf(table));
  const text = readFileSync(file, 'utf8');
  const other = text.replace(from, to);
  assert.notEqual(other, text, 'the part to change exists');
  writeFileSync(file, other);
  return folder;
}

function faultOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof OperatorError, String(error));
    return error.message;
  }
  return 'no fault';
}

describe('the bundled tables', () => {
  const tables = readTables([BUNDLED]);

  it('the bundled tables are complete', () => {
    assert.equal(tables.counties.length, 21);
    assert.equal(tables.municipalities.length, 290);
    assert.equal(tables.postal_codes.length, 19_118);
    assert.equal(tables.reduced_tax.length, 46);
    assert.equal(tables.concessions.length, 0);
    const types = Map.groupBy(tables.grid_areas, ({ type }) => type);
    assert.deepEqual(Object.fromEntries([...types].map(([type, rows]) => [type, rows.length])), {
      DISTRIBUTION: 278,
      REGIONAL: 71,
      TRANSMISSION: 7,
      PRODUCTION: 8,
      BORDER: 5,
      NONCON: 4,
    });
    const distribution = tables.grid_areas.filter(({ type }) => type === 'DISTRIBUTION');
    const byArea = Object.groupBy(distribution, ({ elomrade }) => elomrade);
    assert.deepEqual(
      [byArea.SE1?.length, byArea.SE2?.length, byArea.SE3?.length, byArea.SE4?.length],
      [16, 28, 179, 55],
    );
    assert.equal(new Set(distribution.map(({ owner }) => owner)).size, 145);
  });

  it('the bundled tables name the source of every table with rows', () => {
    const named = new Set(tables.sources.map(({ table }) => table));
    const filled = TABLE_NAMES.filter((name) => tables[name].length > 0);
    assert.deepEqual(
      filled.filter((name) => !named.has(name)),
      [],
    );
  });

  it('the bundled tables are encoded exactly as they were read', () => {
    for (const name of TABLE_NAMES)
      assert.equal(rewritten(tables, name), readFileSync(join(BUNDLED, fileOf(name)), 'utf8'), name);
  });
});

function rewritten<T extends keyof typeof CODECS>(tables: AreaTables, name: T): string {
  const sources = tables.sources.filter(({ table }) => table === name);
  return encodeTable(CODECS[name] as never, { rows: tables[name] as never[], sources });
}

describe('reading tables', () => {
  it('reading tables reads each from the first folder that has it', () => {
    const own = emptyFolder();
    const text = readFileSync(join(BUNDLED, 'tax_rates.tsv'), 'utf8');
    writeFileSync(join(own, 'tax_rates.tsv'), text.replace('2026-01-01\t36.0', '2026-01-01\t36.1'));
    const tables = readTables([own, BUNDLED]);
    assert.equal(tables.tax_rates.at(-1)?.normal, '36.1');
    assert.equal(tables.postal_codes.length, 19_118);
    assert.equal(readTables([BUNDLED, own]).tax_rates.at(-1)?.normal, '36.0');
  });

  it('reading tables prefers files that an import had prepared to the old ones', () => {
    const own = emptyFolder();
    const text = readFileSync(join(BUNDLED, 'tax_rates.tsv'), 'utf8');
    writeFileSync(join(own, 'tax_rates.tsv'), text);
    mkdirSync(join(own, READY));
    writeFileSync(join(own, READY, 'tax_rates.tsv'), text.replace('2026-01-01\t36.0', '2026-01-01\t36.2'));
    assert.equal(readTables([own, BUNDLED]).tax_rates.at(-1)?.normal, '36.2');
  });

  it('reading tables names the folders when none has a table', () => {
    const own = emptyFolder();
    assert.match(
      faultOf(() => readTables([own])),
      /There is no counties\.tsv in .*elnav-seed/,
    );
  });

  const FAULTS: readonly [string, keyof typeof CODECS, string | RegExp, string, RegExp][] = [
    [
      'another version',
      'zones',
      '#elnav\tzones\t1',
      '#elnav\tzones\t2',
      /zones\.tsv line 1: is of version 2/,
    ],
    ['another table', 'zones', '#elnav\tzones', '#elnav\tareas', /zones\.tsv line 1: must begin/],
    [
      'a file cut short inside a line',
      'municipalities',
      /01\n0115[\s\S]*/,
      '01\n01',
      /line 4: the file is cut short|line 5: the file is cut short/,
    ],
    [
      'a file cut short at a line end',
      'municipalities',
      /(01\n)0117[\s\S]*/,
      '$1',
      /municipalities\.tsv line 5: must end with "#end" and 1/,
    ],
    [
      'other columns',
      'operators',
      'id\tname',
      'name\tid',
      /operators\.tsv line 4: must name the columns id, name/,
    ],
    [
      'a row with a missing cell',
      'operators',
      '10000\tSvenska kraftnät',
      '10000',
      /operators\.tsv line 5: has 1 cells, not 2/,
    ],
    [
      'a source without a day',
      'operators',
      '2026-08-17',
      'August',
      /operators\.tsv line 2: a source must have/,
    ],
    ['a table without a source', 'counties', /#source.*\n/, '', /counties\.tsv line 2: must state a #source/],
    ['a code twice', 'operators', '10300\t', '10000\t', /operators\.tsv line 6: 10000 stands after 10000/],
    [
      'rows out of order',
      'operators',
      '10000\t',
      '10400\t',
      /operators\.tsv line 6: 10300 stands after 10400/,
    ],
    [
      'a postal code of four digits',
      'postal_codes',
      '\n10004\t',
      '\n1004\t',
      /postal_codes\.tsv line 5: "1004" in cell 1 must be five digits/,
    ],
    [
      'an unknown price area',
      'postal_codes',
      'SE3\tregister',
      'SE5\tregister',
      /line 5: "SE5" must be one of SE1, SE2, SE3, SE4/,
    ],
    [
      'an unknown basis',
      'postal_codes',
      'SE3\tregister',
      'SE3\tguess',
      /line 5: "guess" must be one of register/,
    ],
    [
      'a position abroad',
      'postal_codes',
      '59.3326\t18.0649',
      '18.0649\t59.3326',
      /line 5: 18\.0649° in cell 5 is outside Sweden/,
    ],
    [
      'half a position',
      'postal_codes',
      '59.3326\t18.0649',
      '59.3326\t',
      /line 5: must have both lat and lon/,
    ],
    [
      'a county that is not listed',
      'municipalities',
      'Upplands Väsby\t01',
      'Upplands Väsby\t02',
      /municipalities\.tsv line 4: there is no county 02/,
    ],
    [
      'an owner that is not registered',
      'grid_areas',
      '\t16400\t',
      '\t99999\t',
      /grid_areas\.tsv line 5: there is no operator 99999/,
    ],
    [
      'a shape with swapped coordinates',
      'zones',
      '2238787 6543366',
      '6543366 2238787',
      /zones\.tsv line 4: point 1 at .* is far outside Sweden/,
    ],
    [
      'a ring out of order',
      'zones',
      '\t0\t0\t2238787',
      '\t1\t0\t2238787',
      /zones\.tsv line 4: ring 0 of polygon 1 of SE1 is out of order/,
    ],
    [
      'a ring number that is not whole',
      'zones',
      '2238787 6543366',
      '2238787 x',
      /zones\.tsv line 4: "x" is not a whole number/,
    ],
    [
      'a day that does not exist',
      'tax_rates',
      '2024-01-01',
      '2024-02-30',
      /tax_rates\.tsv line 6: there is no day 2024-02-30/,
    ],
    [
      'a reduced rate above the normal',
      'tax_rates',
      '42.8\t33.2',
      '42.8\t43.2',
      /line 6: the reduced rate is above/,
    ],
    [
      'a reduction that ends before it begins',
      'reduced_tax',
      '1737\t2022-01-01\t',
      '1737\t2022-01-01\t2021-01-01',
      /line 4: valid_until must be after/,
    ],
  ];

  for (const [what, table, from, to, sentence] of FAULTS) {
    it(`reading tables reports ${what}`, () => {
      const folder = changed(table, from, to);
      assert.match(
        faultOf(() => readTables([folder])),
        sentence,
      );
    });
  }

  it('reading tables reports a municipality of a postal code that is in no table', () => {
    const folder = changed('postal_codes', '\t0180\t', '\t0199\t');
    assert.match(
      faultOf(() => readTables([folder])),
      /postal_codes\.tsv line 5: there is no municipality 0199/,
    );
  });

  it('reading tables refuses a file truncated at any point', () => {
    const folder = emptyFolder();
    cpSync(BUNDLED, folder, { recursive: true });
    const file = join(folder, 'counties.tsv');
    const text = readFileSync(file, 'utf8');
    for (let length = 0; length < text.length; length += 3) {
      assert.throws(
        () => decodeTable(CODECS.counties, { text: text.slice(0, length), file }),
        OperatorError,
        `${length}`,
      );
    }
    decodeTable(CODECS.counties, { text, file });
  });

  it('reading tables requires the shapes of all price areas', () => {
    const folder = emptyFolder();
    cpSync(BUNDLED, folder, { recursive: true });
    const file = join(folder, 'zones.tsv');
    const lines = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => !line.startsWith('SE4'));
    const count = lines.filter((line) => line.startsWith('SE')).length;
    writeFileSync(file, lines.join('\n').replace(/#end\t\d+/, `#end\t${count}`));
    assert.match(
      faultOf(() => readTables([folder])),
      /zones\.tsv line 1: must have all of SE1, SE2, SE3 and SE4/,
    );
  });
});

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, it, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { zipSync } from 'fflate';
import { CHILD_ENV } from '../../test/kit/environment.ts';
import { readTables } from '../domain/market/areas/index.ts';
import { readArguments } from '../registers/index.ts';

const BUNDLED = 'seed';
const made: string[] = [];
after(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'elnav-import-'));
  made.push(folder);
  return folder;
}

function fileWith(content: string | Uint8Array): string {
  const file = join(emptyFolder(), 'original');
  writeFileSync(file, content);
  return file;
}

function started(args: readonly string[], environment: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, ['src/bin/import.ts', ...args], { env: { ...CHILD_ENV, ...environment } });
}

async function run(args: readonly string[], environment: Record<string, string> = {}) {
  const child = started(args, environment);
  assert.ok(child.stdout !== null && child.stderr !== null);
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [out, faults, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out, faults };
}

const tables = readTables([BUNDLED]);

/** The registers as eSett's interface answers them, with something changed. */
const exp03 = tables.grid_areas.map((area) => ({
  mgaCode: area.code,
  mgaName: area.code === 'ABB' ? 'Älvsbyn' : area.name,
  mgaType: area.type,
  mba: area.elomrade,
  dsoName: area.owner_name,
  country: 'SE',
}));
const exp01 = tables.operators.map(({ id, name }) => ({
  dsoCode: id,
  dsoName: name,
  codingScheme: 'NSE',
  country: 'SE',
}));

const filesIn = (folder: string) => readdirSync(folder).sort();

async function serving(test: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('npm run import', () => {
  it('npm run import explains itself', async () => {
    const { code, out } = await run(['--help']);
    assert.equal(code, 0);
    for (const word of [
      'postal-codes',
      'grid-areas',
      'concessions',
      'municipalities',
      'zones',
      'tax',
      'all',
      '--dry-run',
      '--accept-losses',
    ]) {
      assert.ok(out.includes(word), word);
    }
  });

  const WRONG: readonly [string, readonly string[], RegExp][] = [
    [
      'a command that is none',
      ['prices'],
      /"prices" must be one of municipalities, municipality-shapes, zones, grid-areas/,
    ],
    ['an option that is none', ['zones', '--form', 'x'], /Unknown option '--form'/],
    [
      'an original of another table',
      ['zones', '--from', 'grid-areas=x'],
      /zones reads zones, not grid-areas/,
    ],
    ['a file without saying of what', ['all', '--from', 'x.csv'], /--from <original>=x\.csv/],
    ['a day that is none', ['zones', '--as-of', '2026-02-30'], /"2026-02-30" must be a day/],
    ['tax without a file', ['tax'], /tax needs --from/],
    ['one original twice', ['postal-codes', '--from', 'a', '--from', 'b'], /postal-codes can be given once/],
  ];
  for (const [what, args, sentence] of WRONG) {
    it(`npm run import refuses ${what}`, () =>
      assert.throws(() => readArguments(args, '2026-11-21'), sentence));
  }

  it('npm run import refuses a file that is not there, in one sentence', async () => {
    const out = emptyFolder();
    const { code, faults } = await run(['zones', '--from', 'not-there.json', '--out', out]);
    assert.equal(code, 1);
    assert.equal(faults, 'elnav: The file not-there.json is not there.\n');
    assert.deepEqual(filesIn(out), []);
  });

  it('npm run import brings in registers from addresses, redirections followed, and tells what changed', async (test) => {
    const base = await serving(test, (request, response) => {
      if (request.url === '/EXP03?old=1') return response.writeHead(302, { location: '/new' }).end();
      return response.end(JSON.stringify(request.url === '/new' ? exp03 : exp01));
    });
    const out = emptyFolder();
    const args = [
      'grid-areas',
      '--from',
      `${base}/EXP03?old=1`,
      '--operators',
      `${base}/EXP01`,
      '--as-of',
      '2027-01-02',
    ];
    // A setting of a vendor is known here too.
    const environment = { ELNAV_DATA_DIR: out, ELNAV_TESLA_MONTHLY_USD: '5' };
    const dry = await run([...args, '--dry-run'], environment);
    assert.equal(dry.code, 0, dry.faults);
    assert.match(
      dry.out,
      /grid_areas: 373 rows \(before: 373\), 0 added, 0 removed, 1 changed\n {2}~ ABB Älvsbybygden .* → {2}ABB Älvsbyn/,
    );
    assert.match(dry.out, /Nothing was changed: --dry-run/);
    assert.deepEqual(filesIn(out), []);

    const { code, faults } = await run(args, environment);
    assert.equal(code, 0, faults);
    const after = readTables([join(out, 'seed'), BUNDLED]);
    assert.equal(after.grid_areas.find((area) => area.code === 'ABB')?.name, 'Älvsbyn');
    assert.deepEqual(
      after.sources.filter(({ table }) => table === 'grid_areas').map(({ name, as_of }) => [name, as_of]),
      [['eSett Open Data', '2027-01-02']],
    );
  });

  it('npm run import says which address failed', async (test) => {
    const base = await serving(test, (_, response) => response.writeHead(404).end());
    const out = emptyFolder();
    const { code, faults } = await run(['zones', '--from', `${base}/zones.json`, '--out', out]);
    assert.equal(code, 1);
    assert.match(faults, /127\.0\.0\.1:\d+\/zones\.json could not be read: .*404.*Nothing was changed/);
  });

  it('npm run import compiles all of it at once', async () => {
    const out = emptyFolder();
    const line = (row: (typeof tables.postal_codes)[number]) =>
      [
        'SE',
        `${row.code.slice(0, 3)} ${row.code.slice(3)}`,
        row.place,
        '',
        '',
        '',
        row.municipality,
        '',
        '',
        row.lat ?? '',
        row.lon ?? '',
        '4',
      ].join('\t');
    const positioned = tables.postal_codes.filter(({ lat }) => lat !== null);
    const zip = zipSync({ 'SE.txt': Buffer.from(`${positioned.map(line).join('\n')}\n`) });
    const stated = tables.postal_codes.map(
      ({ code, place, municipality }) => `${code},${place},${municipality}\n`,
    );
    const {
      code,
      out: printed,
      faults,
    } = await run([
      'all',
      '--from',
      `grid-areas=${fileWith(JSON.stringify(exp03))}@2027-01-02`,
      '--from',
      `operators=${fileWith(JSON.stringify(exp01))}`,
      '--from',
      `postal-codes=${fileWith(zip)}@2027-01-03`,
      '--from',
      `postal-municipalities=${fileWith(`postal_code,locality,municipality_code\n${stated.join('')}`)}`,
      '--out',
      out,
    ]);
    assert.equal(code, 0, faults);
    assert.match(printed, /postal_codes: 19118 rows \(before: 19118\), 0 added, 0 removed/);
    assert.deepEqual(filesIn(out), ['figures.tsv', 'grid_areas.tsv', 'operators.tsv', 'postal_codes.tsv']);
    const after = readTables([out, BUNDLED]);
    assert.deepEqual(
      after.sources
        .filter(({ table }) => table === 'postal_codes')
        .map(({ name, as_of }) => [name.split(' ')[0], as_of])[0],
      ['GeoNames', '2027-01-03'],
    );
  });

  it('npm run import brings in rates of tax from files of the operator', async () => {
    const out = emptyFolder();
    const rates = tables.tax_rates.map((row) => `${row.valid_from},${row.normal},${row.reduced}\n`).join('');
    const file = fileWith(`valid_from,normal,reduced\n${rates}2027-01-01,37.0,27.4\n`);
    const { code, out: printed, faults } = await run(['tax', '--from', file, '--out', out]);
    assert.equal(code, 0, faults);
    assert.match(printed, /tax_rates: 6 rows \(before: 5\), 1 added/);
    assert.equal(readTables([out, BUNDLED]).tax_rates.at(-1)?.normal, '37.0');
    const again = await run(['tax', '--from', file, '--out', out]);
    assert.match(again.out, /Nothing changes\./);
  });

  it('npm run import refuses a table that another one no longer fits', async () => {
    const out = emptyFolder();
    const region = (codes: readonly string[]) =>
      JSON.stringify({ variables: [{ code: 'Region', values: codes, valueTexts: codes.map(() => 'x') }] });
    const codes = [
      ...tables.counties.map(({ code }) => code),
      ...tables.municipalities.map(({ code }) => code),
    ];
    const without = fileWith(region(codes.filter((code) => code !== '2580')));
    const { code, faults } = await run(['municipalities', '--from', without, '--out', out]);
    assert.equal(code, 1);
    assert.match(faults, /there is no municipality 2580/);
    assert.deepEqual(filesIn(out), []);
  });

  const register = JSON.stringify(exp03);
  const BROKEN: readonly [string, string, RegExp][] = [
    ['empty', '', /is empty/],
    ['a web page', '<!DOCTYPE html><h1>Sorry</h1>', /is a web page/],
    ['half of it', register.slice(0, register.length / 2), /is not whole JSON/],
    [
      'most of it gone',
      JSON.stringify(exp03.slice(0, 250)),
      /grid_areas would lose 123 of its 373 rows .*--accept-losses/,
    ],
  ];
  for (const [what, content, sentence] of BROKEN) {
    it(`npm run import leaves tables as they are where the file is ${what}`, async () => {
      const out = emptyFolder();
      cpSync(BUNDLED, out, { recursive: true });
      const { code, faults } = await run(['grid-areas', '--from', fileWith(content), '--out', out]);
      assert.equal(code, 1);
      assert.match(faults, sentence);
      assert.deepEqual(filesIn(out), filesIn(BUNDLED));
      for (const name of filesIn(out))
        assert.equal(readFileSync(join(out, name), 'utf8'), readFileSync(join(BUNDLED, name), 'utf8'));
    });
  }

  it('npm run import takes losses that are asked for', async () => {
    const out = emptyFolder();
    const file = fileWith(JSON.stringify(exp03.slice(0, 250)));
    const { code, faults } = await run(['grid-areas', '--from', file, '--out', out, '--accept-losses']);
    assert.equal(code, 0, faults);
    assert.equal(readTables([out, BUNDLED]).grid_areas.length, 250);
  });

  it('npm run import leaves tables that can be read, old or new, wherever it is killed', async () => {
    const file = fileWith(register);
    const seen = new Set<string>();
    const folder = emptyFolder();
    cpSync(BUNDLED, folder, { recursive: true });
    for (const blow of ['.pending-', '.ready', 'end']) {
      const child = started(['grid-areas', '--from', file, '--out', folder]);
      const ended = new Promise((resolve) => child.on('close', resolve));
      // Struck as soon as the folder shows how far it has come; where it was faster, it has ended.
      let isOver = false;
      void ended.then(() => {
        isOver = true;
      });
      while (!isOver && !readdirSync(folder).some((name) => name.startsWith(blow)))
        // Not at once: the child needs the processor.
        await setTimeout(1);
      child.kill('SIGKILL');
      await ended;
      const name = readTables([folder, BUNDLED]).grid_areas.find((area) => area.code === 'ABB')?.name ?? '';
      assert.ok(['Älvsbybygden', 'Älvsbyn'].includes(name), name);
      seen.add(name);
    }
    // The last one was left to end.
    assert.ok(seen.has('Älvsbyn'));
    assert.deepEqual(filesIn(folder), filesIn(BUNDLED));
  });
});

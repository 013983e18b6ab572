import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { OperatorError } from '../core/errors.ts';
import { CODECS, READY } from '../domain/market/areas/index.ts';
import {
  changesOf,
  describeChanges,
  encodeFigures,
  finishWriting,
  readFigures,
  refuseLosses,
  withFigures,
  writeTables,
} from './write-tables.ts';

const made: string[] = [];
after(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** A folder with two old files. */
function folderOf(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'elnav-write-'));
  made.push(folder);
  for (const name of ['a.tsv', 'b.tsv']) writeFileSync(join(folder, name), text);
  return folder;
}

const filesIn = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));

const NEW = new Map([
  ['a.tsv', 'new'],
  ['c.tsv', 'new'],
]);

describe('writing tables', () => {
  it('writing tables replaces changed files, keeps the rest, and leaves no other files', () => {
    const folder = folderOf('old');
    const validated: Record<string, string>[] = [];
    writeTables(folder, NEW, (pending) => validated.push(filesIn(pending)));
    assert.deepEqual(validated, [{ 'a.tsv': 'new', 'c.tsv': 'new' }]);
    assert.deepEqual(filesIn(folder), { 'a.tsv': 'new', 'b.tsv': 'old', 'c.tsv': 'new' });
  });

  it('writing tables creates a missing folder', () => {
    const folder = join(folderOf('old'), 'data', 'seed');
    writeTables(folder, NEW, () => {});
    assert.deepEqual(filesIn(folder), { 'a.tsv': 'new', 'c.tsv': 'new' });
  });

  it('writing tables changes nothing when validation fails', () => {
    const folder = folderOf('old');
    const refuse = () => {
      throw new OperatorError('a.tsv line 3: no.');
    };
    assert.throws(() => writeTables(folder, NEW, refuse), /a\.tsv line 3: no\./);
    assert.deepEqual(filesIn(folder), { 'a.tsv': 'old', 'b.tsv': 'old' });
  });

  it('writing tables changes nothing when a file cannot be written, and reports it', () => {
    const folder = folderOf('old');
    const files = new Map([...NEW, [join('not', 'there.tsv'), 'new']]);
    assert.throws(() => writeTables(folder, files, () => {}), /cannot be written; nothing in it was changed/);
    assert.deepEqual(filesIn(folder), { 'a.tsv': 'old', 'b.tsv': 'old' });
  });

  it('writing tables removes what a killed import had not finished', () => {
    const folder = folderOf('old');
    mkdirSync(join(folder, '.pending-x'));
    writeFileSync(join(folder, '.pending-x', 'a.tsv'), 'ha');
    finishWriting(folder);
    assert.deepEqual(filesIn(folder), { 'a.tsv': 'old', 'b.tsv': 'old' });
  });

  it('writing tables completes what a killed import had prepared, at any point of the move', () => {
    const folder = folderOf('old');
    mkdirSync(join(folder, READY));
    writeFileSync(join(folder, 'a.tsv'), 'new');
    writeFileSync(join(folder, READY, 'c.tsv'), 'new');
    finishWriting(folder);
    assert.deepEqual(filesIn(folder), { 'a.tsv': 'new', 'b.tsv': 'old', 'c.tsv': 'new' });
    assert.equal(existsSync(join(folder, READY)), false);
  });
});

describe('what an import changes', () => {
  const codec = CODECS.operators;
  const operators = (ids: readonly number[], name = 'Nät AB') =>
    ids.map((id) => ({ id: String(id), name: `${name} ${id}` }));
  const ten = [...Array(10).keys()].map((index) => 10_000 + index);

  it('what an import changes is listed by row, with the first of each kind', () => {
    const after = [...operators(ten.slice(1)), ...operators([20_001]), ...operators([])].map((row) =>
      row.id === '10005' ? { ...row, name: 'Annat AB' } : row,
    );
    const changes = changesOf(codec, { before: operators(ten), after });
    assert.deepEqual(describeChanges(changes), [
      'operators: 10 rows (before: 10), 1 added, 1 removed, 1 changed',
      '  + 20001',
      '  - 10000',
      '  ~ 10005 Nät AB 10005  →  10005 Annat AB',
    ]);
    refuseLosses(changes);
  });

  it('what an import changes names five and counts the others', () => {
    const lines = describeChanges(changesOf(codec, { before: [], after: operators(ten) }));
    assert.equal(lines.length, 7);
    assert.equal(lines.at(-1), '  + … and 5 more');
  });

  it('what an import changes is refused when more than a fifth of the rows would be removed', () => {
    const without = (count: number) =>
      changesOf(codec, { before: operators(ten), after: operators(ten.slice(count)) });
    refuseLosses(without(2));
    assert.throws(
      () => refuseLosses(without(3)),
      /operators would lose 3 of its 10 rows \(10000, 10001, 10002…\)/,
    );
  });
});

describe('figures', () => {
  it('figures are stored by name, and replaced', () => {
    const folder = folderOf('old');
    assert.deepEqual(readFigures([folder]), []);
    const figures = withFigures([{ name: 'b', count: 1 }], { a: 2, b: 3 });
    writeFileSync(join(folder, 'figures.tsv'), encodeFigures(figures));
    assert.deepEqual(readFigures([join(folder, 'none'), folder]), [
      { name: 'a', count: 2 },
      { name: 'b', count: 3 },
    ]);
    writeFileSync(join(folder, 'figures.tsv'), encodeFigures(figures).replace('\t2', '\tx'));
    assert.throws(() => readFigures([folder]), /figures\.tsv line 3: must be a name and a whole number/);
  });
});

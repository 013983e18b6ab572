import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '../core/errors.ts';
import { decodeSeed, encodeTable, faultAt, isMissing, READY, type SeedShape } from '../domain/areas/index.ts';

/** A figure counted during an import, which cannot be counted from the tables. */
export interface Figure {
  readonly name: string;
  readonly count: number;
}

export const FIGURES_FILE = 'figures.tsv';

const SHAPE = { table: 'figures', version: 1, columns: ['name', 'count'] } satisfies SeedShape;

export function encodeFigures(figures: readonly Figure[]): string {
  return encodeTable(
    {
      ...SHAPE,
      key: (figure: Figure) => figure.name,
      encode: ({ name, count }) => [[name, String(count)]],
      decode: () => [],
    },
    { rows: figures, sources: [] },
  );
}

/** The figures of the first folder that has some; empty before the first import. */
export function readFigures(folders: readonly string[]): readonly Figure[] {
  for (const folder of folders.flatMap((one) => [join(one, READY), one])) {
    const file = join(folder, FIGURES_FILE);
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch (error) {
      if (isMissing(error)) continue;
      throw new OperatorError(`${file} cannot be read.`, { cause: error });
    }
    return decodeSeed(SHAPE, { text, file }).rows.map(({ line, cells: [name = '', count = ''] }) => {
      if (name === '' || !/^\d+$/.test(count))
        throw faultAt({ file, line }, 'must be a name and a whole number.');
      return { name, count: Number(count) };
    });
  }
  return [];
}

/** The figures, with those of the same names replaced. */
export function withFigures(figures: readonly Figure[], counted: Readonly<Record<string, number>>): Figure[] {
  const all = new Map(figures.map(({ name, count }) => [name, count]));
  for (const [name, count] of Object.entries(counted)) all.set(name, count);
  return [...all].map(([name, count]) => ({ name, count }));
}

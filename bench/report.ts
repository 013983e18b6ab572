import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** One figure with its comparison. */
export interface Row {
  readonly what: string;
  readonly figure: string;
  /** The opponent of the same run and its figure; empty for an absolute target. */
  readonly against?: string;
  /** elnav's figure as a share or multiple of the opponent's. */
  readonly ratio?: string;
  readonly target?: string;
  readonly met?: boolean;
}

export interface Section {
  readonly title: string;
  readonly note?: string;
  readonly rows: readonly Row[];
}

export type Bench = () => Promise<Section[]>;

const DOCUMENT = new URL('../docs/benchmarks.md', import.meta.url);

/** `npm run bench -- <name> --short` measures less and for a shorter time: it shows that a bench runs, and its figures mean nothing. */
export const isShort = process.argv.includes('--short');
export const sized = (full: number, short: number): number => (isShort ? short : full);

const verdictOf = ({ met }: Row): string => (met === undefined ? '' : met ? 'met' : '**missed**');
const cellsOf = (row: Row): readonly string[] => [
  row.figure,
  row.against ?? '',
  row.ratio ?? '',
  row.target ?? '',
  verdictOf(row),
];

/** Prints a section with one figure a line. */
export function print({ title, note, rows }: Section): void {
  console.log(`\n${title}${note === undefined ? '' : `\n  ${note}`}`);
  for (const row of rows)
    console.log(
      `  ${row.what}: ${cellsOf(row)
        .filter((cell) => cell !== '')
        .join(' | ')}`,
    );
}

/** Puts the sections of a bench into `docs/benchmarks.md`, in place of those that it wrote before; other parts stay. */
export function write(name: string, sections: readonly Section[]): void {
  const text = readFileSync(DOCUMENT, 'utf8');
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from === -1 || to === -1) throw new Error(`docs/benchmarks.md has no part of ${name}`);
  const date = new Date().toISOString().slice(0, 10);
  const machine = `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'processor'}, ${date}.`;
  const own = [begin, `\n*\`npm run bench -- ${name}\`; ${machine}*\n`, ...sections.map(markdownOf)].join(
    '\n',
  );
  writeFileSync(DOCUMENT, `${text.slice(0, from)}${own}\n${text.slice(to)}`);
}

function markdownOf({ title, note, rows }: Section): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [
    `### ${title}`,
    '',
    ...(note === undefined ? [] : [`${note}.`, '']),
    line(['', 'elnav', 'against', 'ratio', 'target', '']),
    line(['---', '--:', '--:', '--:', '---', '---']),
    ...rows.map((row) => line([row.what, ...cellsOf(row)])),
    '',
  ].join('\n');
}

export const count = (value: number): string => Math.round(value).toLocaleString('en');

export const ms = (value: number): string =>
  `${value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : Math.round(value)} ms`;

export const percent = (share: number): string => `${Math.round(share * 100)} %`;

export const mebibytes = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MB`;

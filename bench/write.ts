import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { ENGINES } from '../test/kit/databases.ts';
import { type Section, verdictOf } from './report.ts';

const FILE = new URL('../docs/benchmarks.md', import.meta.url);

const READING = `Every figure has its opponent, or its target, beside it. An opponent is measured in the same run, in turn with
elnav and after a warm-up of both; a ratio is the median of the rounds' ratios, so that what else the machine does falls
on both. Compare ratios between machines, and figures only on one. The load comes from a process of its own on the same
machine, over loopback: on few cores it holds the fast opponent back more than elnav, so the processor time of the
server, which it cannot touch, is given too. Rows without a target are information.`;

/** Writes \`docs/benchmarks.md\` from what was measured just now. */
export function write(sections: readonly Section[]): void {
  const [cpu] = cpus();
  const gigabytes = Math.round(totalmem() / 1024 ** 3);
  const machine = `${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${gigabytes} GB, ${process.platform} ${process.arch}, Node ${process.version}`;
  const engines = ENGINES.map((engine) => (engine === 'sqlite' ? 'SQLite' : 'PostgreSQL')).join(' and ');
  const date = new Date().toISOString().slice(0, 10);
  const text = [
    '<!-- Written by the bench itself (`npm run bench -- --write`); do not edit. -->',
    '# Benchmarks',
    '',
    `Measured on ${date}: ${machine}; ${engines}.`,
    '',
    'Command: `npm run bench`, with `TEST_DATABASE_URL` for PostgreSQL; parts of it: `npm run bench:connect`, `npm run bench:list`, `npm run bench:stations`.',
    '',
    '## How to read them',
    '',
    READING,
    ...sections.flatMap(tableOf),
    '',
  ].join('\n');
  writeFileSync(FILE, text);
}

function tableOf({ title, note, rows }: Section): string[] {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [
    '',
    `## ${title}`,
    '',
    ...(note === undefined ? [] : [`${note}.`, '']),
    line(['What', 'elnav', 'Against', 'Ratio', 'Target', '']),
    line(['---', '--:', '--:', '--:', '---', '---']),
    ...rows.map((row) =>
      line([row.what, row.figure, row.against ?? '', row.ratio ?? '', row.target ?? '', verdictOf(row)]),
    ),
  ];
}

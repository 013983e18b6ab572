import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { type Section, verdictOf } from './report.ts';

const FILE = new URL('../docs/benchmarks-grid.md', import.meta.url);
const HEAD = `<!-- Written by the benches themselves (\`npm run bench:… -- --write\`); do not edit. -->
# The Grid service, measured

An opponent is measured in the same run, in turn with elnav and after a warm-up of both; a ratio is the median of the
rounds' ratios. Compare ratios between machines, and figures only on one. Rows without a target are information.
`;

/** Puts the sections into \`docs/benchmarks-grid.md\` in place of what the same bench wrote before; other parts stay. */
export function writeGrid(part: string, sections: readonly Section[]): void {
  const [begin, end] = [`<!-- ${part} -->`, `<!-- end of ${part} -->`];
  const text = existsSync(FILE) ? readFileSync(FILE, 'utf8') : HEAD;
  const machine = `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'processor'}, ${new Date().toISOString().slice(0, 10)}.`;
  const own = [begin, `\n*\`npm run bench:${part}\`; ${machine}*\n`, ...sections.map(markdownOf), end].join(
    '\n',
  );
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  const isThere = from !== -1 && to !== -1;
  writeFileSync(
    FILE,
    isThere ? `${text.slice(0, from)}${own}${text.slice(to + end.length)}` : `${text}\n${own}\n`,
  );
}

function markdownOf({ title, note, rows }: Section): string {
  const lines = rows.map((row) => {
    const { what, figure, against = '', ratio = '', target = '' } = row;
    return `| ${[what, figure, against, ratio, target, verdictOf(row)].join(' | ')} |`;
  });
  return [
    `## ${title}`,
    '',
    ...(note === undefined ? [] : [`${note}.`, '']),
    '| | elnav | against | ratio | target | |',
    '| --- | --: | --: | --: | --- | --- |',
    ...lines,
    '',
  ].join('\n');
}

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { type Section, verdictOf } from './report.ts';

const COMPARED =
  'Compare ratios between machines, and figures only on one. Rows without a target are information.';
const WRITTEN = '<!-- Written by the benches themselves (`npm run bench:… -- --write`); do not edit. -->';

/** The documents that several benches write a part of. */
const DOCUMENTS = {
  grid: {
    title: 'The Grid service, measured',
    name: 'benchmarks-grid.md',
    how: `An opponent is measured in the same run, in turn with elnav and after a warm-up of both; a ratio is the median of the
rounds' ratios. ${COMPARED}`,
  },
  console: {
    title: 'The console, measured',
    name: 'benchmarks-console.md',
    how: `The page of devices in a browser, and beside it a plain table: a page that changes the DOM by hand, with the same devices and the
same stream of events. Both are measured in the same run, in turn. ${COMPARED}`,
  },
};

/** Puts the sections of a bench into its document in `docs/`, in place of what it wrote before; other parts stay. */
export function writePart(
  document: keyof typeof DOCUMENTS,
  part: string,
  sections: readonly Section[],
): void {
  const { title, name, how } = DOCUMENTS[document];
  const file = new URL(`../docs/${name}`, import.meta.url);
  const [begin, end] = [`<!-- ${part} -->`, `<!-- end of ${part} -->`];
  const text = existsSync(file) ? readFileSync(file, 'utf8') : `${WRITTEN}\n# ${title}\n\n${how}\n`;
  const machine = `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'processor'}, ${new Date().toISOString().slice(0, 10)}.`;
  const own = [begin, `\n*\`npm run bench:${part}\`; ${machine}*\n`, ...sections.map(markdownOf), end].join(
    '\n',
  );
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  const isThere = from !== -1 && to !== -1;
  writeFileSync(
    file,
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

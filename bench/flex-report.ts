import { cpus } from 'node:os';
import { type Section, verdictOf } from './report.ts';

/** The figures as a document, with the machine. */
export function markdownOf(sections: readonly Section[]): string {
  const machine = `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'processor'}`;
  const tables = sections.map(({ title, note, rows }) => {
    const lines = rows.map(({ what, figure, against = '', ratio = '', target = '', met }) => {
      const verdict = met === undefined ? target : `${target}: ${verdictOf({ what, figure, met })}`;
      return `| ${[what, figure, against, ratio, verdict].join(' | ')} |`;
    });
    return [
      `## ${title}`,
      '',
      ...(note === undefined ? [] : [note, '']),
      '| | elnav | against | ratio | target |',
      '| --- | --- | --- | --- | --- |',
      ...lines,
      '',
    ].join('\n');
  });
  return `<!-- Written by bench/flex.ts --write. -->\n# Fleet dispatch, measured\n\n${machine}.\n\n${tables.join('\n')}`;
}

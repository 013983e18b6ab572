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

/** Runs benches one after the other and prints each section as it is done. */
export async function run(benches: readonly Bench[]): Promise<Section[]> {
  const sections: Section[] = [];
  for (const bench of benches) {
    for (const section of await bench()) {
      sections.push(section);
      print(section);
    }
  }
  const missed = sections.flatMap(({ rows }) => rows).filter(({ met }) => met === false);
  console.log(missed.length === 0 ? 'All targets are met.' : `${missed.length} targets are missed.`);
  if (missed.length > 0) process.exitCode = 1;
  return sections;
}

function print({ title, note, rows }: Section): void {
  console.log(`\n${title}${note === undefined ? '' : `\n  ${note}`}`);
  for (const row of rows) {
    const parts = [row.figure, row.against ?? '', row.ratio ?? '', row.target ?? '', verdictOf(row)];
    console.log(`  ${row.what}: ${parts.filter((part) => part !== '').join(' | ')}`);
  }
}

export function verdictOf({ met }: Row): string {
  if (met === undefined) return '';
  return met ? 'met' : 'MISSED';
}

export const count = (value: number): string => Math.round(value).toLocaleString('en');

export const ms = (value: number): string =>
  `${value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : Math.round(value)} ms`;

export const percent = (share: number): string => `${Math.round(share * 100)} %`;

export const mebibytes = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MB`;

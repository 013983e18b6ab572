import { globSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Mutant } from './mutant.ts';

export interface ListedMutant extends Mutant {
  /** The name of the file that lists it. */
  readonly area: string;
}

/** Files of this folder without a list. */
const NO_LISTS = new Set(['all', 'mutant', 'try-out']);

/** Every mutant of every list in this folder, in the order of their names. */
export async function allMutants(): Promise<readonly ListedMutant[]> {
  const files = globSync('tools/mutants/*.ts').toSorted();
  const listed: ListedMutant[] = [];
  for (const file of files) {
    const area = basename(file, '.ts');
    if (NO_LISTS.has(area)) continue;
    const { mutants } = (await import(pathToFileURL(resolve(file)).href)) as { mutants: readonly Mutant[] };
    listed.push(...mutants.map((mutant) => ({ ...mutant, area })));
  }
  return listed;
}

/** Why a mutant cannot be applied to the current sources, or null. */
export function faultOf({ file, from, to }: Mutant, root = '.'): string | null {
  let source: string;
  try {
    source = readFileSync(resolve(root, file), 'utf8');
  } catch {
    return `${file} does not exist`;
  }
  const occurrences = source.split(from).length - 1;
  if (occurrences !== 1) return `the text to replace occurs ${occurrences} times in ${file}, not once`;
  return from === to ? 'it replaces the text with itself' : null;
}

/*
 * Test files share processes. One that serves HTTP loads 2,400 modules before its first test, which takes as long as many tests, and
 * its code is slow until it has run for a while.
 */

/** A test file, with its path in the repository and its source text. */
export interface TestFile {
  readonly path: string;
  readonly text: string;
}

/** Files that one process runs, one after another. */
export interface TestGroup {
  readonly name: string;
  readonly paths: readonly string[];
}

/** What a file does to its whole process, or measures of it: hooks before each test, listeners, memory, variables. */
const WHOLE_PROCESS =
  /^(?:beforeEach|afterEach)\(|\bsetEnvironment\(|\bprocess\.(?:on|once|argv|chdir|umask|memoryUsage|cpuUsage|threadCpuUsage)\b/m;

/** Bytes of source text in a group, for want of a better measure of time, and files. */
const LARGEST_BYTES = 60_000;
const MOST_FILES = 12;

/** Longest first, so that no processor is left with a long group at the end: whole services, journeys through them, then parts. */
const FOLDERS = ['test/faults/', 'test/journeys/', 'test/', 'src/bin/', 'src/apps/', 'src/domain/', 'src/'];

/** Neighbours share a group, as they import much the same; files that change or measure their process have one of their own. */
export function groupsOf(files: readonly TestFile[]): readonly TestGroup[] {
  const rank = ({ path }: TestFile) => FOLDERS.findIndex((folder) => path.startsWith(folder));
  const sorted = files.toSorted((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : 1));
  const groups: { name: string; paths: string[] }[] = [];
  let open = { folder: -1, bytes: 0, paths: [] as string[] };
  for (const file of sorted) {
    const bytes = Buffer.byteLength(file.text);
    const isAlone = WHOLE_PROCESS.test(file.text);
    const fits =
      open.folder === rank(file) && open.paths.length < MOST_FILES && open.bytes + bytes <= LARGEST_BYTES;
    if (!isAlone && fits) {
      open.paths.push(file.path);
      open.bytes += bytes;
      continue;
    }
    const group = { name: file.path.replace(/\.test\.ts$/, '').replaceAll('/', '-'), paths: [file.path] };
    groups.push(group);
    if (!isAlone) open = { folder: rank(file), bytes, paths: group.paths };
  }
  return groups;
}

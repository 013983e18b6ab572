import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { dereferenced } from '../src/pages/reference/document.ts';
import { breakingChanges, type ComparedDocument } from './contract-changes.ts';

/*
 * Says which changes of the published documents break callers: `npm run contract:check [-- <git revision>]`, by default against HEAD.
 * Each needs a line in CHANGELOG.md that names the operation or the schema that changed, and that is not in the one of the revision.
 */

const DOCUMENTS = ['docs/openapi/connect.json', 'docs/openapi/grid.json'];
const CHANGELOG = 'CHANGELOG.md';
const revision = process.argv[2] ?? 'HEAD';

/** A file as it was; undefined where the revision does not have it. */
function before(file: string): string | undefined {
  try {
    return execFileSync('git', ['show', `${revision}:${file}`], {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return undefined;
  }
}

type Published = ComparedDocument & {
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
};

/** The names of the schemas that a part of a document leads to. */
function schemasOf(part: unknown, { components }: Published, found = new Set<string>()): ReadonlySet<string> {
  for (const [, name = ''] of JSON.stringify(part ?? null).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (found.has(name)) continue;
    found.add(name);
    schemasOf(components.schemas[name], { components } as Published, found);
  }
  return found;
}

/** Whether a line names an operation or a schema, and not one whose name begins with it. */
const names = (line: string, name: string): boolean =>
  line
    .split(name)
    .slice(1)
    .some((rest) => !/^[\w/{-]/.test(rest));

execFileSync('git', ['rev-parse', '--verify', '--quiet', `${revision}^{commit}`]);
const old = new Set(before(CHANGELOG)?.split('\n'));
const added = readFileSync(CHANGELOG, 'utf8')
  .split('\n')
  .filter((line) => !old.has(line));
for (const file of DOCUMENTS) {
  const now = JSON.parse(readFileSync(file, 'utf8')) as Published;
  const text = before(file);
  const then = text === undefined ? now : (JSON.parse(text) as Published);
  const changed = Object.entries(then.components.schemas)
    .filter(([name, schema]) => !isDeepStrictEqual(schema, now.components.schemas[name]))
    .map(([name]) => name);
  const found = breakingChanges(dereferenced(then), dereferenced(now));
  for (const { operation, change } of found) {
    const [method = '', path = ''] = operation.split(' ');
    const used = schemasOf(then.paths[path]?.[method.toLowerCase()] ?? then.webhooks?.[operation], then);
    const nameable = [operation, ...changed.filter((name) => used.has(name))];
    const isNoted = added.some((line) => nameable.some((name) => names(line, name)));
    console.log(
      `${file}: ${operation}: ${change}${isNoted ? '' : `; it breaks callers: ${CHANGELOG} must name ${nameable.join(' or ')}`}`,
    );
    if (!isNoted) process.exitCode = 1;
  }
  console.log(`${file}: ${found.length} changes since ${revision} break callers`);
}

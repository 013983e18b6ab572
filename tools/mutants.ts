import { parseArgs } from 'node:util';
import { buildConsole } from '../src/bin/console.ts';
import { allMutants, faultOf, type ListedMutant } from './mutants/all.ts';
import { type Copy, copyOfTree, runTests, whileBroken } from './mutants/try-out.ts';

/*
 * `npm run mutants [-- words…]` removes each listed control, one at a time and in a copy of the tree, runs the tests that
 * guard it, and reports the test that noticed. It fails when a removal goes unnoticed.
 */

const HELP = `npm run mutants [-- <words>…] [--list]
  <words>  only mutants whose area has such a name, or whose file or control has one of them
  --list   names the mutants, and breaks nothing`;

const NEEDS = {
  postgres: 'TEST_DATABASE_URL',
  redis: 'TEST_REDIS_URL',
  chromium: 'TEST_CHROMIUM',
} as const;

type Outcome = 'noticed' | 'unnoticed' | 'broken' | 'skipped';

interface Verdict {
  readonly outcome: Outcome;
  readonly detail: string;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { list: { type: 'boolean' }, help: { type: 'boolean' } },
});
if (values.help === true) {
  console.log(HELP);
  process.exit(0);
}
const wanted = positionals.map((word) => word.toLowerCase());
const all = await allMutants();
const areas = new Set(all.map(({ area }) => area));
const chosen = all.filter(({ area, file, control }) => {
  const text = `${file} ${control}`.toLowerCase();
  return (
    wanted.length === 0 || wanted.some((word) => (areas.has(word) ? area === word : text.includes(word)))
  );
});
if (chosen.length === 0) {
  console.error(`mutants: none has ${wanted.join(' or ')} in its area, file or control.\n${HELP}`);
  process.exit(1);
}
if (values.list === true) {
  for (const { area, control, file } of chosen) console.log(`${area}: ${control} (${file})`);
  process.exit(0);
}

const fault = await buildConsole();
if (fault !== null) throw new Error(`the scripts of the pages were not built: ${fault}`);
const copy = copyOfTree();
process.once('exit', () => copy.remove());
/** Results of the tests without a mutant; a test that fails anyway proves nothing. */
const baselines = new Map<string, Promise<string | null>>();
const counts: Record<Outcome, number> = { noticed: 0, unnoticed: 0, broken: 0, skipped: 0 };
for (const mutant of chosen) {
  const { outcome, detail } = await tryMutant(mutant, copy);
  counts[outcome] += 1;
  console.log(`${outcome.padEnd(9)}  ${mutant.area}: ${mutant.control}\n           ${detail}`);
}
console.log(
  `\n${counts.noticed} of ${chosen.length} noticed, ${counts.unnoticed} unnoticed, ${counts.broken} cannot be judged, ${counts.skipped} skipped`,
);
process.exit(counts.unnoticed + counts.broken === 0 ? 0 : 1);

async function tryMutant(mutant: ListedMutant, within: Copy): Promise<Verdict> {
  const missing = (mutant.needs ?? []).map((need) => NEEDS[need]).filter((name) => !process.env[name]);
  if (missing.length > 0) return { outcome: 'skipped', detail: `needs ${missing.join(', ')}` };
  const cannot = faultOf(mutant);
  if (cannot !== null) return { outcome: 'broken', detail: cannot };
  for (const test of mutant.tests) {
    const failsAnyway = await baselineOf(test, within);
    if (failsAnyway !== null) return { outcome: 'broken', detail: failsAnyway };
  }
  const { failed, passed } = await whileBroken(within, mutant, () => runTests(within, mutant.tests));
  if (failed !== null) return { outcome: 'noticed', detail: `by "${failed}"` };
  if (passed === 0) return { outcome: 'broken', detail: 'no test ran: the source does not load with it' };
  return { outcome: 'unnoticed', detail: `${passed} tests of ${mutant.tests.join(', ')} pass without it` };
}

function baselineOf(test: string, within: Copy): Promise<string | null> {
  const cached = baselines.get(test) ?? baseline(test, within);
  baselines.set(test, cached);
  return cached;
}

async function baseline(test: string, within: Copy): Promise<string | null> {
  const { failed, passed } = await runTests(within, [test]);
  if (failed !== null) return `"${failed}" of ${test} fails without a mutant`;
  return passed === 0 ? `${test} runs no test` : null;
}

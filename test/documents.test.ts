import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { type Clock, systemClock } from '../src/core/clock.ts';
import { withoutPrograms } from './kit/programs.ts';
import { ADMIN_TOKEN, makeWorld, type World } from './kit/world.ts';

/*
 * Runs the examples in the documents. A block marked `sh` is run with bash, in order, in one shell; if a block of `json` or `http`
 * follows, the command must print it, apart from white space, where `…` stands for anything. Blocks marked `bash` are not run: they
 * start services or need a machine of their own.
 */

const run = promisify(execFile);

const DOCUMENTS = globSync(['*.md', 'docs/**/*.md', 'src/**/*.md']).map((file) => normalize(file));

interface Step {
  readonly command: string;
  /** Undefined where the document shows no output. */
  readonly printed: string | undefined;
}

function stepsOf(document: string): Step[] {
  const blocks = [...document.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({
    language,
    text,
  }));
  return blocks.flatMap(({ language, text }, index) => {
    if (language !== 'sh') return [];
    const next = blocks[index + 1];
    const answers = next?.language === 'json' || next?.language === 'http';
    return [{ command: text, printed: answers ? next.text : undefined }];
  });
}

function squeezed(text: string): string {
  return text.replaceAll(/\s/g, '');
}

/** Where `got` differs from `printed`, with `…` for anything; null when it does not. Each part is matched leftmost. */
function differenceFrom(printed: string, got: string): string | null {
  const [first = '', ...others] = squeezed(printed).split('…');
  if (!got.startsWith(first) || (others.length === 0 && got !== first)) return first;
  let at = first.length;
  for (const [index, part] of others.entries()) {
    const isLast = index === others.length - 1;
    const found = isLast ? got.length - part.length : got.indexOf(part, at);
    if (found < at || !got.startsWith(part, found)) return part;
    at = found + part.length;
  }
  return null;
}

const TRIED = DOCUMENTS.filter((file) => stepsOf(readFileSync(file, 'utf8')).length > 0);

/** A heading as GitHub and GitLab name it in addresses. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
    .replaceAll(' ', '-');

function anchorsIn(file: string): readonly string[] {
  const prose = readFileSync(file, 'utf8').replaceAll(/^```.*?^```$/gms, '');
  return [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));
}

describe('links in the documents', () => {
  const links = DOCUMENTS.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?[^)]*\)/g)].map(
      ([, to = '', section]) => ({ file, target: to === '' ? file : join(dirname(file), to), section }),
    ),
  );

  it('links in the documents lead to files that exist', () => {
    assert.ok(links.length > 20, `only ${links.length} links were found`);
    assert.deepEqual(
      links.filter(({ target }) => !existsSync(target)),
      [],
    );
  });

  it('links in the documents lead to sections that exist', () => {
    const toSections = links.flatMap(({ section, ...link }) =>
      section !== undefined && link.target.endsWith('.md') ? [{ ...link, section }] : [],
    );
    assert.ok(toSections.length > 20, `only ${toSections.length} links to sections were found`);
    assert.deepEqual(
      toSections.filter(({ target, section }) => !anchorsIn(target).includes(section)),
      [],
    );
  });
});

describe('source files that documents name', () => {
  it('source files that documents name exist', () => {
    // A folder x, or y in x, stands for all of its kind.
    const named = globSync(['*.md', 'docs/**/*.md']).flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/`((?:src|test|bench|tools|console|deploy|docs)\/[\w./-]+)`/g)]
        .filter(([, path = '']) => !/\/x(\/y)?$/.test(path))
        .map(([, path = '']) => ({ file, path })),
    );
    assert.ok(named.length > 40, `only ${named.length} paths were found`);
    assert.deepEqual(
      named.filter(({ path }) => !existsSync(path)),
      [],
    );
  });
});

describe('documents with commands', () => {
  it('documents with commands are the README and the guides', () => {
    assert.ok(TRIED.includes('README.md'));
    assert.ok(TRIED.length > 12, `only ${TRIED.length} documents have commands`);
  });
});

/** From 12 o'clock in Stockholm on a Monday: the load of the sandbox's house depends on the hour. */
function noon(): Clock {
  const ahead = Date.UTC(2026, 5, 1, 10) - Date.now();
  return { now: () => Date.now() + ahead, after: systemClock.after };
}

for (const file of TRIED) {
  describe(`the commands of ${file}`, { skip: withoutPrograms('bash', 'curl') }, () => {
    let world: World;
    const steps = stepsOf(readFileSync(file, 'utf8'));
    before(async () => {
      world = await makeWorld({
        engine: 'sqlite',
        clock: noon(),
        env: { ELNAV_SIMULATE: 'tesla,netatmo' },
      });
      const data = join(world.place.dataDir, 'data');
      mkdirSync(data);
      writeFileSync(join(data, 'admin-token'), ADMIN_TOKEN);
      // Emails are read from where the service writes them when it runs in the folder of the project.
      mkdirSync(join(world.place.dataDir, 'outbox'));
      symlinkSync('../outbox', join(data, 'outbox'));
      // The examples are sent from the folder of the project.
      mkdirSync(join(world.place.dataDir, 'docs'));
      cpSync('docs/examples', join(world.place.dataDir, 'docs/examples'), { recursive: true });
      // Simulators run there, too.
      for (const name of ['package.json', 'src', 'node_modules'])
        symlinkSync(resolve(name), join(world.place.dataDir, name));
    });
    after(() => world.close());

    it(`the commands of ${file} print what the document shows`, async () => {
      const end = '--- end of step ---';
      const script = steps.map(({ command }) => `${command}\necho; echo '${end}'\n`).join('');
      assert.doesNotMatch(script, /:808[01]/, 'the examples work on other ports too');
      const { stdout } = await run('bash', ['-c', script], {
        cwd: world.place.dataDir,
        env: {
          ...process.env,
          CONNECT: world.connect,
          GRID: world.grid,
          KEY: world.running.made.apiKey,
        },
      });
      const printed = stdout.replaceAll('\r', '').split(end);
      for (const [index, step] of steps.entries()) {
        if (step.printed === undefined) continue;
        const missed = differenceFrom(step.printed, squeezed(printed[index] ?? ''));
        assert.equal(missed, null, `${step.command}printed\n${printed[index]}\nwithout ${missed}`);
      }
    });
  });
}

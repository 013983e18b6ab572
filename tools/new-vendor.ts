import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { DEVICE_TYPES, type DeviceType } from '../src/adapter/device.ts';
import { settingsOf } from '../src/core/settings/index.ts';
import { vendorSettingNames } from '../src/core/settings/vendors.ts';
import { indexFile, SIGN_INS, type SignInKind, translateFile } from './new-vendor/adapter-files.ts';
import { KINDS } from './new-vendor/kinds.ts';
import { localIndexFile, localSimulatorFile } from './new-vendor/local-files.ts';
import { readmeFile } from './new-vendor/readme-files.ts';
import { simulatorFile } from './new-vendor/simulator-file.ts';

/*
 * `npm run new-vendor <slug> -- --kind <type> --sign-in <way>` writes the folder of a vendor that can be linked;
 * `npm run conform` then says what to write next.
 */

const HELP = `npm run new-vendor <slug> [-- --kind <type>] [--sign-in <way>]
  a slug has 1 to 40 of a–z, 0–9 and _, and begins with a letter
  types: ${DEVICE_TYPES.join(', ')}; charger unless it is said
  ways to sign in: ${SIGN_INS.join(', ')}; password unless it is said`;

/** A slug becomes the name of a constant; `done` is the last path of the link page. */
const RESERVED = new Set(
  'await break case catch class const continue debugger default delete do else enum export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with yield kind link done cancel'.split(
    ' ',
  ),
);

function faultIn(slug: string): string | null {
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(slug)) return `"${slug}" is not a slug. ${HELP}`;
  if (RESERVED.has(slug))
    return `"${slug}" is a word of the language or of the contract; choose another slug.`;
  if (existsSync(join('src/vendors', slug))) return `src/vendors/${slug} already exists.`;
  const names = new Set(Object.values<string>(vendorSettingNames(slug)));
  const taken = settingsOf([]).find(({ name }) => names.has(name));
  return taken === undefined ? null : `"${slug}" would share the setting ${taken.name}; choose another slug.`;
}

function fail(sentence: string): never {
  console.error(`new-vendor: ${sentence}`);
  process.exit(1);
}

interface Given {
  readonly slug: string;
  readonly type: DeviceType;
  readonly signIn: SignInKind;
}

function given(): Given {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        kind: { type: 'string', default: 'charger' },
        'sign-in': { type: 'string', default: 'password' },
        help: { type: 'boolean' },
      },
    });
    const [slug, ...others] = positionals;
    const type = DEVICE_TYPES.find((one) => one === values.kind);
    const signIn = SIGN_INS.find((one) => one === values['sign-in']);
    if (values.help === true || slug === undefined || others.length > 0) fail(HELP);
    if (type === undefined) fail(`there is no type "${values.kind}". ${HELP}`);
    if (signIn === undefined) fail(`there is no sign-in "${values['sign-in']}". ${HELP}`);
    return { slug, type, signIn };
  } catch (error) {
    fail(`${error instanceof Error ? error.message : error}. ${HELP}`);
  }
}

const { slug, type, signIn } = given();
const fault = faultIn(slug);
if (fault !== null) fail(fault);
const name = `${slug.charAt(0).toUpperCase()}${slug.slice(1).replaceAll('_', ' ')}`;
const vendor = { slug, name, type, kind: KINDS[type] };
const folder = join('src/vendors', slug);
const files = {
  'index.ts': signIn === 'address' ? localIndexFile({ ...vendor, signIn }) : indexFile({ ...vendor, signIn }),
  'translate.ts': translateFile({ ...vendor, signIn }),
  'simulator.ts':
    signIn === 'address' ? localSimulatorFile({ ...vendor, signIn }) : simulatorFile({ ...vendor, signIn }),
  'README.md': readmeFile({ ...vendor, signIn }),
};
for (const [file, text] of Object.entries(files)) {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}
// The length of the slug decides how lines are wrapped.
const formatted = spawnSync(process.execPath, [
  'node_modules/@biomejs/biome/bin/biome',
  'check',
  '--write',
  folder,
]);
if (formatted.status !== 0) fail(`${folder} was written, but cannot be formatted: ${formatted.stderr}`);
const generated = spawnSync(process.execPath, ['tools/generate.ts', '--without-vendors-page'], {
  encoding: 'utf8',
});
if (generated.status !== 0) fail(`${folder} was written, but npm run generate fails: ${generated.stderr}`);
console.log(`wrote ${folder}\n${generated.stdout}
What is to be written next:  npm run conform -- ${slug}
How it goes on:              docs/guides/add-a-vendor.md`);

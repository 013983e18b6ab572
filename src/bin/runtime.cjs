/*
 * Loaded before everything that npm runs here (`node -r`), by whichever Node.js there is: plain JavaScript without dependencies,
 * that says in a sentence what would otherwise be a stack of an old runtime.
 */
const { existsSync } = require('node:fs');
const { enableCompileCache } = require('node:module');
const { join } = require('node:path');

const root = join(__dirname, '../..');
const { engines } = require(join(root, 'package.json'));
const OLDEST = Number(engines.node.replace(/\D/g, ''));

const found = Number(process.versions.node.split('.')[0]);
const isInstalled = existsSync(join(root, 'node_modules/fastify/package.json'));

if (!isInstalled) {
  console.error(`elnav: Nothing is installed yet. Run \`npm ci\` in ${root} first.`);
  process.exit(1);
}
if (found < OLDEST) {
  console.error(
    `elnav: This is Node.js ${process.versions.node}, and elnav needs ${OLDEST} or newer. \`npm ci\` installs it with the optional packages: run that again without --omit=optional, and start with \`npm start\`. Where there is no such package for this system, install Node.js ${OLDEST}.`,
  );
  process.exit(1);
}

// Compiled modules are kept with the packages, so that a start and the processes that it spawns need not compile them again.
// Not in the folder of temporary files that all users of a machine share: code is read from it. Where it cannot be written, nothing is kept.
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules/.cache/elnav');
enableCompileCache();

// What a test file reports goes through a pipe, and `--test-force-exit` ends the process without waiting until it is written.
if (process.env.NODE_TEST_CONTEXT !== undefined) process.stdout._handle?.setBlocking?.(true);

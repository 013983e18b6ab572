/*
 * Loaded before everything that npm runs here (`node -r`), by whichever Node.js there is: plain JavaScript without dependencies,
 * that says in a sentence what would otherwise be a stack of an old runtime.
 */
const { spawn } = require('node:child_process');
const { existsSync, symlinkSync } = require('node:fs');
const Module = require('node:module');
const { join, relative } = require('node:path');

const root = join(__dirname, '../..');
const { engines, optionalDependencies } = require(join(root, 'package.json'));
const OLDEST = Number(engines.node.replace(/\D/g, ''));

const found = Number(process.versions.node.split('.')[0]);
const isInstalled = existsSync(join(root, 'node_modules/fastify/package.json'));

/** The runtime that came with the packages, for this platform. */
function pinnedRuntime() {
  const isWindows = process.platform === 'win32';
  const platform = `${isWindows ? 'win' : process.platform}-${process.arch}`;
  const name = Object.keys(optionalDependencies).find((one) => one.endsWith(platform));
  return join(root, 'node_modules', name ?? 'none', 'bin', isWindows ? 'node.exe' : 'node');
}

/**
 * Runs the same script on another runtime. npm 10, which comes with Node 20 and 22, installs the runtime and then removes its link with those
 * of other platforms, which have the same name; so the link is made here, where the next command finds it.
 */
function handOver(runtime) {
  const folder = join(root, 'node_modules/.bin');
  try {
    symlinkSync(relative(folder, runtime), join(folder, 'node'));
  } catch {
    // It is there already, or nobody may write here: then each command is handed over.
  }
  Module.runMain = () => undefined;
  const child = spawn(runtime, [...process.execArgv, ...process.argv.slice(1)], { stdio: 'inherit' });
  // A terminal sends SIGINT to both; the other signals reach this process alone.
  process.on('SIGINT', () => undefined);
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code) => process.exit(code ?? 1));
}

if (!isInstalled) {
  console.error(`elnav: Nothing is installed yet. Run \`npm ci\` in ${root} first.`);
  process.exit(1);
}
const pinned = pinnedRuntime();
const runsScript = process.argv[1] !== undefined && !process.execArgv.includes('--test');
if (found < OLDEST && runsScript && existsSync(pinned)) handOver(pinned);
else if (found < OLDEST) {
  console.error(
    `elnav: This is Node.js ${process.versions.node}, and elnav needs ${OLDEST} or newer. \`npm ci\` installs it with the optional packages: run that again without --omit=optional, and start with \`npm start\`. Where there is no such package for this system, install Node.js ${OLDEST}.`,
  );
  process.exit(1);
} else {
  // Compiled modules are kept with the packages, so that a start and the processes that it spawns need not compile them again.
  // Not in the folder of temporary files that all users of a machine share: code is read from it. Where it cannot be written, nothing is kept.
  process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules/.cache/elnav');
  Module.enableCompileCache();

  // What a test file reports goes through a pipe, and `--test-force-exit` ends the process without waiting until it is written.
  if (process.env.NODE_TEST_CONTEXT !== undefined) process.stdout._handle?.setBlocking?.(true);
}

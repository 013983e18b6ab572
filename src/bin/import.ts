import { resolve } from 'node:path';
import { systemClock } from '../core/clock.ts';
import { readSettings } from '../core/config.ts';
import { systemRandom } from '../core/ids.ts';
import { createLog } from '../core/log.ts';
import { dayAt } from '../core/swedish-days.ts';
import { type Changes, changesOf, describeChanges, refuseLosses } from '../domain/areas/changes.ts';
import { compileTables } from '../domain/areas/compile.ts';
import { encodeTable, fileOf, readTables } from '../domain/areas/seed.ts';
import { CODECS, type Codec, TABLE_NAMES, type TableName } from '../domain/areas/seed-codecs.ts';
import { encodeFigures, FIGURES_FILE, readFigures, withFigures } from '../domain/areas/seed-figures.ts';
import { finishWriting, writeTables } from '../domain/areas/seed-write.ts';
import type { AreaTables } from '../domain/areas/tables.ts';
import { createHttp, type OutboundHttp } from '../outbound/index.ts';
import { type Arguments, HELP, readArguments } from './import-arguments.ts';
import type { HttpFor } from './import-fetch.ts';
import { readOriginals } from './import-originals.ts';
import { exitWith } from './run.ts';
import { tableFolders } from './table-folders.ts';

try {
  const given = readArguments(process.argv.slice(2), dayAt(systemClock.now()));
  if (given === 'help') console.log(HELP);
  else await importTables(given);
} catch (error) {
  exitWith(error);
}

async function importTables({ locations, out, isDryRun, acceptsLosses }: Arguments): Promise<void> {
  const [imported, bundled] = tableFolders(out ?? readSettings(process.env).dataDir);
  const folder = resolve(out ?? imported);
  const folders = [folder, bundled];
  if (!isDryRun) finishWriting(folder);
  const current = readTables(folders);
  const originals = await withClients((httpFor) => readOriginals(locations, { current, httpFor }));
  const { tables, figures } = compileTables(current, originals);
  const files = new Map<string, string>();
  for (const name of TABLE_NAMES) {
    const [before, after] = [textOf(current, name), textOf(tables, name)];
    if (before === after) continue;
    files.set(fileOf(name), after);
    const changes = compared(name, { before: current, after: tables });
    console.log(describeChanges(changes).join('\n'));
    if (!acceptsLosses) refuseLosses(changes);
  }
  const [known, counted] = [readFigures(folders), withFigures(readFigures(folders), figures)];
  if (encodeFigures(known) !== encodeFigures(counted)) files.set(FIGURES_FILE, encodeFigures(counted));
  for (const [name, count] of Object.entries(figures)) console.log(`${name}: ${count}`);
  if (files.size === 0) console.log('Nothing changes.');
  else if (isDryRun) console.log('Nothing was changed: --dry-run.');
  else {
    writeTables(folder, files, (pending) => readTables([pending, ...folders]));
    console.log(
      `Written to ${folder}: ${[...files.keys()].join(', ')}. Services read tables when they start.`,
    );
  }
}

/** The table's file as it would be written. */
function textOf<T extends TableName>(tables: AreaTables, name: T): string {
  const sources = tables.sources.filter(({ table }) => table === name);
  return encodeTable(codecOf(name), { rows: tables[name], sources });
}

function compared<T extends TableName>(
  name: T,
  { before, after }: { before: AreaTables; after: AreaTables },
): Changes {
  return changesOf(codecOf(name), { before: before[name], after: after[name] });
}

/** TypeScript does not see that the codec and the rows of one name belong together. */
function codecOf<T extends TableName>(name: T): Codec<AreaTables[T][number]> {
  return CODECS[name] as unknown as Codec<AreaTables[T][number]>;
}

/** One client for each host that is asked, closed when all is read. */
async function withClients<T>(act: (httpFor: HttpFor) => Promise<T>): Promise<T> {
  const clients = new Map<string, OutboundHttp>();
  try {
    return await act((baseUrl) => {
      const client = clients.get(baseUrl) ?? clientFor(baseUrl);
      clients.set(baseUrl, client);
      return client;
    });
  } finally {
    for (const client of clients.values()) await client.close();
  }
}

function clientFor(baseUrl: string): OutboundHttp {
  return createHttp({
    name: new URL(baseUrl).host,
    baseUrl,
    clock: systemClock,
    random: systemRandom,
    log: createLog('silent'),
    userAgent: 'elnav-import',
    timeoutMs: 120_000,
    deadlineMs: 300_000,
  });
}

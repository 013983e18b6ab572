import { resolve } from 'node:path';
import { systemClock } from '../core/clock.ts';
import { systemRandom } from '../core/ids.ts';
import { createLog } from '../core/log.ts';
import { readSettings } from '../core/settings/index.ts';
import { dayAt } from '../core/swedish-days.ts';
import { createHttp, type OutboundHttp } from '../outbound/index.ts';
import { HELP, type HttpFor, importTables, readArguments } from '../registers/index.ts';
import { vendors } from '../vendors/index.ts';
import { exitWith } from './run.ts';
import { tableFolders } from './table-folders.ts';
import { needsOf } from './vendor-needs.ts';

try {
  const given = readArguments(process.argv.slice(2), dayAt(systemClock.now()));
  if (given === 'help') console.log(HELP);
  else {
    const [imported, bundled] = tableFolders(
      given.out ?? readSettings(process.env, needsOf(vendors)).dataDir,
    );
    const folder = resolve(given.out ?? imported);
    await withClients((httpFor) => importTables(given, { folder, bundled, httpFor, print: console.log }));
  }
} catch (error) {
  exitWith(error);
}

/** One client for each host that is asked, closed when all is done. */
async function withClients(act: (httpFor: HttpFor) => Promise<void>): Promise<void> {
  const clients = new Map<string, OutboundHttp>();
  try {
    await act((baseUrl) => {
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

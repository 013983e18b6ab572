import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { systemClock } from '../core/clock.ts';
import { OperatorError } from '../core/errors.ts';
import { systemRandom } from '../core/ids.ts';
import { createLog } from '../core/log.ts';
import { readSettings, type Settings } from '../core/settings/index.ts';
import { DATABASE_FILE, DirectoryInUse, openDatabase } from '../db/database.ts';
import { createAccounts } from '../domain/access/accounts/index.ts';
import { vendors } from '../vendors/index.ts';
import { addressOf, askGrid, idOfDeveloper } from './ask-grid.ts';
import { makeDeveloperKey } from './developer.ts';
import { exitWith } from './exit.ts';
import { exportLine } from './greet.ts';
import { migrated } from './migrated.ts';
import { loadSecrets } from './secrets.ts';
import { needsOf } from './vendor-needs.ts';

/*
 * Makes another key of the developer's account, on the embedded database: by itself while nothing runs, else through the
 * administration of the service that has the data directory.
 */

const LABEL = 'npm run key';

try {
  const settings = readSettings(process.env, needsOf(vendors));
  const dataDir = resolve(settings.dataDir);
  refuseWhereThereIsNone(settings, dataDir);
  const apiKey = await makeKey(settings, dataDir);
  const { connectPort, gridPort } = settings;
  console.log(
    exportLine({
      connectUrl: settings.connectUrl ?? addressOf(settings, connectPort),
      gridUrl: settings.gridUrl ?? addressOf(settings, gridPort),
      apiKey,
    }),
  );
} catch (error) {
  exitWith(error);
}

function refuseWhereThereIsNone({ databaseUrl }: Settings, dataDir: string): void {
  if (databaseUrl !== undefined) {
    throw new OperatorError(
      'npm run key is for the embedded database. With DATABASE_URL, users and their keys are made with the admin token on Grid: POST /admin/users, then POST /admin/users/{id}/keys.',
    );
  }
  if (!existsSync(join(dataDir, DATABASE_FILE))) {
    throw new OperatorError(
      `There is no database in ${dataDir} yet: the first npm start makes it, and a key. Where it is kept elsewhere, set ELNAV_DATA_DIR.`,
    );
  }
}

async function makeKey(settings: Settings, dataDir: string): Promise<string> {
  const parts = { clock: systemClock, random: systemRandom, log: createLog('warn') };
  let database: Awaited<ReturnType<typeof openDatabase>>;
  try {
    database = await openDatabase({ url: undefined, dataDir, ...parts });
  } catch (error) {
    if (error instanceof DirectoryInUse) return askService(settings, dataDir);
    throw error;
  }
  try {
    await migrated(database, systemClock);
    const { vaultKeys } = loadSecrets({ ...settings, dataDir }, { random: systemRandom, firstStart: false });
    const accounts = await createAccounts({ database, vaultKeys, ...parts });
    try {
      return await makeDeveloperKey(accounts, LABEL);
    } finally {
      await accounts.close();
    }
  } finally {
    await database.close();
  }
}

/** Has the running service make the key. Throws an `OperatorError` where it cannot be asked. */
async function askService(settings: Settings, dataDir: string): Promise<string> {
  const ask = askGrid(settings, dataDir, {
    wanted: 'make a key',
    again: 'stop it and run npm run key again',
  });
  const label = new URLSearchParams({ label: LABEL });
  const made = await ask('POST', `/admin/users/${await idOfDeveloper(ask)}/keys?${label}`);
  return (made as { api_key: string }).api_key;
}

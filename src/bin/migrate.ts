import { resolve } from 'node:path';
import { systemClock } from '../core/clock.ts';
import { systemRandom } from '../core/ids.ts';
import { createLog } from '../core/log.ts';
import { readSettings } from '../core/settings/index.ts';
import { openDatabase } from '../db/database.ts';
import { vendors } from '../vendors/index.ts';
import { migrated } from './migrated.ts';
import { exitWith } from './run.ts';
import { needsOf } from './vendor-needs.ts';

try {
  const settings = readSettings(process.env, needsOf(vendors));
  const database = await openDatabase({
    url: settings.databaseUrl?.reveal(),
    dataDir: resolve(settings.dataDir),
    clock: systemClock,
    random: systemRandom,
    log: createLog('warn'),
  });
  const applied = await migrated(database, systemClock);
  await database.close();
  console.log(applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}`);
} catch (error) {
  exitWith(error);
}

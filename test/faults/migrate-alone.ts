import { systemClock } from '../../src/core/clock.ts';
import { systemRandom } from '../../src/core/ids.ts';
import { silentLog } from '../../src/core/log.ts';
import { openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { LATER } from './later-migration.ts';

/** Only migrates the embedded database in the given directory, or the one of DATABASE_URL, to the later version: a process to be killed. */
const database = await openDatabase({
  url: process.env.DATABASE_URL,
  dataDir: process.argv[2] ?? '',
  clock: systemClock,
  random: systemRandom,
  log: silentLog,
});
console.log(`applied ${(await migrate(database.queries, LATER)).length}`);
await database.close();

import { resolve } from 'node:path';
import { systemClock } from '../core/clock.ts';
import { systemRandom } from '../core/ids.ts';
import { createLog } from '../core/log.ts';
import { readSettings } from '../core/settings/index.ts';
import { openDatabase } from '../db/database.ts';
import { createVault, rotateVault } from '../domain/calls/index.ts';
import { vendors } from '../vendors/index.ts';
import { exitWith } from './run.ts';
import { loadSecrets } from './secrets.ts';
import { needsOf } from './vendor-needs.ts';

try {
  const settings = readSettings(process.env, needsOf(vendors));
  const dataDir = resolve(settings.dataDir);
  const database = await openDatabase({
    url: settings.databaseUrl?.reveal(),
    dataDir,
    clock: systemClock,
    random: systemRandom,
    log: createLog('warn'),
  });
  const { vaultKeys } = loadSecrets({ ...settings, dataDir }, { random: systemRandom, firstStart: false });
  const vault = createVault(vaultKeys, systemRandom);
  const { resealed, unreadable } = await rotateVault(database, vault);
  await database.close();
  console.log(`${resealed} credentials and sign-ins were sealed again with key ${vault.currentKey}.`);
  for (const { account, link } of unreadable) {
    console.error(
      `Link ${link} of account ${account} does not open with the keys given; it must be linked again.`,
    );
  }
  if (unreadable.length > 0) process.exit(1);
  console.log('The keys after it can be removed.');
} catch (error) {
  exitWith(error);
}

import { resolve } from 'node:path';
import { systemClock } from '../core/clock.ts';
import { readSettings } from '../core/config.ts';
import { systemRandom } from '../core/ids.ts';
import { createLog } from '../core/log.ts';
import { openDatabase } from '../db/database.ts';
import { createLinkStore, createVault, rotateVault } from '../domain/links/index.ts';
import { exitWith } from './run.ts';
import { loadSecrets } from './secrets.ts';

try {
  const settings = readSettings(process.env);
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
  const resealed = await rotateVault(createLinkStore(database), vault);
  await database.close();
  console.log(
    `${resealed} links are now sealed with key ${vault.currentKey}; the keys after it can be removed.`,
  );
} catch (error) {
  exitWith(error);
}

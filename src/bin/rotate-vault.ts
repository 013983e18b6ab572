import { resolve } from 'node:path';
import { systemClock } from '../core/clock.ts';
import { systemRandom } from '../core/ids.ts';
import { createLog } from '../core/log.ts';
import { readSettings } from '../core/settings/index.ts';
import { openDatabase } from '../db/database.ts';
import { createAudit } from '../domain/access/accounts/index.ts';
import {
  APPLICATION_CERTIFICATE,
  createVault,
  rotateVault,
  SUBSCRIPTION_SECRETS,
  type Unreadable,
} from '../domain/vendor-calls/calls/index.ts';
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
  // It is run on the machine or in its container, so there is no address and no request.
  const actor = { name: 'command', ip: '', requestId: '' } as const;
  await createAudit(systemClock)(database.queries, actor, {
    action: 'vault.rotated',
    target: 'vault',
    detail: { key: vault.currentKey, resealed, unreadable: unreadable.length },
  });
  await database.close();
  console.log(
    `${resealed} credentials, sign-ins, certificates and secrets of subscriptions were sealed again with key ${vault.currentKey}.`,
  );
  for (const one of unreadable) console.error(sentenceOf(one));
  if (unreadable.length > 0) process.exit(1);
  console.log('The keys after it can be removed.');
} catch (error) {
  exitWith(error);
}

/** What does not open, and what its owner has to do. */
function sentenceOf({ account, link, field }: Unreadable): string {
  const fault = `of account ${account} does not open with the keys given;`;
  if (field === SUBSCRIPTION_SECRETS)
    return `The secret of subscription ${link} ${fault} the subscription must be deleted and made again.`;
  if (field === APPLICATION_CERTIFICATE) return `The certificate ${fault} restore the key that sealed it.`;
  return `Link ${link} ${fault} it must be linked again.`;
}

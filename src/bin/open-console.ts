import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { OperatorError } from '../core/errors.ts';
import { readSettings } from '../core/settings/index.ts';
import { DATABASE_FILE } from '../db/database.ts';
import { vendors } from '../vendors/index.ts';
import { askGrid, idOfDeveloper } from './ask-grid.ts';
import { exitWith } from './exit.ts';
import { needsOf } from './vendor-needs.ts';

/* Prints an address that signs a browser in to the console of the developer's account, once and within 15 minutes. */

try {
  const settings = readSettings(process.env, needsOf(vendors));
  const dataDir = resolve(settings.dataDir);
  if (settings.databaseUrl !== undefined)
    throw new OperatorError(
      'npm run console is for the embedded database. With DATABASE_URL, people sign up on Grid, or the operator makes a sign-in link with the admin token: POST /admin/users/{id}/sign-in-link.',
    );
  if (!existsSync(join(dataDir, DATABASE_FILE)))
    throw new OperatorError(
      `There is no database in ${dataDir} yet: run npm start, and this beside it. Where it is kept elsewhere, set ELNAV_DATA_DIR.`,
    );
  const ask = askGrid(settings, dataDir, {
    wanted: 'make a sign-in link',
    again: 'start elnav with npm start if it has stopped, and run npm run console again',
  });
  const next = new URLSearchParams({ next: '/auth/console' });
  const made = await ask('POST', `/admin/users/${await idOfDeveloper(ask)}/sign-in-link?${next}`);
  console.log(`Open this in a browser. It signs you in to the console once, within 15 minutes:

  ${(made as { url: string }).url}
`);
} catch (error) {
  exitWith(error);
}

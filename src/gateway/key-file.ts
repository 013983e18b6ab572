import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '../core/errors.ts';
import type { Random } from '../core/ids.ts';

const FILE = 'gateway.key';

/**
 * The key of this gateway. It makes the key itself, and keeps it before anybody is told of it: a pairing that is cut off in the middle is
 * begun again with the same key.
 */
export function loadKey(dataDir: string, random: Random): string {
  const file = join(dataDir, FILE);
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw cannot('read', file, error);
  }
  const key = random(32).toString('base64url');
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(file, `${key}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw cannot('write', file, error);
  }
  return key;
}

const cannot = (what: string, file: string, cause: unknown): OperatorError =>
  new OperatorError(`Cannot ${what} ${file} (${(cause as NodeJS.ErrnoException).code}).`, { cause });

import { mkdir, readdir, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, rfc3339 } from '../core/clock.ts';
import { type Random, randomBase62 } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import type { Deliver } from './mail.ts';

/** Their links have long expired then. */
const KEPT_MS = 86_400_000;
const FROM = 'elnav@localhost';

interface OutboxOptions {
  readonly folder: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Writes letters to files, for machines without a mail server: plain text that people and mail programs read. */
export function outboxDelivery({ folder, clock, random, log }: OutboxOptions): Deliver {
  return async ({ to, subject, text, isMailed }) => {
    const now = clock.now();
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await removeOld(folder, now);
    const headers = [
      `From: elnav <${FROM}>`,
      `To: <${to}>`,
      `Subject: ${subject}`,
      `Date: ${new Date(now).toUTCString().replace('GMT', '+0000')}`,
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: 8bit',
    ];
    const name = `${rfc3339(now).replaceAll(/[:.]/g, '-')}-${randomBase62(random, 6)}.eml`;
    const file = join(folder, name);
    // A reader of the folder never finds half a file.
    await writeFile(`${file}.part`, `${headers.join('\n')}\n\n${text}`, { mode: 0o600, flag: 'wx' });
    if (!isMailed) {
      await unlink(`${file}.part`);
      return;
    }
    await rename(`${file}.part`, file);
    log.info({ file }, 'a letter was written to the outbox; set ELNAV_SMTP_URL to have it mailed');
  };
}

async function removeOld(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    // Another letter may be written, or be renamed, meanwhile.
    const mtimeMs = await stat(file).then(
      (found) => found.mtimeMs,
      () => now,
    );
    if (name.endsWith('.eml') && now - mtimeMs > KEPT_MS) await unlink(file).catch(() => {});
  }
}

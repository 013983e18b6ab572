import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json, JsonObject } from '../core/json.ts';
import { readWill, type Will } from './wire/wills.ts';

const FILE = 'wills.json';

export interface StoredWill {
  readonly will: Will;
  /** Since when it is being carried out, ms since 1970; null: it is not. */
  readonly begun_at: number | null;
  readonly is_done: boolean;
}

interface StoredWills {
  /** When Connect was heard last, ms since 1970; null while it is connected. */
  readonly heard_at: number | null;
  readonly wills: readonly StoredWill[];
}

export interface WillFile {
  /** Undefined where there is none, or none that is understood. */
  read(): StoredWills | undefined;
  /** What cannot be written is said, and no error: it is in memory. */
  write(wills: StoredWills): void;
}

/** Wills in the folder of the gateway, for its user alone: bytes for devices may hold their passwords. */
export function willFile(dataDir: string, print: (line: string) => void): WillFile {
  const file = join(dataDir, FILE);
  return {
    read() {
      try {
        return storedIn(JSON.parse(readFileSync(file, 'utf8')) as JsonObject);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code !== 'ENOENT')
          print(`${file} could not be read, and is ignored (${code ?? 'not understood'})`);
        return undefined;
      }
    },

    write(wills) {
      try {
        mkdirSync(dataDir, { recursive: true, mode: 0o700 });
        writeFileSync(`${file}.new`, JSON.stringify(wills), { mode: 0o600, flush: true });
        renameSync(`${file}.new`, file);
      } catch (error) {
        print(`cannot write ${file} (${(error as NodeJS.ErrnoException).code})`);
      }
    },
  };
}

const momentIn = (value: Json | undefined): number | null => (typeof value === 'number' ? value : null);

function storedIn({ heard_at, wills }: JsonObject): StoredWills {
  return {
    heard_at: momentIn(heard_at),
    wills: (wills as JsonObject[]).map(({ will = null, begun_at, is_done }) => ({
      will: readWill(will),
      begun_at: momentIn(begun_at),
      is_done: is_done === true,
    })),
  };
}

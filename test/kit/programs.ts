import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The path of a program; undefined where it is not installed. Debian keeps some where only root looks. */
export const programAt = (name: string): string | undefined =>
  [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
    .map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });

/** For tests that run programs of the machine: why they are left out, or false. */
export function withoutPrograms(...names: readonly string[]): string | false {
  const missing = names.filter((name) => programAt(name) === undefined);
  if (missing.length === 0) return false;
  return `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not installed`;
}

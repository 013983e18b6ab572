import { readFileSync } from 'node:fs';
import type { Adapter } from '../adapter/adapter.ts';
import type { WellKnownFile } from '../apps/connect/app.ts';
import { OperatorError } from '../core/errors.ts';
import type { Settings } from '../core/settings/index.ts';

/** Reads the files that vendors fetch from us, where they are set. Throws an `OperatorError` for one that cannot be read. */
export function wellKnownFiles(adapters: readonly Adapter[], { vendors }: Settings): WellKnownFile[] {
  return adapters.flatMap(({ slug, wellKnown }) => {
    if (wellKnown === undefined) return [];
    const { path, setting, contentType } = wellKnown;
    const file = vendors.get(slug)?.files[setting];
    if (file === undefined) return [];
    try {
      const content = readFileSync(file, 'utf8');
      // It is public; a private key must never get there by a slip.
      if (content.includes('PRIVATE KEY')) throw new Error('it holds a private key, and would be public');
      return [{ path, contentType, content }];
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new OperatorError(`${setting} names ${file}, which cannot be served: ${why}.`, { cause });
    }
  });
}

import { unzipSync } from 'fflate';
import { OperatorError } from '../../core/errors.ts';

const ENTRY_BYTES_LIMIT = 256 * 1024 * 1024;

/** Whether bytes start like a zip file. */
export function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b;
}

/**
 * The entries of a zip file whose names match; throws an `OperatorError` when it is truncated or damaged, or would unpack
 * to more than any of these registers has.
 */
export function unzip(bytes: Uint8Array, { file, name }: { file: string; name: RegExp }) {
  let entries: Record<string, Uint8Array>;
  let stated = new Map<string, number>();
  try {
    stated = new Map();
    entries = unzipSync(bytes, {
      filter(entry) {
        if (!name.test(entry.name)) return false;
        if (entry.originalSize > ENTRY_BYTES_LIMIT) throw new Error(`${entry.name} is too large`);
        stated.set(entry.name, entry.originalSize);
        return true;
      },
    });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OperatorError(`${file} is not a whole zip file: ${reason}.`, { cause });
  }
  for (const [entry, content] of Object.entries(entries)) {
    if (content.length !== stated.get(entry)) {
      throw new OperatorError(
        `${file}: ${entry} has ${content.length} bytes where ${stated.get(entry)} are stated.`,
      );
    }
  }
  return new Map(Object.entries(entries));
}

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What comes with the package, wherever the process was started. */
const BUNDLED_TABLES = fileURLToPath(new URL('../../seed', import.meta.url));

/** Where the Swedish tables are read from: what the operator imported goes before what is bundled. */
export function tableFolders(dataDir: string): readonly [imported: string, bundled: string] {
  return [join(dataDir, 'seed'), BUNDLED_TABLES];
}

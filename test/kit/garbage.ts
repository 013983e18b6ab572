import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Frees what nothing refers to any more: what a test then finds in memory is kept, and not only not collected yet. */
export const collectGarbage = runInNewContext('gc') as () => void;

import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

/** The thread that moves the log of the embedded database into its file when it is told to; started by checkpoints.ts. */
const port = parentPort;
if (port === null) throw new Error('this file is started as a thread, by checkpoints.ts');

/** What was written meanwhile is moved with the next pass, which is shorter; the log begins anew once nothing is left. */
const MOST_PASSES = 5;

const file = pathToFileURL((workerData as { readonly file: string }).file);
// Never a new file where somebody has moved the database away.
file.searchParams.set('mode', 'rw');
const database = new DatabaseSync(file);
// It waits for nobody, and nobody who reads or writes waits for it.
const move = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');

port.on('message', (message: 'move' | 'end') => {
  if (message === 'end') {
    database.close();
    port.close();
    return;
  }
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const { log, checkpointed } = move.get() as { readonly log: number; readonly checkpointed: number };
    if (checkpointed >= log) break;
  }
  port.postMessage('moved');
});

import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

/** The thread that checkpoints the write-ahead log of the embedded database on request; started by checkpoints.ts. */
const port = parentPort;
if (port === null) throw new Error('this file is started as a thread, by checkpoints.ts');

/** Each pass checkpoints what was written during the last one and is shorter; the log restarts once nothing is left. */
const MOST_PASSES = 5;

const file = pathToFileURL((workerData as { readonly file: string }).file);
// Never creates a file if the database was moved away.
file.searchParams.set('mode', 'rw');
const database = new DatabaseSync(file);
// It waits for no reader or writer, and none waits for it.
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

/** The maximum number of keys in a statement; the rest is read right after. */
const MOST_AT_ONCE = 100;

interface Waiting<K, V> {
  readonly key: K;
  readonly resolve: (value: V) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Combines reads from one turn of the event loop into one statement. `readAll` returns a value for each key, in their order.
 * Polling starts several tasks at once, each of which would otherwise query the database.
 */
export function sharedReads<K, V>(
  readAll: (keys: readonly K[]) => Promise<readonly V[]>,
): (key: K) => Promise<V> {
  let waiting: Waiting<K, V>[] = [];

  async function readBatch(batch: readonly Waiting<K, V>[]): Promise<void> {
    try {
      const values = await readAll(batch.map(({ key }) => key));
      if (values.length !== batch.length)
        throw new Error(`${batch.length} keys have ${values.length} answers`);
      for (const [index, { resolve }] of batch.entries()) resolve(values[index] as V);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  function readWaiting(): void {
    const all = waiting;
    waiting = [];
    for (let from = 0; from < all.length; from += MOST_AT_ONCE)
      void readBatch(all.slice(from, from + MOST_AT_ONCE));
  }

  return (key) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(readWaiting);
      waiting.push({ key, resolve, reject });
    });
}

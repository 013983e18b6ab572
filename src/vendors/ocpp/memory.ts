import { BoundedMap } from '../../core/bounded-map.ts';
import { comparableText, keptOf, NAME, type Recalled } from './recall.ts';
import type { Station } from './station.ts';

/** The maximum number of remote starts that wait for their transaction. */
const MOST_STARTS = 8;

/** Stores what must outlive a station's connection, when it has changed. */
export class Memory {
  readonly #station: Station;
  /** Tags of our remote starts: the transaction that follows names only the number of its start. */
  readonly #remoteStarts = new BoundedMap<number, string>(MOST_STARTS);
  #kept: string;
  #keeping: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(station: Station, { kept }: Recalled) {
    this.#station = station;
    for (const [id, tag] of Object.entries(kept.remote_starts)) this.#remoteStarts.set(Number(id), tag);
    this.#kept = comparableText(kept);
  }

  /** Call when the station is asked to start a transaction with this tag. */
  startRequested(remoteStartId: number, idTag: string): Promise<void> {
    this.#remoteStarts.set(remoteStartId, idTag);
    return this.store();
  }

  tagOfStart(remoteStartId: number | undefined): string | null {
    return (remoteStartId === undefined ? undefined : this.#remoteStarts.get(remoteStartId)) ?? null;
  }

  store(): Promise<void> {
    const { host, key } = this.#station;
    this.#keeping = this.#keeping
      .catch(() => undefined)
      .then(async () => {
        const kept = keptOf(this.#station.connectors(), this.#remoteStarts);
        const text = comparableText(kept);
        if (this.#closed || text === this.#kept) return;
        await host.documents(key).put(NAME, kept);
        this.#kept = text;
      });
    return this.#keeping;
  }

  /** Stops storing: another connection of the station takes over. */
  close(): void {
    this.#closed = true;
  }
}

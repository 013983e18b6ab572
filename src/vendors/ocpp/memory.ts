import { BoundedMap } from '../../core/bounded-map.ts';
import { keptOf, NAME, newsIn, type Recalled } from './recall.ts';
import type { Station } from './station.ts';

/** Starts of ours that may wait for their transaction. */
const MOST_STARTS = 8;

/** Stores what must outlive the connection of a station, where that is news. */
export class Memory {
  readonly #station: Station;
  /** Tags of our starts: the transaction that follows names the number of its start only. */
  readonly #remoteStarts = new BoundedMap<number, string>(MOST_STARTS);
  #kept: string;
  #keeping: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(station: Station, { kept }: Recalled) {
    this.#station = station;
    for (const [id, tag] of Object.entries(kept.remote_starts)) this.#remoteStarts.set(Number(id), tag);
    this.#kept = newsIn(kept);
  }

  /** The station was asked to start a transaction with this tag. */
  startAsked(remoteStartId: number, idTag: string): Promise<void> {
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
        const news = newsIn(kept);
        if (this.#closed || news === this.#kept) return;
        await host.documents(key).put(NAME, kept);
        this.#kept = news;
      });
    return this.#keeping;
  }

  /** From now on another connection of the station remembers. */
  close(): void {
    this.#closed = true;
  }
}

/**
 * A map of at most `most` entries; one more drops the entry that was set longest ago. Setting an entry again makes it the newest,
 * reading does not: set it again where use should keep it.
 */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #most: number;

  constructor(most: number) {
    super();
    this.#most = most;
  }

  override set(key: K, value: V): this {
    this.delete(key);
    if (this.size >= this.#most) {
      const oldest = this.keys().next();
      if (oldest.done !== true) this.delete(oldest.value);
    }
    return super.set(key, value);
  }
}

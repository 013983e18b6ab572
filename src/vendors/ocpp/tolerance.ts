import type { Log } from '../../core/log.ts';
import type { Repaired } from './repair.ts';

/** What one station says otherwise than the protocol describes: counted by kind, and told once for each. */
export class Tolerance {
  /** Messages by what was wrong with them: `MeterValues: meterValue.sampledValue.unit: a word that the protocol does not have`. */
  readonly counts = new Map<string, number>();
  readonly #identity: string;
  readonly #log: Log;

  constructor(identity: string, log: Log) {
    this.#identity = identity;
    this.#log = log;
  }

  /** The schemas bound the kinds: no name or value of the station's is in them. */
  note(action: string, { faults, refusal }: Repaired): void {
    for (const fault of faults) this.#count(`${action}: ${fault}`, 'what a station sent was repaired');
    if (refusal !== null) this.#count(`${action}: ${refusal.words}`, 'what a station sent was refused');
  }

  #count(kind: string, sentence: string): void {
    const before = this.counts.get(kind) ?? 0;
    this.counts.set(kind, before + 1);
    if (before === 0) this.#log.info({ identity: this.#identity, kind }, sentence);
  }
}

/** Stations of which is remembered what was odd about their messages. */
const REMEMBERED = 10_000;

/** Outlives connections, so that a station that comes back every minute does not repeat itself in the log. */
export class Tolerances {
  readonly #log: Log;
  readonly #byName = new Map<string, Tolerance>();

  constructor(log: Log) {
    this.#log = log;
  }

  of(name: string, identity: string): Tolerance {
    const tolerance = this.#byName.get(name) ?? new Tolerance(identity, this.#log);
    // Delete and set keep the map in order of last use, so that what is dropped first is what is oldest.
    this.#byName.delete(name);
    this.#byName.set(name, tolerance);
    const [oldest] = this.#byName.keys();
    if (this.#byName.size > REMEMBERED && oldest !== undefined) this.#byName.delete(oldest);
    return tolerance;
  }
}

import { BoundedMap } from '../../core/bounded-map.ts';
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
  readonly #byName = new BoundedMap<string, Tolerance>(REMEMBERED);

  constructor(log: Log) {
    this.#log = log;
  }

  of(name: string, identity: string): Tolerance {
    const tolerance = this.#byName.get(name) ?? new Tolerance(identity, this.#log);
    this.#byName.set(name, tolerance);
    return tolerance;
  }
}

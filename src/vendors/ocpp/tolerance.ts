import { BoundedMap } from '../../core/bounded-map.ts';
import type { Log } from '../../core/log.ts';
import type { Repaired } from './repair.ts';

/** Deviations of one station from the protocol: counted by kind, each kind logged once. */
export class Tolerance {
  /** Messages by deviation, such as `MeterValues: meterValue.sampledValue.unit: a word that the protocol does not have`. */
  readonly counts = new Map<string, number>();
  readonly #identity: string;
  readonly #log: Log;

  constructor(identity: string, log: Log) {
    this.#identity = identity;
    this.#log = log;
  }

  /** The schemas bound the number of kinds: no name or value from the station is part of one. */
  note(action: string, { faults, refusal }: Repaired): void {
    for (const fault of faults) this.#count(`${action}: ${fault}`, 'a message from a station was repaired');
    if (refusal !== null) this.#count(`${action}: ${refusal.words}`, 'a message from a station was refused');
  }

  #count(kind: string, sentence: string): void {
    const before = this.counts.get(kind) ?? 0;
    this.counts.set(kind, before + 1);
    if (before === 0) this.#log.info({ identity: this.#identity, kind }, sentence);
  }
}

/** The maximum number of stations whose deviations are counted. */
const REMEMBERED = 10_000;

/** Outlives connections, so that a station that reconnects every minute does not fill the log. */
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

import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { StationHost } from '../../../adapter/dial-in.ts';
import type { Documents } from '../../../adapter/session.ts';
import { wordsOf } from '../wire/rpc.ts';

const NAME = 'details';

const text = Type.Union([Type.String(), Type.Null()]);

/** What a station reported about itself, stored between its connections. */
const Details = Type.Object({
  protocol: text,
  manufacturer: text,
  model: text,
  serial_number: text,
  firmware_version: text,
  iccid: text,
  /** A setting applies only after its next start. */
  restart_needed: Type.Optional(Type.Boolean()),
  last_fault: Type.Union([
    Type.Null(),
    Type.Object({
      code: Type.String(),
      info: text,
      connector: Type.Union([Type.Integer(), Type.Null()]),
      at: Type.Number(),
    }),
  ]),
});
export type Details = Type.Static<typeof Details>;

const check = Compile(Details);

const NO_DETAILS: Details = {
  protocol: null,
  manufacturer: null,
  model: null,
  serial_number: null,
  firmware_version: null,
  iccid: null,
  last_fault: null,
};

export async function loadDetails(documents: Documents): Promise<Details> {
  const kept = await documents.get(NAME);
  return check.Check(kept) ? kept : NO_DETAILS;
}

/** Text from a station as it may be displayed; null when it is empty. */
export const wordOrNull = (value: unknown): string | null => {
  const words = wordsOf(value);
  return words === '' ? null : words;
};

/** Stores what a station reports about itself, one change after another. A failure is only logged: it must not fail a boot. */
export class DetailKeeper {
  readonly #documents: Documents;
  readonly #host: StationHost;
  #last: Promise<void> = Promise.resolve();

  constructor(documents: Documents, host: StationHost) {
    this.#documents = documents;
    this.#host = host;
  }

  update(change: Partial<Details>): void {
    this.#last = this.#last.then(async () => {
      try {
        const before = await loadDetails(this.#documents);
        const after = { ...before, ...change };
        if (JSON.stringify(after) !== JSON.stringify(before)) await this.#documents.put(NAME, after);
      } catch (error) {
        this.#host.log.warn({ err: error }, 'the details that a station reported could not be stored');
      }
    });
  }

  /** Whether the station has said who made it, or what model it is, on any connection. */
  async isKnown(): Promise<boolean> {
    await this.#last;
    const { manufacturer, model } = await loadDetails(this.#documents);
    return manufacturer !== null || model !== null;
  }

  /** Resolves when all updates so far have been stored. */
  stored(): Promise<void> {
    return this.#last;
  }
}

import type { AsyncLocalStorage } from 'node:async_hooks';
import type { CallEnd, RequestEnd, TracedWork, Traces } from '../../core/traces.ts';
import type { Call, RequestRow } from './store.ts';
import { hasFailed } from './waiting.ts';

type Begun = Parameters<Traces['request']>[0];
type BegunCall = Parameters<Traces['call']>[0];
/** A request that is to be kept, without what only its keeper knows. */
export type EndedRequest = Omit<RequestRow, 'id' | 'at' | 'instance'>;

/** A read that has called a vendor and took so long is kept too: somebody will ask why. */
const SLOW_MS = 1_000;
const MOST_CALLS = 50;
const LONGEST_ID = 200;
const LONGEST_SENTENCE = 1_000;

/** A request while it runs. Most are reads that succeed: of those next to nothing is made. */
export class FollowedRequest implements TracedWork<RequestEnd> {
  readonly #begun: Begun;
  readonly #began = performance.now();
  readonly #running: AsyncLocalStorage<FollowedRequest>;
  readonly #keep: (request: EndedRequest, caller: string) => void;
  #calls: Call[] | undefined;
  #more = 0;
  /** The link of the first call. */
  #link: string | undefined;
  #hasEnded = false;

  /** `keep` is called with the request once it has ended, if it is to be kept. */
  constructor(
    begun: Begun,
    running: AsyncLocalStorage<FollowedRequest>,
    keep: (request: EndedRequest, caller: string) => void,
  ) {
    this.#begun = begun;
    this.#running = running;
    this.#keep = keep;
  }

  run<T>(work: () => T): T {
    return this.#running.run(this, work);
  }

  /** Begins a call; undefined for work in the background that goes on after the request. */
  call({ vendor, call, link }: BegunCall): TracedWork<CallEnd> | undefined {
    if (this.#hasEnded) return undefined;
    this.#link ??= link;
    const began = performance.now();
    return {
      run: (work) => work(),
      end: ({ outcome, status = null }) => {
        const duration_ms = Math.round(performance.now() - began);
        const started_ms = Math.round(began - this.#began);
        this.#calls ??= [];
        if (this.#calls.length < MOST_CALLS)
          this.#calls.push({ vendor, call, outcome, status, started_ms, duration_ms });
        else this.#more += 1;
      },
    };
  }

  end({ status, durationMs, facts }: RequestEnd): void {
    this.#hasEnded = true;
    const { kept, method, route, service, id } = this.#begun;
    const isSlow = durationMs >= SLOW_MS && this.#calls !== undefined;
    if (kept === 'nothing' || (kept === 'failures' && !hasFailed({ status }) && !isSlow)) return;
    const { account, keyId, caller, device, link, vendor, error } = facts();
    const request = {
      ...{ account: account ?? 0, request_id: id, service, key_id: keyId, method, route, status },
      error_code: error?.code ?? null,
      error: error === null ? null : stored(error.sentence, LONGEST_SENTENCE),
      duration_ms: Math.round(durationMs),
      device: device === null ? null : stored(device, LONGEST_ID),
      link: link === null ? (this.#link ?? null) : stored(link, LONGEST_ID),
      vendor: this.#calls?.[0]?.vendor ?? vendor,
      calls_json: JSON.stringify({ calls: this.#calls ?? [], more: this.#more }),
    };
    this.#keep(request, caller);
  }
}

/** A text as every store takes it. */
const stored = (text: string, most: number): string =>
  text.slice(0, most).replaceAll('\0', '\u{fffd}').toWellFormed();

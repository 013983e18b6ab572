import type { ErrorCodeName } from './errors.ts';

/** Something that takes time, as a trace shows it. */
export interface TracedWork<End> {
  /** Runs what belongs to it: calls that are made in there are shown below it. */
  run<T>(work: () => T): T;
  /** Call it once. */
  end(end: End): void;
}

/** Of which requests it can be found later what became of them: of those that fail, of all, or of none. */
export type Kept = 'failures' | 'all' | 'nothing';

interface TracedRequest {
  readonly service: 'connect' | 'grid';
  readonly method: string;
  /** The route as it is declared, `/devices/:id`, never the address that was called. */
  readonly route: string;
  /** Its `X-Request-Id`. */
  readonly id: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly kept: Kept;
}

/** How a request has ended. */
export interface RequestEnd {
  /** Null where the caller disconnected before there was a response. */
  readonly status: number | null;
  readonly durationMs: number;
  /** Everything else, which costs something: it is made for requests that are kept. */
  facts(): RequestFacts;
}

/** Whose a request was, what it was about and why it failed. Stays in our own database. */
export interface RequestFacts {
  /** Null for a caller without an account. */
  readonly account: number | null;
  readonly keyId: string | null;
  /** What floods are counted by: the account, or else the network of the caller. It is not stored. */
  readonly caller: string;
  readonly device: string | null;
  readonly link: string | null;
  readonly vendor: string | null;
  readonly error: { readonly code: ErrorCodeName; readonly sentence: string } | null;
}

interface TracedCall {
  readonly vendor: string;
  readonly call: string;
  /** The link that the call is made for. */
  readonly link: string;
}

/** What a request has called so far: the vendor of the first call that has ended, and the link of the first that began. */
export type Called = Pick<RequestFacts, 'vendor' | 'link'>;

/** A request that is reported. */
export interface TracedRun extends TracedWork<RequestEnd> {
  /** Absent where it is not followed. */
  called?(): Called;
  /** Where it is sampled: what it is found by, 32 hexadecimal digits. */
  readonly traceId?: string;
}

export interface CallEnd {
  /** `ok` or an error code. */
  readonly outcome: string;
  /** The status of the vendor's last HTTP response; undefined where there was none. */
  readonly status: number | undefined;
}

/** Where requests and the calls to vendors that they lead to are reported. */
export interface Traces {
  /** Begins a request, below that of the caller where its headers name one (W3C Trace Context). */
  request(request: TracedRequest): TracedRun;
  /** Begins a call to a vendor. Undefined where no request has led to it. */
  call(call: TracedCall): TracedWork<CallEnd> | undefined;
}

const NOTHING: Called = { vendor: null, link: null };

/** Reports to all of these; undefined where there are none. */
export function together(all: readonly Traces[]): Traces | undefined {
  const [only] = all;
  if (all.length <= 1) return only;
  const both = <End>(works: readonly TracedWork<End>[]): TracedWork<End> => ({
    run<T>(work: () => T): T {
      const nested = works.reduceRight<() => T>((inner, one) => () => one.run(inner), work);
      return nested();
    },
    end(end) {
      for (const one of works) one.end(end);
    },
  });
  return {
    request(request) {
      const works = all.map((one) => one.request(request));
      const followed = works.find(({ called }) => called !== undefined);
      const traceId = works.find((work) => work.traceId !== undefined)?.traceId;
      return {
        ...both(works),
        ...(traceId === undefined ? {} : { traceId }),
        ...(followed === undefined ? {} : { called: () => followed.called?.() ?? NOTHING }),
      };
    },
    call(call) {
      const works = all.map((one) => one.call(call)).filter((work) => work !== undefined);
      return works.length === 0 ? undefined : both(works);
    },
  };
}

/** Something that takes time, as a trace shows it. */
export interface TracedWork<Outcome> {
  /** Runs what belongs to it: calls that are made in there are shown below it. */
  run<T>(work: () => T): T;
  /** Call it once. */
  end(outcome: Outcome): void;
}

interface TracedRequest {
  readonly service: string;
  readonly method: string;
  /** The route as it is declared, `/devices/:id`, never the address that was called. */
  readonly route: string;
  /** Its `X-Request-Id`. */
  readonly id: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

interface TracedCall {
  readonly vendor: string;
  readonly call: string;
}

/**
 * Where requests and the calls that they lead to are reported, if the operator wants it. What is reported names routes and vendors, and no account,
 * link, device, address or credential.
 */
export interface Traces {
  /** Begins a request, below that of the caller where its headers name one (W3C Trace Context); ends with its status. */
  request(request: TracedRequest): TracedWork<number>;
  /** Begins a call to a vendor; ends with its outcome. Undefined where no request has led to it. */
  call(call: TracedCall): TracedWork<string> | undefined;
  /** Reports what is left. */
  close(): Promise<void>;
}

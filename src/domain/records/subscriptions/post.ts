/** What a receiver answered. */
export interface Answered {
  /** Null where there was no answer. */
  readonly status: number | null;
  /** The start of the body, 1 KiB at most. */
  readonly response: string | null;
  /** Why it counts as a failure; null for a success, 2xx. */
  readonly error: string | null;
  /** What `Retry-After` asks for. */
  readonly retryAfterSeconds?: number | undefined;
}

/** Posts to addresses that accounts have chosen. */
export interface Poster {
  /** Throws `vendor.address_not_permitted`. A name is judged when it is resolved. */
  check(url: URL): void;
  /** Throws only once the signal has fired. */
  post(
    request: { readonly url: URL; readonly headers: Readonly<Record<string, string>>; readonly body: string },
    signal: AbortSignal,
  ): Promise<Answered>;
}

import { type Bindings, type ChildLoggerOptions, type DestinationStream, type Logger, pino } from 'pino';

export type Log = Pick<
  Logger,
  'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent' | 'child' | 'level'
>;

/** Fields whose values are redacted in log lines, wherever they occur. */
const SECRET_NAMES = [
  'authorization',
  'cookie',
  'password',
  'credentials',
  'secret',
  'token',
  'access_token',
  'refresh_token',
  'api_key',
  '"x-api-key"',
  '"x-admin-token"',
];

const redactedPaths = SECRET_NAMES.flatMap((name) => {
  const key = name.startsWith('"') ? `[${name}]` : name;
  const dot = key.startsWith('[') ? '' : '.';
  return [key, `*${dot}${key}`, `*.*${dot}${key}`, `*.*.*${dot}${key}`];
});

/** Writes one JSON object per line, to standard output by default. */
export function createLog(level: string, destination?: DestinationStream): Log {
  const options = {
    level,
    base: null,
    redact: { paths: redactedPaths, censor: '[redacted]' },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/**
 * A child that is created when it writes its first line. A pino child redacts its bindings, which costs as much as a line, and most
 * requests and sessions write none.
 */
export class LateChild implements Log {
  readonly #parent: Log;
  readonly #bindings: Bindings;
  #made: Log | undefined;

  constructor(parent: Log, bindings: Bindings) {
    this.#parent = parent;
    this.#bindings = bindings;
  }

  get level(): string {
    return this.#parent.level;
  }

  trace(first: unknown, ...rest: unknown[]): void {
    this.#own().trace(first as object, ...(rest as []));
  }

  debug(first: unknown, ...rest: unknown[]): void {
    this.#own().debug(first as object, ...(rest as []));
  }

  info(first: unknown, ...rest: unknown[]): void {
    this.#own().info(first as object, ...(rest as []));
  }

  warn(first: unknown, ...rest: unknown[]): void {
    this.#own().warn(first as object, ...(rest as []));
  }

  error(first: unknown, ...rest: unknown[]): void {
    this.#own().error(first as object, ...(rest as []));
  }

  fatal(first: unknown, ...rest: unknown[]): void {
    this.#own().fatal(first as object, ...(rest as []));
  }

  silent(): void {}

  child<Level extends string = never>(
    bindings: Bindings,
    options?: ChildLoggerOptions<Level>,
  ): Logger<Level> {
    return this.#own().child(bindings, options);
  }

  #own(): Log {
    this.#made ??= this.#parent.child(this.#bindings);
    return this.#made;
  }
}

/** Drops every line: for tests that do not check the log. */
export const silentLog: Log = pino({ level: 'silent' });

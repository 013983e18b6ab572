import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Pick<
  Logger,
  'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent' | 'child' | 'level'
>;

/** Names whose values never reach a log line, wherever they stand. */
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

/** One JSON object a line, on standard output unless told otherwise. */
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

/** Drops every line: for tests that do not look at the log. */
export const silentLog: Log = pino({ level: 'silent' });

import { OperatorError } from '../core/errors.ts';

/** Prints why a command cannot go on, and ends it with code 1. */
export function exitWith(error: unknown): void {
  const known =
    error instanceof OperatorError ||
    (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE');
  console.error(known ? `elnav: ${sentenceOf(error)}` : error);
  process.exit(1);
}

function sentenceOf(error: Error): string {
  if (!('port' in error)) return error.message;
  return `Port ${error.port} is in use. Stop what uses it, or set ELNAV_CONNECT_PORT and ELNAV_GRID_PORT to other ports.`;
}

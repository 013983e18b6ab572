import { AppError, OperatorError } from '../core/errors.ts';

/** Prints why a command cannot go on, and ends it with code 1. */
export function exitWith(error: unknown): void {
  const sentence = sentenceOf(error);
  console.error(sentence === undefined ? error : `elnav: ${sentence}`);
  process.exit(1);
}

/** A database that is full or away is the operator's to mend, as a setting is. */
function sentenceOf(error: unknown): string | undefined {
  if (error instanceof OperatorError) return error.message;
  if (!(error instanceof AppError)) return undefined;
  if (error.code === 'database.full')
    return 'The disk of the database is full: free some space and start again.';
  if (error.code === 'database.unavailable')
    return 'The database of DATABASE_URL does not answer: start again when it does.';
  return undefined;
}

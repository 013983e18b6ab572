import { AppError } from '../../core/errors.ts';

/** The last device of a page: the next one starts after it. */
export interface Position {
  readonly vendor: string;
  readonly id: string;
}

/** A cursor says where to go on, never whose devices: a forged one finds nothing of another account. */
export function encodeCursor({ vendor, id }: Position): string {
  return Buffer.from(JSON.stringify([vendor, id])).toString('base64url');
}

export function decodeCursor(cursor: string): Position {
  try {
    const [vendor, id, ...rest] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown[];
    if (
      typeof vendor === 'string' &&
      typeof id === 'string' &&
      rest.length === 0 &&
      !`${vendor}${id}`.includes('\0')
    ) {
      return { vendor, id };
    }
  } catch {
    // Told below, as every other cursor that is not ours.
  }
  throw new AppError(
    'request.invalid',
    'cursor must come from this service: follow the Link header of the previous page',
  );
}

import { AppError } from '../../../core/errors.ts';

/** A request in a list that is ordered by time. */
export interface Place {
  readonly at: number;
  readonly id: string;
}

/** A cursor says where to go on, never whose requests: a forged one finds nothing of another account. */
export const encodeCursor = ({ at, id }: Place): string => Buffer.from(`${at} ${id}`).toString('base64url');

/** Whether a cursor is one that a page of requests has given. */
export const isCursor = (cursor: string): boolean => placeIn(cursor) !== undefined;

export function decodeCursor(cursor: string): Place {
  const place = placeIn(cursor);
  if (place !== undefined) return place;
  throw new AppError('request.invalid', 'cursor must be one that a page of requests has given');
}

function placeIn(cursor: string): Place | undefined {
  const [, at, id] =
    /^(\d{1,15}) ([0-9A-Za-z-]{1,40})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  return at === undefined || id === undefined ? undefined : { at: Number(at), id };
}

import { AppError } from './errors.ts';

/** A row of a list that is ordered by a time and an id. */
export interface Place {
  readonly at: number;
  readonly id: string;
}

/** A cursor says where to go on, never whose rows: a forged one finds nothing of another account. */
export const encodeCursor = ({ at, id }: Place): string => Buffer.from(`${at} ${id}`).toString('base64url');

/** Whether a cursor is one that a page of a list has given. */
export const isCursor = (cursor: string): boolean => placeIn(cursor) !== undefined;

/** What is wrong with a cursor that `isCursor` refuses. */
export const CURSOR_FAULT = 'must come from this service: follow the Link header of the previous page';

/** Throws `request.invalid` for what no page of a list has given. */
export function decodeCursor(cursor: string): Place {
  const place = placeIn(cursor);
  if (place !== undefined) return place;
  throw new AppError('request.invalid', `cursor ${CURSOR_FAULT}`);
}

function placeIn(cursor: string): Place | undefined {
  const [, at, id] =
    /^(\d{1,15}) ([0-9A-Za-z-]{1,40})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  return at === undefined || id === undefined ? undefined : { at: Number(at), id };
}

/** The rows of a page of at most `limit`, of which one more was asked for, and the cursor of the next page; null after the last. */
export function pageOf<T>(
  rows: readonly T[],
  limit: number,
  placeOf: (row: T) => Place,
): { readonly rows: readonly T[]; readonly next: string | null } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    rows: shown,
    next: rows.length > limit && last !== undefined ? encodeCursor(placeOf(last)) : null,
  };
}

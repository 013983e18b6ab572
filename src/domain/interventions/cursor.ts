import { AppError } from '../../core/errors.ts';

/** The last intervention of a page: the next one starts after it. */
export interface Position {
  readonly openedAt: number;
  readonly id: string;
}

/** A cursor says where to go on, never whose interventions: a forged one finds nothing of another account. */
export const encodeCursor = ({ openedAt, id }: Position): string =>
  Buffer.from(`${openedAt} ${id}`).toString('base64url');

export function decodeCursor(cursor: string): Position {
  const [, openedAt, id] =
    /^(\d{1,15}) ([0-9A-Za-z]{1,40})$/.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  if (openedAt !== undefined && id !== undefined) return { openedAt: Number(openedAt), id };
  throw new AppError(
    'request.invalid',
    'cursor must come from this service: follow the Link header of the previous page',
  );
}

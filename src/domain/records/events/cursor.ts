import { timingSafeEqual } from 'node:crypto';
import { AppError } from '../../../core/errors.ts';
import { createKeyedHash } from '../../../core/keyed-hash.ts';
import type { VaultKey } from '../../../core/settings/index.ts';
import type { Position } from './store.ts';

/** Hex digits of a cursor's hash: 80 bits. */
const HASH_LENGTH = 20;
const CURSOR = /^([0-9a-z]{1,11})\.([0-9a-z]{1,11})\.([0-9a-z]{1,11})\.([0-9a-f]{20})$/;

/** A place that a caller was given, and when: by the moments of the database. */
export interface GivenPosition extends Position {
  readonly givenAt: number;
}

/** Places in the log as callers have them: bound to their account by a hash, with each of the vault keys. */
export interface Cursors {
  encode(account: number, position: Position): string;
  /** Throws `request.invalid`, which says what the parameter is called. */
  decode(account: number, cursor: string, parameter?: string): GivenPosition;
}

export function createCursors(vaultKeys: readonly VaultKey[], now: () => number): Cursors {
  const hashes = vaultKeys.map((key) => createKeyedHash([key], 'event cursors'));
  const hashOf = (
    hash: (typeof hashes)[number],
    account: number,
    { tx, id, givenAt }: GivenPosition,
  ): string =>
    // control: a cursor of events is of one account [connect/routes/events] => hash.of(`${tx} ${id} ${givenAt}`).slice(0, HASH_LENGTH)
    hash.of(`${account} ${tx} ${id} ${givenAt}`).slice(0, HASH_LENGTH);
  return {
    encode(account, position) {
      const [current] = hashes;
      if (current === undefined) throw new Error('there is no vault key');
      const given = { ...position, givenAt: now() };
      const numbers = [given.tx, given.id, given.givenAt].map((number) => number.toString(36));
      const text = `${numbers.join('.')}.${hashOf(current, account, given)}`;
      return Buffer.from(text).toString('base64url');
    },
    decode(account, cursor, parameter = 'after') {
      const parts = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
      const [, tx = '', id = '', at = '', given = ''] = parts ?? [];
      const position = {
        tx: Number.parseInt(tx, 36),
        id: Number.parseInt(id, 36),
        givenAt: Number.parseInt(at, 36),
      };
      const isOurs =
        parts !== null &&
        Object.values(position).every(Number.isSafeInteger) &&
        hashes.some((hash) =>
          timingSafeEqual(Buffer.from(hashOf(hash, account, position)), Buffer.from(given)),
        );
      if (isOurs) return position;
      throw new AppError(
        'request.invalid',
        `${parameter} must be a cursor that GET /events or GET /events/stream has given to this account`,
      );
    },
  };
}

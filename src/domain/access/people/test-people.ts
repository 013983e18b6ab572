import { hash } from 'node:crypto';
import type { AccountsWorld } from '../../../../test/kit/accounts.ts';
import { systemRandom } from '../../../core/ids.ts';
import type { Database } from '../../../db/database.ts';
import type { Actor } from '../accounts/index.ts';
import { type ComputeArgon2, createPeople } from './index.ts';

export const SOMEBODY: Actor = { name: 'user', ip: '192.0.2.7', requestId: 'test-7' };
export const PASSWORD = 'flod gardin nyckel';

/** A fast replacement for Argon2id that counts its calls. */
function countingHash() {
  let count = 0;
  const compute: ComputeArgon2 = async ({ message, nonce, memory, tagLength }) => {
    count += 1;
    return hash('sha512', Buffer.concat([nonce, message, Buffer.from(String(memory))]), 'buffer').subarray(
      0,
      tagLength,
    );
  };
  return { compute, count: () => count };
}

/** A database that records the statements sent. */
function countingQueries(database: Database): { database: Database; statements: string[] } {
  const statements: string[] = [];
  const queries = database.queries.withPlugin({
    transformQuery({ node }) {
      statements.push(node.kind);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return { database: { ...database, queries }, statements };
}

/** The people domain on a test world's accounts. */
export function openPeople({
  accounts,
  clock,
  database,
}: Pick<AccountsWorld, 'accounts' | 'clock' | 'database'>) {
  const hashes = countingHash();
  const counted = countingQueries(database);
  const people = createPeople({
    database: counted.database,
    accounts,
    clock,
    random: systemRandom,
    compute: hashes.compute,
  });
  return { people, hashes: hashes.count, statements: counted.statements };
}

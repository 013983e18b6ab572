import type { Mutant } from './mutant.ts';

/** Keys, fingerprints, bans, limits, metrics and sign-in. */
export const SECURITY: readonly Mutant[] = [
  {
    control: 'a password cannot be guessed from the fingerprint of an idempotent request',
    file: 'src/domain/accounts/idempotency.ts',
    from: 'return { text: this.#hash.of(digest), key: this.#hash.currentKey };',
    to: 'return { text: digest, key: this.#hash.currentKey };',
    tests: ['src/http/idempotency.test.ts', 'src/domain/accounts/idempotency.test.ts'],
  },
  {
    control: 'fingerprints of older versions, made without a key, are replaced at the start',
    file: 'src/domain/accounts/idempotency.ts',
    from: 'await requests.#keyOld();',
    to: 'requests.prune;',
    tests: ['src/domain/accounts/idempotency.test.ts'],
  },
];

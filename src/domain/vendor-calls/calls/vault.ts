import type { LinkKey } from '../../../adapter/session.ts';
import { AppError } from '../../../core/errors.ts';
import type { Random } from '../../../core/ids.ts';
import { createSealing, type Sealed } from '../../../core/sealing.ts';
import type { VaultKey } from '../../../core/settings/index.ts';

export type { Sealed } from '../../../core/sealing.ts';

/** What a sealed text is bound to: it opens for this account, link and field only. */
export interface Binding extends LinkKey {
  readonly field: string;
}

/** Seals what belongs to a link, or to what else has an id in an account, with the vault keys. */
export interface Vault {
  /** The id of the key that encrypts now. */
  readonly currentKey: string;
  /** Whether a key of this id is among those given. */
  holds(keyId: string): boolean;
  seal(plain: string, binding: Binding): Sealed;
  /** Throws where the key is gone, or the text was sealed for something else or has been changed. */
  open(sealed: Sealed, binding: Binding): string;
}

export function createVault(keys: readonly VaultKey[], random: Random): Vault {
  const { currentKey, holds, seal, open } = createSealing(keys, random);
  const bound = ({ account, link, field }: Binding) => [account, link, field];
  return {
    ...{ currentKey, holds },
    seal: (plain, binding) => seal(plain, bound(binding)),
    open: (sealed, binding) => open(sealed, bound(binding)),
  };
}

/** What is stored does not open: a fault of the server's keys, which no user can mend by linking again. */
export function undecipherable(cause: unknown): AppError {
  return new AppError(
    'vault.mismatch',
    'the stored credentials of this account cannot be decrypted with the vault keys of this server; the operator must restore them',
    { cause, retryAfterSeconds: 60 },
  );
}

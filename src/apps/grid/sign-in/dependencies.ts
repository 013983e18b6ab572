import type { Clock } from '../../../core/clock.ts';
import type { Random } from '../../../core/ids.ts';
import type { VaultKey } from '../../../core/settings/index.ts';
import type { Accounts } from '../../../domain/access/accounts/index.ts';
import type { People } from '../../../domain/access/people/index.ts';
import type { Limits } from '../../../http/rate-limit.ts';
import type { Assets } from '../../../pages/assets.ts';
import type { WrittenLetter } from './letters.ts';

/** What the routes of signing in work with. */
export interface SignInDependencies {
  readonly people: People;
  readonly accounts: Pick<Accounts, 'users'>;
  readonly limits: Limits;
  readonly assets: Assets;
  readonly clock: Clock;
  readonly random: Random;
  readonly vaultKeys: readonly VaultKey[];
  /** The address that links lead to: as configured, else where the service listens; never what a request says. */
  readonly publicUrl: () => string;
  /** The address of Connect, where the console is; undefined where it is not known. */
  readonly connectUrl: () => string | undefined;
  /** Undefined where it is not configured. */
  readonly configuredUrl: string | undefined;
  readonly isSignUpOpen: boolean;
  /** The folder in which letters are files, which only the operator of the machine sees; undefined where they are mailed. */
  readonly outbox: string | undefined;
  readonly send: (letter: WrittenLetter) => void;
}

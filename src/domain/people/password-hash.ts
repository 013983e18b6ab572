import { argon2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { AppError } from '../../core/errors.ts';
import type { Random } from '../../core/ids.ts';
import { createSemaphore } from '../../core/semaphore.ts';
import { normalPassword } from './password-rules.ts';

const SALT_BYTES = 16;
const TAG_BYTES = 32;
/** OWASP's minimum for Argon2id; `memory` in KiB is used by each sign-in. */
const PARAMETERS = { memory: 19_456, passes: 2, parallelism: 1 };
/** A flood of sign-ins must not use up the processor and the thread pool. */
const FEW = { places: 2, waiting: 24 };

/** https://github.com/P-H-C/phc-string-format: a stored hash names its parameters. */
const PHC =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

type Parameters = typeof PARAMETERS;

interface Computation extends Parameters {
  readonly message: Buffer;
  readonly nonce: Buffer;
  readonly tagLength: number;
}

export type ComputeArgon2 = (computation: Computation) => Promise<Buffer>;

const promisedArgon2 = promisify(argon2);
export const computeArgon2: ComputeArgon2 = (computation) => promisedArgon2('argon2id', computation);

export interface PasswordHashes {
  /** A PHC string of a password. */
  hash(password: string): Promise<string>;
  /** Whether the password matches. Takes as long for `undefined`, which nothing matches. */
  verify(password: string, phc: string | undefined): Promise<boolean>;
  /** Whether it was computed with other parameters than the current ones. */
  isOutdated(phc: string): boolean;
}

/** Argon2id, at most two at a time; throws `limit.busy` when too many wait. */
export function createPasswordHashes(random: Random, compute: ComputeArgon2): PasswordHashes {
  const few = createSemaphore(FEW);
  const computeQueued: ComputeArgon2 = (computation) => {
    if (few.isFull)
      throw new AppError('limit.busy', 'too many sign-ins are in progress; retry in a moment', {
        retryAfterSeconds: 2,
      });
    return few.run(() => compute(computation));
  };
  // A random hash, which no known password matches.
  const nobodys = written(PARAMETERS, random(SALT_BYTES), random(TAG_BYTES));
  const bytesOf = (password: string) => Buffer.from(normalPassword(password));

  return {
    async hash(password) {
      const nonce = random(SALT_BYTES);
      const message = bytesOf(password);
      const tag = await computeQueued({ ...PARAMETERS, message, nonce, tagLength: TAG_BYTES });
      return written(PARAMETERS, nonce, tag);
    },
    async verify(password, phc) {
      const { parameters, nonce, tag } = read(phc ?? nobodys);
      const message = bytesOf(password);
      const computed = await computeQueued({ ...parameters, message, nonce, tagLength: tag.length });
      return timingSafeEqual(computed, tag) && phc !== undefined;
    },
    isOutdated(phc) {
      const { parameters } = read(phc);
      return written(parameters, Buffer.of(), Buffer.of()) !== written(PARAMETERS, Buffer.of(), Buffer.of());
    },
  };
}

function written({ memory, passes, parallelism }: Parameters, nonce: Buffer, tag: Buffer): string {
  const [salt, hash] = [nonce, tag].map((bytes) => bytes.toString('base64').replaceAll('=', ''));
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${salt}$${hash}`;
}

function read(phc: string) {
  const [, memory, passes, parallelism, salt, hash] = PHC.exec(phc) ?? [];
  if (salt === undefined || hash === undefined)
    throw new TypeError('a stored password is not an Argon2id PHC string');
  return {
    parameters: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    nonce: Buffer.from(salt, 'base64'),
    tag: Buffer.from(hash, 'base64'),
  };
}

import { digestOf } from '../adapter/kit/digest.ts';
import type { SimulatedAnswer, SimulatedRequest } from '../adapter/simulator.ts';
import { type Random, randomBase62 } from '../core/ids.ts';

interface DoorOptions {
  readonly random: Random;
  readonly realm: string;
  readonly user: string;
  /** Null where none is set: everybody may call. */
  readonly password: () => string | null;
}

/** The sign-in of a simulated device by digest (RFC 7616, SHA-256): it verifies what clients make of its nonces. */
export function digestDoor({ random, realm, user, password }: DoorOptions) {
  /** How often each nonce was used. */
  const nonces = new Map<string, number>();

  return {
    /** Status 401 with a fresh nonce. */
    challenge(): SimulatedAnswer {
      const nonce = randomBase62(random, 16);
      nonces.set(nonce, 0);
      const parameters = `qop="auth", realm="${realm}", nonce="${nonce}", algorithm=SHA-256`;
      return { status: 401, headers: { 'www-authenticate': `Digest ${parameters}` } };
    },

    /** Whether a request carries a right digest, of a nonce that is known, with a count that was not used before. */
    isRight({ method, path, headers }: SimulatedRequest): boolean {
      const secret = password();
      if (secret === null) return true;
      const [, given = ''] = /^Digest (.*)$/.exec(headers.authorization ?? '') ?? [];
      const found = given.matchAll(/(\w+)=(?:"([^"]*)"|([^\s,]+))/g);
      const parts = new Map(
        Array.from(found, ([, name = '', quoted, plain]) => [name, quoted ?? plain ?? '']),
      );
      const part = (name: string) => parts.get(name) ?? '';
      const [nonce, count] = [part('nonce'), part('nc')];
      const used = nonces.get(nonce);
      const times = Number.parseInt(count, 16);
      if (used === undefined || !(times > used) || count.length !== 8) return false;
      const use = { count, cnonce: part('cnonce'), of: `${method}:${path}` };
      const expected = digestOf({ name: user, password: secret }, { realm, nonce }, use);
      const isRight =
        part('username') === user &&
        part('uri') === path &&
        part('realm') === realm &&
        part('response') === expected;
      if (isRight) nonces.set(nonce, times);
      return isRight;
    },

    /** No nonce is good any more. */
    forget: () => nonces.clear(),
  };
}

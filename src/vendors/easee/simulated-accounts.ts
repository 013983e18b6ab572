import type { SimulatedAnswer } from '../../adapter/simulator.ts';
import type { Clock } from '../../core/clock.ts';
import { type Random, randomBase62 } from '../../core/ids.ts';

const ACCESS_SECONDS = 3_600;

export interface SimulatedUser {
  readonly id: number;
  readonly email: string;
  readonly phone: string;
  readonly password: string;
}

interface Issued {
  readonly user: SimulatedUser;
  readonly refresh: string;
  expiresAt: number;
}

/** Easee's accounts: sign-in with e-mail or telephone number, tokens for an hour, each refresh token good once. */
export function createSimulatedAccounts(
  users: readonly SimulatedUser[],
  { clock, random }: { readonly clock: Clock; readonly random: Random },
) {
  const issued = new Map<string, Issued>();
  let isClosed = false;

  function issue(user: SimulatedUser): SimulatedAnswer {
    const access = `simulated.${randomBase62(random, 48)}`;
    const refresh = randomBase62(random, 32);
    issued.set(access, { user, refresh, expiresAt: clock.now() + ACCESS_SECONDS * 1000 });
    return {
      status: 200,
      json: {
        accessToken: access,
        expiresIn: ACCESS_SECONDS,
        accessClaims: ['User'],
        tokenType: 'Bearer',
        refreshToken: refresh,
        simulated: true,
      },
    };
  }

  return {
    login(body: Readonly<Record<string, unknown>>): SimulatedAnswer {
      const user = users.find(({ email, phone }) => body.userName === email || body.userName === phone);
      if (isClosed || user === undefined || body.password !== user.password)
        return { status: 400, json: { errorCode: 100, errorCodeName: 'InvalidUserPassword' } };
      return issue(user);
    },

    refresh(body: Readonly<Record<string, unknown>>): SimulatedAnswer {
      const access = String(body.accessToken);
      const old = issued.get(access);
      if (isClosed || old === undefined || body.refreshToken !== old.refresh)
        return { status: 401, json: { errorCode: 104, errorCodeName: 'InvalidRefreshToken' } };
      issued.delete(access);
      return issue(old.user);
    },

    /** Who a header's token stands for. */
    userOf(authorization: string | undefined): SimulatedUser | undefined {
      const one = issued.get(/^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? '');
      return one === undefined || one.expiresAt <= clock.now() ? undefined : one.user;
    },

    /** Access tokens are good no more; refresh tokens still are. */
    expireAll(): void {
      for (const one of issued.values()) one.expiresAt = 0;
    },

    /** No token is good any more, but the password is. */
    forgetAll(): void {
      issued.clear();
    },

    /** Nothing signs in any more, as after a changed password; undone by `false`. */
    close(closed: boolean): void {
      isClosed = closed;
      if (closed) issued.clear();
    },
  };
}

export type SimulatedAccounts = ReturnType<typeof createSimulatedAccounts>;

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal, Scope } from '../domain/accounts/index.ts';

/**
 * Who may call a route; every route declares one, and the server does not start when one is missing.
 * `public`: anybody, uncounted (health, documents). `anonymous`: a key is optional; without one the anonymous quotas hold.
 * `key`: any valid key. A scope: a valid key that has it. `admin`: the admin token.
 */
export type Access = 'public' | 'anonymous' | 'key' | 'admin' | Scope;

/** Stands before every route: bans, keys, scopes and limits, in this order. */
export interface Gate {
  /** Lets a request in (and sets `request.principal`) or throws an `AppError`; sets the rate-limit headers. */
  admit(request: FastifyRequest, reply: FastifyReply, access: Access): Promise<void> | void;
  /** Counts an answered request in the account's usage. */
  count(request: FastifyRequest, reply: FastifyReply): void;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
  }
  interface FastifyRequest {
    /** The verified key's account; null for anonymous, public and admin calls. */
    principal: Principal | null;
  }
}

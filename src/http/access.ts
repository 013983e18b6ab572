import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppError } from '../core/errors.ts';
import type { Principal, Scope } from '../domain/accounts/index.ts';

/**
 * Who may call a route; every route declares one, and the server does not start when one is missing.
 * `public`: anybody, uncounted (health, documents). `anonymous`: a key is optional; without one the anonymous quotas hold.
 * `optional`: anybody, uncounted; a program that sends a key is let in with it. `key`: any valid key. A scope: a valid key
 * that has it. `admin`: the admin token. `session`: somebody who is signed in. `operator`: whoever runs the service, from this
 * machine, from the addresses that are named, or with the admin token; to everybody else there is nothing.
 */
export type Access = 'public' | 'anonymous' | 'optional' | 'key' | 'admin' | 'session' | 'operator' | Scope;

/** Who is signed in. */
export interface Person {
  readonly account: number;
  /** SHA-256 of the session's id. */
  readonly session: string;
  /** When the person signed in, in milliseconds since 1970, and how. */
  readonly createdAt: number;
  readonly signedInBy: 'password' | 'link';
}

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
    /** How an error is shown to a browser that asks for a page; programs get the service's own body. */
    showError?: (error: AppError, request: FastifyRequest, reply: FastifyReply) => FastifyReply;
  }
  interface FastifyRequest {
    /** The verified key's account; null for anonymous, public and admin calls. */
    principal: Principal | null;
    /** Who is signed in, on routes for which somebody must be. */
    person: Person | null;
    /** Whether its answer is in the metrics and the usage. */
    isCounted: boolean;
  }
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppError } from '../core/errors.ts';
import type { Principal, Scope } from '../domain/access/accounts/index.ts';

/**
 * Who may call a route. Every route declares one; the server does not start when one is missing.
 * `public`: everybody, uncounted (health, documents). `anonymous`: a key is optional; without one, and with a session of the
 * console that has ended, the anonymous quotas apply.
 * `optional`: everybody, uncounted; a key that a program sends is checked. `key`: any valid key. A scope: a valid key with that
 * scope. `console`: a person in the console, and no key whatever its scopes. `admin`: the admin token. `session`: a signed-in person.
 * `operator`: the operator, from this machine, from the configured addresses or with the admin token; everybody else gets a 404.
 * `operator-session`: who may use the operator's pages.
 */
export type Access =
  | 'public'
  | 'anonymous'
  | 'optional'
  | 'key'
  | 'console'
  | 'admin'
  | 'session'
  | 'operator'
  | 'operator-session'
  | Scope;

/** Somebody who is signed in to the console; the id of its session is in a cookie. */
export interface ConsoleCaller {
  readonly principal: Principal;
  /** SHA-256 of the id of the session that it comes from, hex. */
  readonly session: string;
}

/** A signed-in person. */
export interface Person {
  readonly account: number;
  /** SHA-256 of the session's id. */
  readonly session: string;
  /** When the person signed in, ms since 1970, and how. */
  readonly createdAt: number;
  readonly signedInBy: 'password' | 'link';
}

/** Who uses the operator's pages. */
export interface Operator {
  /** The account with the role of an operator; null for a session that began with the admin token. */
  readonly account: { readonly id: number; readonly email: string } | null;
  /** SHA-256 of the session's id, hex. */
  readonly session: string;
  /** When the session ends at the latest, ms since 1970; null where that is as for all of a person's pages. */
  readonly endsAt: number | null;
}

/** Runs before every route: bans, keys, scopes and limits, in this order. */
export interface Gate {
  /** Admits a request (and sets `request.principal`) or throws an `AppError`; sets the rate-limit headers. */
  admit(request: FastifyRequest, reply: FastifyReply, access: Access): Promise<void> | void;
  /** Counts a request in the account's usage, once its response is sent. */
  count(request: FastifyRequest, reply: FastifyReply): void;
}

/** Checks an admin token that came in a form. */
export interface TokenGate {
  /** Throws for a wrong token, which counts like one in the header. */
  admitToken(ip: string, token: string): Promise<void>;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    /** Renders an error for a browser that asks for a page; programs get the service's own body. */
    showError?: (error: AppError, request: FastifyRequest, reply: FastifyReply) => FastifyReply;
  }
  interface FastifyRequest {
    /** The account of the verified key, or of the console's session; null for anonymous, public and admin calls. */
    principal: Principal | null;
    /** The signed-in person, on routes that require one. */
    person: Person | null;
    /** Who uses the operator's pages, on their routes. */
    operator: Operator | null;
    /** Whether its response is already counted in the metrics and the usage. */
    isCounted: boolean;
  }
}

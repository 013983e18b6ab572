import { isIP } from 'node:net';
import { AppError } from '../../core/errors.ts';
import { codeOf, whyUnreachable } from '../exchange.ts';

/** Whose connection it is, and where it leads, as sentences name them. */
export interface Named {
  /** The vendor's name. */
  readonly name: string;
  /** Host and port. */
  readonly address: string;
}

export const addressOf = ({ host, port }: { readonly host: string; readonly port: number }): string =>
  `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

export const timedOut = ({ name, address }: Named): AppError =>
  new AppError('vendor.timeout', `${name} did not respond in time at ${address}`);

export const lost = ({ name, address }: Named): AppError =>
  new AppError('vendor.unreachable', `the connection to ${name} at ${address} was lost`);

export const notUnderstoodAt = ({ name, address }: Named, what: string): AppError =>
  new AppError('vendor.answer_invalid', `${name} at ${address} ${what}`);

/** The broker refuses user name or password: the link's own, or ones that the vendor has handed out. */
export const refusesSignIn = (
  { name, address }: Named,
  { isUsersSignIn = false }: { readonly isUsersSignIn?: boolean },
): AppError =>
  new AppError(
    isUsersSignIn ? 'vendor.login_expired' : 'vendor.refused',
    `${name} at ${address} refuses the user name or the password`,
  );

export const tooMany = (what: string): AppError =>
  new AppError('vendor.rate_limited', what, { retryAfterSeconds: 5 });

/** Why no connection could be opened, by the code of its error alone: its words may hold what was being sent. */
export function notOpened(named: Named, error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { name, address } = named;
  const code = codeOf(error);
  if (code === 'ETIMEDOUT') return timedOut(named);
  return new AppError('vendor.unreachable', `${name} is unreachable at ${address}${whyUnreachable(code)}`);
}

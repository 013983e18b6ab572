import type { OpcuaServer } from '../../adapter/connections.ts';
import { AppError } from '../../core/errors.ts';
import { codeOf } from '../exchange.ts';
import { lost, type Named, refusesSignIn, timedOut, tooMany } from './failures.ts';
import { thumbprintOf } from './opcua-security.ts';

/** The name of a status code in what the library says of a failure. */
function statusIn(error: unknown): string | undefined {
  return error instanceof Error ? /\bBad[A-Z]\w*/.exec(error.message)?.[0] : undefined;
}

/** The session, the channel or the connection is over. */
const ENDED =
  /^Bad(?:Session\w*|SecureChannel\w*|Connection\w*|Communication\w*|Tcp\w*|ServerHalted|Shutdown|ServerNotConnected)$/;

const CLIENT_UNTRUSTED = /^Bad(?:SecurityChecksFailed|Certificate\w*|ApplicationSignatureInvalid)$/;
const SIGN_IN_REFUSED = new Set([
  'BadUserAccessDenied',
  'BadIdentityTokenRejected',
  'BadIdentityTokenInvalid',
]);
const TOO_MANY = new Set(['BadTooManySessions', 'BadTooManyOperations', 'BadTcpNotEnoughResources']);

/** Whether nothing more can be asked over the connection. */
export function endsSession(error: unknown): boolean {
  if (error instanceof AppError) return false;
  const status = statusIn(error);
  return status === undefined || ENDED.test(status);
}

/** What a failure of the library is, by the status code in it alone: its words may hold what was sent. */
export function failureOf(
  error: unknown,
  {
    named,
    server,
    certificate,
  }: { readonly named: Named; readonly server: OpcuaServer; readonly certificate: string },
): AppError {
  if (error instanceof AppError) return error;
  const { name, address } = named;
  const refused = (sentence: string) => new AppError('vendor.refused', `${name} at ${address} ${sentence}`);
  const message = error instanceof Error ? error.message : '';
  if (/user token policy/i.test(message))
    return refused(
      server.username === undefined
        ? 'wants a user name and a password'
        : 'takes no user name with this security',
    );
  const status = statusIn(error);
  if (status === undefined)
    return /^Timeout|timed out/.test(message) ? timedOut(named) : lostOrNot(named, error);
  if (SIGN_IN_REFUSED.has(status)) return refusesSignIn(named, server);
  if (CLIENT_UNTRUSTED.test(status))
    return refused(
      `does not trust the certificate of this service yet (${status}); move the one with the thumbprint ${thumbprintOf(Buffer.from(certificate, 'base64'))} to its trusted certificates, then try again`,
    );
  if (TOO_MANY.has(status))
    return tooMany(`${name} at ${address} has too many clients; close one of them (${status})`);
  if (status === 'BadTimeout' || status === 'BadRequestTimeout') return timedOut(named);
  return ENDED.test(status) ? lost(named) : refused(`refused the request (${status})`);
}

function lostOrNot(named: Named, error: unknown): AppError {
  const code = codeOf(error);
  if (code === 'ENOTPERMITTED')
    return new AppError(
      'vendor.refused',
      `${named.name} is not connected to at ${named.address}: such an address or port is not permitted`,
    );
  return lost(named);
}

import type { FastifyInstance } from 'fastify';
import { OperatorError } from '../core/errors.ts';

/** Listens; answers the address. Throws an `OperatorError` that says what keeps the host or the port from being taken. */
export async function listen(
  app: FastifyInstance,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    const sentence = sentenceOf(code, { host, port });
    throw sentence === undefined ? cause : new OperatorError(sentence, { cause });
  }
}

function sentenceOf(code: unknown, { host, port }: { host: string; port: number }): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} is in use. Stop what uses it, or set ELNAV_CONNECT_PORT and ELNAV_GRID_PORT to other ports.`;
    case 'EACCES':
      return `Port ${port} may not be taken by this user. Set ELNAV_CONNECT_PORT and ELNAV_GRID_PORT to ports above 1023.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return `ELNAV_HOST is ${host}, which is no address of this machine (${code}). 127.0.0.1 is reached from this machine alone, 0.0.0.0 from every network that it is on.`;
    default:
      return undefined;
  }
}

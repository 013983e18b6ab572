import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError, ERRORS } from '../../core/errors.ts';

/** Takes over an HTTP upgrade request; answers it on the socket itself. */
export type TakeUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Hands WebSocket upgrades on the server's port to who takes them, by the first part of their path. */
export function listenForUpgrades(
  server: Server,
  takers: ReadonlyMap<string, TakeUpgrade>,
): { readonly close: () => void } {
  let isClosing = false;
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const [, first] = (request.url ?? '').split(/[/?]/, 2);
    const take = takers.get(first ?? '');
    if (isClosing) refuse(socket, new AppError('server.stopping', 'the server is stopping; retry'));
    else if (take === undefined)
      refuse(socket, new AppError('route.not_found', 'nothing connects at this path'));
    else take(request, socket, head);
  });
  return {
    close() {
      isClosing = true;
    },
  };
}

/** Answers an upgrade request with an error, and closes the connection. */
export function refuse(socket: Duplex, { code, message, retryAfterSeconds }: AppError): void {
  const status = ERRORS[code].connect;
  const body = JSON.stringify({ error: message });
  const retryAfter = retryAfterSeconds === undefined ? '' : `retry-after: ${retryAfterSeconds}\r\n`;
  socket.on('error', () => {});
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json; charset=utf-8\r\nelnav-error: ${code}\r\n${retryAfter}connection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

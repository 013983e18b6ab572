import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError, ERRORS } from '../../core/errors.ts';
import type { Exposure } from '../../http/exposure.ts';

/** Takes over an HTTP upgrade request; answers it on the socket itself. */
export type TakeUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

interface Upgrades {
  /** By the first part of their path. */
  readonly takers: ReadonlyMap<string, TakeUpgrade>;
  /** The configured public address. */
  readonly publicUrl: string | undefined;
  readonly exposure: Pick<Exposure, 'note'>;
}

/** Hands WebSocket upgrades on the server's port to who takes them; none is taken that a page of another site opens. */
export function listenForUpgrades(
  server: Server,
  { takers, publicUrl, exposure }: Upgrades,
): { readonly close: () => void } {
  let isClosing = false;

  /** Who takes a request; throws why nobody does. */
  function takerOf(request: IncomingMessage): TakeUpgrade {
    const [, first] = (request.url ?? '').split(/[/?]/, 2);
    const take = takers.get(first ?? '');
    if (isClosing) throw new AppError('server.stopping', 'the server is stopping; retry');
    if (take === undefined) throw new AppError('route.not_found', 'nothing connects at this path');
    exposure.note(request);
    // control: a page of another site opens no WebSocket [connect/upgrades]
    if (isOfForeignPage(request, publicUrl))
      throw new AppError(
        'origin.foreign',
        'only programs and devices connect here, and no pages of other sites',
      );
    return take;
  }

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    let take: TakeUpgrade;
    try {
      take = takerOf(request);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refuse(socket, error);
      return;
    }
    take(request, socket, head);
  });
  return {
    close() {
      isClosing = true;
    },
  };
}

/**
 * Whether a browser sent it for a page of another site: CORS does not protect WebSockets, and whoever opens the page did not choose what it
 * sends. Stations are no browsers, and their libraries write `file://` or the address of this service into `Origin`.
 */
function isOfForeignPage({ headers }: IncomingMessage, publicUrl: string | undefined): boolean {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return true;
  if (origin === undefined) return false;
  if (!/^https?:/i.test(origin)) return origin === 'null';
  const own = [`http://${host}`, ...(publicUrl === undefined ? [] : [publicUrl])];
  return !own.some((url) => hostnameIn(url) === hostnameIn(origin));
}

const hostnameIn = (url: string): string | undefined =>
  URL.canParse(url) ? new URL(url).hostname : undefined;

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

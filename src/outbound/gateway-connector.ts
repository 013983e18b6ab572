import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import type { Dialer } from './connections/dialer.ts';

/**
 * Opens the connections of an HTTP client with a dialer.
 * @param secure puts TLS on top where the address wants it, judging certificates as the public authorities do unless it is said
 */
export function connectorThrough(
  dialer: Dialer,
  timeoutMs: number,
  secure: buildConnector.connector = buildConnector({ allowH2: false, timeout: timeoutMs }),
): buildConnector.connector {
  return (target, done) => {
    const isSecure = target.protocol === 'https:';
    const port = Number(target.port === '' ? (isSecure ? 443 : 80) : target.port);
    const host = target.hostname.replace(/^\[(.*)\]$/, '$1');
    dialer.dial({ host, port, ports: [port] }, AbortSignal.timeout(timeoutMs)).then(
      (stream) => {
        // Of a socket, the client uses what any stream has.
        const socket = stream as Socket;
        if (isSecure) secure({ ...target, httpSocket: socket }, done);
        else done(null, socket);
      },
      (error: Error) => done(error, null),
    );
  };
}

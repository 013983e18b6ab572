import type { FastifyInstance, FastifyReply } from 'fastify';

const METHODS = 'GET, HEAD';
/**
 * Headers that a page may send: no cookies and no API key. Reads need none, and everybody who opens a page can read its key; if it
 * were allowed, every page on the web could also send wrong keys from the addresses of its visitors.
 */
// control: no page of another site may send a key [cors] => 'x-api-key, if-none-match, x-request-id'
const REQUEST_HEADERS = 'if-none-match, x-request-id';
/** Response headers that a page may read. */
const ANSWER_HEADERS = 'etag, ratelimit, ratelimit-policy, retry-after, elnav-error, x-request-id';
/** Browsers cap this at two hours or a day. */
const PREFLIGHT_SECONDS = 86_400;

/** Lets pages of every origin read this response: for one that is written without the hooks, as streams are. */
export function openToAllOrigins(reply: FastifyReply): void {
  // Sent to every caller: if it depended on Origin, caches would have to vary by it.
  reply.header('access-control-allow-origin', '*').header('access-control-expose-headers', ANSWER_HEADERS);
}

/**
 * Lets pages of every origin read the GET routes below a path, without cookies, and nothing else of the service.
 * Errors are readable too. A preflight uses no quota. Call it before those routes are added.
 */
export function allowCrossOriginReads(app: FastifyInstance, prefix: `/${string}/`): void {
  const paths = new Set<string>();
  app.addHook('onRoute', ({ url, method }) => {
    if (url.startsWith(prefix) && [method].flat().includes('GET')) paths.add(url);
  });
  const isOpen = (url: string): boolean => {
    if (!url.startsWith(prefix)) return false;
    const end = url.indexOf('?');
    return paths.has(end === -1 ? url : url.slice(0, end));
  };

  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers;
    const requestedMethod = request.headers['access-control-request-method'];
    if (
      request.method !== 'OPTIONS' ||
      origin === undefined ||
      requestedMethod === undefined ||
      !isOpen(request.url)
    ) {
      done();
      return;
    }
    reply
      .code(204)
      .header('access-control-allow-origin', '*')
      .header('access-control-allow-methods', METHODS)
      .header('access-control-allow-headers', REQUEST_HEADERS)
      .header('access-control-max-age', String(PREFLIGHT_SECONDS))
      .send();
  });
  app.addHook('onSend', (request, reply, _payload, done) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (isRead && isOpen(request.url)) openToAllOrigins(reply);
    done();
  });
}

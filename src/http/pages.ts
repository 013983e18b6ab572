import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../core/errors.ts';
import { type Asset, type Assets, compressed } from '../pages/assets.ts';
import { brandSheet, colorOfFile } from '../pages/brand-color.ts';
import { prepared } from './cacheable.ts';

/** The content security policy of pages: everything is loaded from the service itself, and no script or style is inline. */
const DIRECTIVES = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
];
const POLICY = [...DIRECTIVES, "form-action 'self'"].join('; ');

const HTML = 'text/html; charset=utf-8';

/**
 * `same-origin` instead of `no-referrer`: with the latter browsers send `Origin: null` with a page's forms, so that they cannot be
 * distinguished from those of another site.
 */
const HEADERS = {
  'content-type': HTML,
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'geolocation=(self)',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  vary: 'accept, accept-encoding, accept-language, cookie',
} as const;

/**
 * Sends a page that is specific to this caller, with the status already set unless another is given. It may hold secrets, so it is
 * neither cached nor compressed.
 */
export function sendPage(reply: FastifyReply, markup: string, status = reply.statusCode): FastifyReply {
  return send(reply.code(status), markup, POLICY);
}

function send(reply: FastifyReply, markup: string, policy: string): FastifyReply {
  const headers = { ...HEADERS, 'content-security-policy': policy, 'cache-control': 'no-store' };
  return reply.headers(headers).send(markup);
}

/**
 * Sends a page whose form redirects to another site: browsers also apply `form-action` to redirects, and the address of the vendor
 * is not known in advance. The page must contain only our own form.
 */
export function sendPageThatLeadsOn(reply: FastifyReply, markup: string): FastifyReply {
  return send(reply, markup, DIRECTIVES.join('; '));
}

/** A page whose form redirects to another service of ours, at a known address: browsers also apply `form-action` to redirects. */
export function sendPageThatLeadsTo(reply: FastifyReply, markup: string, address: string): FastifyReply {
  const policy = [...DIRECTIVES, `form-action 'self' ${new URL(address).origin}`].join('; ');
  return send(reply, markup, policy);
}

/** A page that is the same for all callers, ready to be sent. */
interface PreparedPage {
  readonly asset: Asset;
  readonly headers: Readonly<Record<string, string>> & { readonly etag: string };
}

export async function preparePage(markup: string): Promise<PreparedPage> {
  const { etag } = prepared(markup);
  return {
    asset: await compressed(Buffer.from(markup), HTML),
    headers: { ...HEADERS, 'cache-control': 'private, no-cache', etag },
  };
}

/** A page with its version: the page is rendered again when the version changes. */
interface PageVersion {
  readonly version: string;
  make(): Promise<string> | string;
}

/**
 * Caches the page of the last version, and returns it synchronously once it is rendered. Callers during rendering share the result;
 * a failure is not cached.
 */
export function keepPage(): (asked: PageVersion) => PreparedPage | Promise<PreparedPage> {
  let kept: { readonly version: string; page: PreparedPage | Promise<PreparedPage> } | undefined;
  return ({ version, make }) => {
    if (kept?.version === version) return kept.page;
    const making = Promise.try(make).then(preparePage);
    const own = { version, page: making as PreparedPage | Promise<PreparedPage> };
    kept = own;
    making.then(
      (page) => {
        own.page = page;
      },
      () => {
        if (kept === own) kept = undefined;
      },
    );
    return making;
  };
}

/** Caches the pages of the `most` keys that were asked for last. */
export function keepPages(most: number): (key: string) => ReturnType<typeof keepPage> {
  const pages = new Map<string, ReturnType<typeof keepPage>>();
  return (key) => {
    const page = pages.get(key) ?? keepPage();
    // The order of a map is that of insertion: the first key is the one asked for longest ago.
    pages.delete(key);
    pages.set(key, page);
    const [oldest] = pages.keys();
    if (pages.size > most && oldest !== undefined) pages.delete(oldest);
    return page;
  };
}

/** Sends a prepared page in an encoding that the browser accepts, or 304 when it has it. Browsers revalidate it each time. */
export function sendPrepared(
  request: FastifyRequest,
  reply: FastifyReply,
  page: PreparedPage | Promise<PreparedPage>,
): FastifyReply | Promise<FastifyReply> {
  if (page instanceof Promise) return page.then((made) => sendPrepared(request, reply, made));
  const { asset, headers } = page;
  reply.headers(headers);
  if (request.headers['if-none-match']?.includes(headers.etag) === true) return reply.code(304).send();
  return sendCompressed(request, reply, asset);
}

/** Serves the files that pages load; their names contain their hash, so they never change. */
export function addAssetRoutes(app: FastifyInstance, assets: Assets): void {
  app.get<{ Params: { name: string } }>(
    '/assets/:name',
    { config: { access: 'public' }, schema: { hide: true } },
    (request, reply) => {
      const asset = assets.find(request.params.name);
      if (asset === undefined) throw new AppError('route.not_found', 'there is no such file');
      reply.headers({
        'content-type': asset.type,
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        vary: 'accept-encoding',
      });
      return sendCompressed(request, reply, asset);
    },
  );
  app.get('/favicon.ico', { config: { access: 'public' }, schema: { hide: true } }, (request, reply) => {
    reply.headers({
      'content-type': assets.favicon.type,
      'cache-control': 'public, max-age=86400',
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
    });
    return sendCompressed(request, reply, assets.favicon);
  });
  app.get<{ Params: { file: string } }>(
    '/assets/brand/:file',
    { config: { access: 'public' }, schema: { hide: true } },
    (request, reply) => {
      const color = colorOfFile(request.params.file);
      if (color === undefined) throw new AppError('route.not_found', 'there is no such file');
      // The style sheet may change with a new version.
      return reply
        .headers({
          'content-type': 'text/css; charset=utf-8',
          'cache-control': 'public, max-age=86400',
          'x-content-type-options': 'nosniff',
        })
        .send(brandSheet(color));
    },
  );
}

function sendCompressed(request: FastifyRequest, reply: FastifyReply, asset: Asset): FastifyReply {
  const accepted = String(request.headers['accept-encoding'] ?? '');
  if (accepts(accepted, 'br')) return reply.header('content-encoding', 'br').send(asset.brotli);
  if (accepts(accepted, 'gzip')) return reply.header('content-encoding', 'gzip').send(asset.gzip);
  return reply.send(asset.body);
}

/** Whether the header accepts a coding, with a weight other than 0 (RFC 9110, 12.5.3). */
function accepts(header: string, coding: string): boolean {
  const range = header.split(',').find((one) => one.trim().split(';', 1)[0] === coding);
  return range !== undefined && !/;\s*q=0(?:\.0*)?\s*$/.test(range);
}

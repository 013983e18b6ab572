import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../core/errors.ts';
import { type Asset, type Assets, compressed } from '../pages/assets.ts';
import { brandSheet, colorOfFile } from '../pages/brand-color.ts';
import { prepared } from './cacheable.ts';

/** What a page may do; everything comes from the service itself, and nothing stands in the page. */
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
 * `same-origin` and not `no-referrer`, with which browsers send `Origin: null` with the forms of a page, so that nobody
 * can tell them from those of another site.
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
 * Sends a page that is this caller's alone, with the status that has been set unless another is given. It may hold secrets, so it
 * is neither kept nor compressed.
 */
export function sendPage(reply: FastifyReply, markup: string, status = reply.statusCode): FastifyReply {
  return reply.code(status).headers(HEADERS).header('cache-control', 'no-store').send(markup);
}

/**
 * The same for a page whose form is answered with the way to another site: browsers hold what forms are answered with to the rule for
 * forms as well, and where a vendor leads to nobody knows. The page's only form must be one of ours.
 */
export function sendPageThatLeadsOn(reply: FastifyReply, markup: string): FastifyReply {
  return sendPage(reply, markup).header('content-security-policy', DIRECTIVES.join('; '));
}

/** A page that is the same for everybody, ready to be sent. */
export interface PreparedPage {
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

/** A page with what it was made of: a page of another version is another. */
export interface PageVersion {
  readonly version: string;
  make(): Promise<string> | string;
}

/**
 * Keeps the page of the last version, and answers at once where it is made already. Those who ask while it is being made
 * share the making; one that failed is made anew for the next.
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

/** Sends a prepared page, compressed as the browser takes it, or 304 where it has it. It is asked for again each time. */
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

/** Serves the files that pages load, for ever fresh: their names hold their hash. */
export function assetRoutes(app: FastifyInstance, assets: Assets): void {
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
      // Computed by this version; another may do it better.
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

/** Whether a coding is named, and not with weight 0 (RFC 9110, 12.5.3). */
function accepts(header: string, coding: string): boolean {
  const range = header.split(',').find((one) => one.trim().split(';', 1)[0] === coding);
  return range !== undefined && !/;\s*q=0(?:\.0*)?\s*$/.test(range);
}

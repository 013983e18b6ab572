import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Adapter } from '../../../adapter/adapter.ts';
import type { AppError } from '../../../core/errors.ts';
import { pageReader } from '../../../http/language.ts';
import { sendPage } from '../../../http/pages.ts';
import type { Assets } from '../../../pages/assets.ts';
import { nameIn } from '../input/parameters.ts';
import { sessionPath } from './addresses.ts';
import { sessionOf } from './browser.ts';
import type { Reader } from './frame.ts';
import { failurePage } from './message-pages.ts';
import { callName } from './vendors.ts';
import { NOBODY, type WhoAsks } from './who-asks.ts';

/** Who reads a page, by what the browser says of itself. */
export function readerOf(request: FastifyRequest, assets: Assets, who: WhoAsks): Reader {
  const { language, path } = pageReader(request);
  // What a vendor sent is good once: the page that it led to cannot be shown again.
  return { assets, ...who, language, path: path.startsWith('/oauth/') ? undefined : path };
}

/** Shows a browser an error of a route of linking as a page; the way back leads to the session that it came from. */
export function showsError({
  assets,
  adapters,
  publicUrl,
}: {
  readonly assets: Assets;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly publicUrl: () => string;
}) {
  return (error: AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { session: inPath, vendor } = request.params as { session?: unknown; vendor?: unknown };
    const { session: inQuery } = request.query as { session?: unknown };
    const given = [inPath, inQuery].find((one) => typeof one === 'string');
    const session =
      given === undefined ? sessionOf(request, publicUrl().startsWith('https:')) : nameIn(given);
    const isOver = error.code === 'session.invalid' || session === undefined;
    const reader = readerOf(request, assets, NOBODY);
    const adapter = adapters.get(nameIn(vendor));
    const failure = {
      error,
      requestId: request.id,
      vendor: adapter === undefined ? undefined : callName(adapter, reader.language),
      isByForm: inPath !== undefined,
    };
    return sendPage(reply, failurePage(reader, failure, isOver ? null : sessionPath(session)));
  };
}

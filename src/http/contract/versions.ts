import type { RouteOptions } from 'fastify';

/** The date of the contract, in every response. It moves on when a new contract is published (docs/guides/upgrading.md). */
export const CONTRACT_DATE = '2026-11-27';

/** When an operation was deprecated and when it goes, as `YYYY-MM-DD`, and where that is explained. */
export interface Deprecated {
  readonly since: string;
  /** It answers until the end of the day before. */
  readonly sunset: string;
  /** An address with http or https. */
  readonly link: string;
}

declare module 'fastify' {
  interface FastifySchema {
    /** The operation is to go: its responses and the document say so. */
    deprecated?: Deprecated;
  }
}

/**
 * The headers of what is deprecated: `Deprecation` (RFC 9745, a date of structured fields) and `Sunset` (RFC 8594, a date of HTTP).
 * Throws where a date is none, or it would go before it is deprecated.
 */
export function deprecationHeaders({ since, sunset }: Deprecated): Readonly<Record<string, string>> {
  const [from, to] = [momentOf(since), momentOf(sunset)];
  if (to <= from) throw new Error(`the sunset ${sunset} is not after ${since}`);
  return { deprecation: `@${from / 1000}`, sunset: new Date(to).toUTCString() };
}

/** What the document says of it. */
export const deprecationText = ({ since, sunset, link }: Deprecated): string =>
  `Deprecated since ${since}, and gone from ${sunset} on: ${link}`;

/**
 * Has the responses of deprecated routes link to the explanation, beside their own links. Other headers of theirs are written before
 * a caller is admitted, and so on streams too.
 */
export function linkDeprecation(route: RouteOptions): void {
  const { deprecated } = route.schema ?? {};
  if (deprecated === undefined) return;
  // A mistake in a date stops the start, and no request.
  deprecationHeaders(deprecated);
  const link = `<${new URL(deprecated.link).href}>; rel="deprecation"; type="text/html"`;
  const others = [route.onSend ?? []].flat();
  route.onSend = [
    ...others,
    async (_request, reply) => {
      const own = reply.getHeader('link');
      reply.header('link', own === undefined ? link : `${own}, ${link}`);
    },
  ];
}

function momentOf(day: string): number {
  const moment = Date.parse(`${day}T00:00:00Z`);
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(moment)) throw new Error(`${day} is no date`);
  return moment;
}

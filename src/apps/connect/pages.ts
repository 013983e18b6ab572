import type { FastifyReply } from 'fastify';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text that may stand in an element or a quoted attribute. */
export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (one) => ENTITIES[one] ?? '');

export interface MessagePage {
  readonly title: string;
  readonly paragraphs: readonly string[];
  /** Something to copy. */
  readonly code?: string;
  readonly links?: readonly { readonly href: string; readonly text: string }[];
}

/** A plain page for the end user; every text on it is escaped here. */
export function sendPage(reply: FastifyReply, status: number, page: MessagePage): FastifyReply {
  const parts = [
    `<h1>${escaped(page.title)}</h1>`,
    ...page.paragraphs.map((text) => `<p>${escaped(text)}</p>`),
    ...(page.code === undefined ? [] : [`<p><code>${escaped(page.code)}</code></p>`]),
    ...(page.links === undefined
      ? []
      : [
          `<ul>${page.links.map(({ href, text }) => `<li><a href="${escaped(href)}">${escaped(text)}</a></li>`).join('')}</ul>`,
        ]),
  ];
  return reply
    .code(status)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    .send(
      `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(page.title)}</title></head><body><main>${parts.join('\n')}</main></body></html>\n`,
    );
}

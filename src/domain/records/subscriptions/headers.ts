import { AppError } from '../../../core/errors.ts';

/** Headers that an account has sent with its deliveries. */
export type OwnHeaders = readonly { readonly name: string; readonly value: string }[];

/** Own headers of a subscription at most. */
export const MOST_HEADERS = 10;
export const LONGEST_VALUE = 1_000;

/** A token of RFC 9110, 5.6.2. */
const NAME = /^[\w!#$%&'*+.^`|~-]{1,100}$/;
/** Printable ASCII, without spaces at its ends (RFC 9110, 5.5). */
const VALUE = /^[\x21-\x7e](?:[\x20-\x7e]{0,998}[\x21-\x7e])?$/;
/** What the connection and the body are described by, and what deliveries have of their own. */
const OURS =
  /^(?:host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|accept-encoding|user-agent|traceparent|tracestate|(?:content|webhook|proxy)-.*)$/i;

/** Throws `request.invalid` for a name or value that is not well-formed, and for a header that deliveries have themselves. */
export function requireOwnHeaders(headers: OwnHeaders): void {
  const seen = new Set<string>();
  for (const { name, value } of headers) {
    const shown = JSON.stringify(name.slice(0, 100));
    if (!NAME.test(name))
      throw invalid(`body.headers has ${shown}, which is no name of a header, such as X-Api-Key`);
    // control: deliveries keep the headers that are theirs [subscriptions/headers]
    if (OURS.test(name)) throw invalid(`body.headers has ${shown}, which deliveries set themselves`);
    if (seen.has(name.toLowerCase())) throw invalid(`body.headers has ${shown} twice`);
    seen.add(name.toLowerCase());
    if (!VALUE.test(value))
      throw invalid(
        `the value of ${shown} in body.headers must be 1 to ${LONGEST_VALUE} printable ASCII characters, without a space at its ends`,
      );
  }
}

/** Names alone: values are secret, and never shown. */
export const namesIn = (json: string | null): string[] =>
  json === null ? [] : (JSON.parse(json) as string[]);

/** As the column has the names; null without any. */
export function namesOf(headers: OwnHeaders | undefined): string | null {
  const names = (headers ?? []).map(({ name }) => name);
  return names.length === 0 ? null : JSON.stringify(names);
}

/** As they are sent. */
export const fieldsOf = (headers: OwnHeaders = []): Readonly<Record<string, string>> =>
  Object.fromEntries(headers.map(({ name, value }) => [name, value]));

const invalid = (sentence: string) => new AppError('request.invalid', sentence);

import { readFileSync } from 'node:fs';
import { type Http, HttpFailure } from '../adapter/http.ts';
import { OperatorError } from '../core/errors.ts';

/** A client for one host. */
export type HttpFor = (baseUrl: string) => Http;

export interface Fetched {
  readonly bytes: Uint8Array;
  /** Name of the file in error messages. */
  readonly file: string;
}

const MOST_BYTES = 128 * 1024 * 1024;
const MOST_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];

/** Reads a file, or fetches an address. Throws an `OperatorError` that names it. */
export async function read(location: string, httpFor: HttpFor): Promise<Fetched> {
  return /^https?:\/\//i.test(location) ? await fetchWhole(location, httpFor) : readWhole(location);
}

function readWhole(file: string): Fetched {
  try {
    return { bytes: new Uint8Array(readFileSync(file)), file };
  } catch (cause) {
    const reason =
      cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
        ? 'is not there'
        : 'cannot be read';
    throw new OperatorError(`The file ${file} ${reason}.`, { cause });
  }
}

async function fetchWhole(address: string, httpFor: HttpFor): Promise<Fetched> {
  let url = new URL(address);
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    const answer = await send(url, httpFor);
    if (answer.status === 204) throw new OperatorError(`${url.href} responded that it has no data.`);
    if (!REDIRECTS.includes(answer.status)) return { bytes: answer.bytes, file: url.href };
    const target = answer.headers.location;
    if (target === undefined || !URL.canParse(target, url.href)) break;
    const next = new URL(target, url.href);
    // A redirect from https to http is not followed.
    if (next.protocol !== url.protocol && next.protocol !== 'https:') break;
    url = next;
  }
  throw new OperatorError(`${address} has too many redirects, or one that cannot be followed.`);
}

async function send(url: URL, httpFor: HttpFor) {
  const query: Record<string, string[]> = {};
  for (const [name, value] of url.searchParams) query[name] = [...(query[name] ?? []), value];
  try {
    return await httpFor(url.origin).send({
      path: url.pathname,
      query,
      expect: REDIRECTS,
      mostBytes: MOST_BYTES,
    });
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    throw new OperatorError(
      `${url.origin}${url.pathname} could not be read: ${error.message}. Nothing was changed. You can give a local file with --from.`,
      { cause: error },
    );
  }
}

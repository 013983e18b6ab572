import type { FastifyInstance } from 'fastify';
import { AppError } from '../core/errors.ts';
import { faultInJsonOf } from '../core/json.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** Accepts bodies of JSON in UTF-8 only, and refuses what no database can store. */
export function parseBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    // Many clients send the content type with every request: an empty body is accepted where none is expected.
    if (body.length === 0 && request.routeOptions.schema?.body === undefined) {
      done(null, undefined);
      return;
    }
    try {
      done(null, parseJson(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}

/** Parses a body; throws `request.malformed` when it is not JSON that can be stored. */
export function parseJson(body: Uint8Array): unknown {
  // Some clients send the content type without a body; a route that needs a body reports that itself.
  if (body.length === 0) return undefined;
  let text: string;
  try {
    text = utf8.decode(body);
  } catch (cause) {
    throw new AppError('request.malformed', 'the body is not valid UTF-8', { cause });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new AppError('request.malformed', `the body is not valid JSON${whereOf(cause)}`, { cause });
  }
  const fault = faultInJsonOf(text, value);
  if (fault !== null) throw new AppError('request.malformed', fault);
  return value;
}

/** The position of a JSON syntax error, without the text around it, which may hold a secret. */
function whereOf(cause: unknown): string {
  const match = /position (\d+)(?: \(line (\d+) column (\d+)\))?/.exec(
    cause instanceof Error ? cause.message : '',
  );
  if (match === null)
    return cause instanceof Error && /end of JSON/.test(cause.message) ? ' (it ends too early)' : '';
  return match[2] === undefined ? ` at position ${match[1]}` : ` at line ${match[2]}, column ${match[3]}`;
}

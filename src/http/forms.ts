import type { FastifyInstance } from 'fastify';
import { AppError } from '../core/errors.ts';
import { faultInText } from '../core/json.ts';

/** The fields of a submitted form. */
export class Form {
  readonly #fields: URLSearchParams;

  constructor(fields: URLSearchParams) {
    this.#fields = fields;
  }

  /** The last value of a field; '' when it is missing, since browsers send empty fields as ''. */
  text(name: string): string {
    return this.all(name).at(-1) ?? '';
  }

  all(name: string): readonly string[] {
    return this.#fields.getAll(name);
  }

  has(name: string): boolean {
    return this.#fields.has(name);
  }

  /** Every field with its value, in the order in which they were sent. */
  entries(): readonly (readonly [string, string])[] {
    return [...this.#fields];
  }

  /** The last value of every field. */
  fields(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#fields);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Lets the routes of a scope accept forms; `request.body` is then a `Form`. All other routes accept JSON only. */
export function acceptForms(scope: FastifyInstance): void {
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer' },
    (_request, body, done) => {
      try {
        done(null, parseForm(body as Buffer));
      } catch (error) {
        done(error as Error);
      }
    },
  );
}

/** Parses a form; throws `request.malformed` for text that no database can store. */
export function parseForm(body: Uint8Array): Form {
  let text: string;
  try {
    text = utf8.decode(body);
  } catch (cause) {
    throw new AppError('request.malformed', 'the body is not valid UTF-8', { cause });
  }
  const fields = new URLSearchParams(text);
  for (const [name, value] of fields) {
    const fault = faultInText(name, 'the name of a field') ?? faultInText(value, name.slice(0, 60));
    if (fault !== null) throw new AppError('request.malformed', fault);
  }
  return new Form(fields);
}

/** The form of a request; throws when the body is something else. */
export function formOf(body: unknown): Form {
  if (body instanceof Form) return body;
  throw new AppError(
    'request.media_type',
    'the body must be a form, sent with the header content-type: application/x-www-form-urlencoded',
  );
}

import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../core/clock.ts';

/** Text, a number, a truth or nothing; a JSON number where it is one. */
export type Cell = string | number | boolean | null;

export type RowFormat = 'json' | 'csv';

export interface Rows<R extends Readonly<Record<string, Cell>>> {
  /** In the order that both formats have. */
  readonly columns: readonly (keyof R & string)[];
  readonly batches: AsyncIterable<readonly R[]>;
}

const TYPES = {
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
} satisfies Record<RowFormat, string>;

/**
 * Answers 200 with rows as they come: a JSON array of objects, or CSV (RFC 4180) with a header line. What fails before the
 * first batch is answered as an error; what fails later breaks the connection, so that half an answer never looks whole. Reading stops
 * when the caller goes away, and waits while the caller is slow; one who takes nothing for half a minute is hung up on.
 */
export async function sendRows<R extends Readonly<Record<string, Cell>>>(
  request: FastifyRequest,
  reply: FastifyReply,
  { columns, batches, format, clock }: Rows<R> & { readonly format: RowFormat; readonly clock: Clock },
): Promise<FastifyReply> {
  const reading = batches[Symbol.asyncIterator]();
  const first = await reading.next();
  reply.header('content-type', TYPES[format]);
  if (request.method === 'HEAD') {
    await reading.return?.();
    return reply.send(Readable.from([]));
  }
  const parts = format === 'csv' ? csvParts : jsonParts;
  const text = whileTaken(parts(columns, resumed(first, reading)), reply.raw, clock);
  return reply.send(Readable.from(text, { objectMode: false, highWaterMark: 1 }));
}

/** A list of column names and the batches that they name, as pieces of text. */
type Parts = <R extends Readonly<Record<string, Cell>>>(
  columns: readonly (keyof R & string)[],
  batches: AsyncIterable<readonly R[]>,
) => AsyncGenerator<string>;

const csvParts: Parts = async function* (columns, batches) {
  yield `${columns.join(',')}\r\n`;
  for await (const rows of batches) {
    let text = '';
    for (const row of rows) {
      let before = '';
      for (const column of columns) {
        text += before + csvCell(row[column] ?? null);
        before = ',';
      }
      text += '\r\n';
    }
    if (text !== '') yield text;
  }
};

const jsonParts: Parts = async function* (columns, batches) {
  const names = columns.map((column) => `${JSON.stringify(column)}:`);
  let before = '[';
  for await (const rows of batches) {
    let text = '';
    for (const row of rows) {
      text += before;
      before = '{';
      for (const [index, column] of columns.entries()) {
        text += `${before}${names[index]}${JSON.stringify(row[column] ?? null)}`;
        before = ',';
      }
      text += '}';
      before = ',\n';
    }
    if (text !== '') yield text;
  }
  yield before === '[' ? '[]' : ']';
};

/** An empty cell is nothing. Quoted where a separator, a quote or a line end stands in it. */
function csvCell(value: Cell): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** What is being read, after a first step that was taken already. Nothing is read ahead: it would be held for who does not read. */
async function* resumed<T>(first: IteratorResult<T>, rest: AsyncIterator<T>): AsyncGenerator<T> {
  try {
    for (let step = first; step.done !== true; step = await rest.next()) yield step.value;
  } finally {
    await rest.return?.();
  }
}

/** Who takes nothing for so long does not read; what waits for him is given back. */
const PATIENCE_MS = 30_000;

/** The same text; the connection is cut where none of it is taken. The next piece is asked for when those before have gone out. */
async function* whileTaken(
  text: AsyncGenerator<string>,
  raw: ServerResponse,
  clock: Clock,
): AsyncGenerator<string> {
  let patience = () => {};
  raw.once('close', () => patience());
  for await (const piece of text) {
    patience();
    patience = clock.after(PATIENCE_MS, () => raw.destroy());
    yield piece;
  }
}

/** Whether a caller wants CSV: by `format`, or else by the media type that it accepts best. */
export function formatOf(request: FastifyRequest, asked: RowFormat | ''): RowFormat {
  if (asked !== '') return asked;
  const ranges = (request.headers.accept ?? '').split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    return { type, quality: quality === undefined ? 1 : Number(quality.slice(2)) };
  });
  const qualityOf = (type: string) => ranges.find((range) => range.type === type)?.quality ?? 0;
  const csv = qualityOf('text/csv');
  return csv > 0 && csv > qualityOf('application/json') ? 'csv' : 'json';
}

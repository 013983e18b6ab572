import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../core/clock.ts';

/** Text, a number, a boolean or null; a JSON number stays a number. */
export type Cell = string | number | boolean | null;

type RowFormat = 'json' | 'csv';

export interface Rows<R extends Readonly<Record<string, Cell>>> {
  /** The order of the columns in both formats. */
  readonly columns: readonly (keyof R & string)[];
  readonly batches: AsyncIterable<readonly R[]>;
}

const TYPES = {
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
} satisfies Record<RowFormat, string>;

/**
 * Responds 200 and streams rows as they arrive: a JSON array of objects, or CSV (RFC 4180) with a header line. A failure before the
 * first batch is an error response; a later one breaks the connection, so that a partial response never looks complete. Reading
 * stops when the caller disconnects and waits while it is slow; a caller that reads nothing for half a minute is disconnected.
 */
export async function sendRows<R extends Readonly<Record<string, Cell>>>(
  request: FastifyRequest,
  reply: FastifyReply,
  { columns, batches, format, clock }: Rows<R> & { readonly format: RowFormat; readonly clock: Clock },
): Promise<FastifyReply> {
  const reading = batches[Symbol.asyncIterator]();
  const first = await reading.next();
  reply.header('content-type', TYPES[format]);
  const parts = format === 'csv' ? csvParts : jsonParts;
  return sendText(request, reply, { reading, text: parts(columns, resumed(first, reading)), clock });
}

interface Text {
  readonly reading: AsyncIterator<unknown>;
  readonly text: AsyncGenerator<string>;
  readonly clock: Clock;
}

async function sendText(
  request: FastifyRequest,
  reply: FastifyReply,
  { reading, text, clock }: Text,
): Promise<FastifyReply> {
  if (request.method === 'HEAD') {
    await reading.return?.();
    return reply.send(Readable.from([]));
  }
  const read = whileRead(text, reply.raw, clock);
  return reply.send(Readable.from(read, { objectMode: false, highWaterMark: 1 }));
}

/**
 * Responds 200 and streams objects as NDJSON, one on each line, as `sendRows` streams rows. The last line is `{"end": true}`, so that a
 * reader knows a complete response.
 */
export async function sendLines(
  request: FastifyRequest,
  reply: FastifyReply,
  { batches, clock }: { readonly batches: AsyncIterable<readonly object[]>; readonly clock: Clock },
): Promise<FastifyReply> {
  const reading = batches[Symbol.asyncIterator]();
  const first = await reading.next();
  reply.header('content-type', 'application/x-ndjson; charset=utf-8');
  return sendText(request, reply, { reading, text: lineParts(resumed(first, reading)), clock });
}

async function* lineParts(batches: AsyncIterable<readonly object[]>): AsyncGenerator<string> {
  for await (const objects of batches)
    if (objects.length > 0) yield objects.map((one) => `${JSON.stringify(one)}\n`).join('');
  yield '{"end":true}\n';
}

/** Converts batches of rows with these columns into pieces of text. */
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

/** Null is an empty cell. Text with a separator, a quote or a line end is quoted. */
function csvCell(value: Cell): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** An iteration whose first step is done. Nothing is read ahead, since it would be buffered for callers that do not read. */
async function* resumed<T>(first: IteratorResult<T>, rest: AsyncIterator<T>): AsyncGenerator<T> {
  try {
    for (let step = first; step.done !== true; step = await rest.next()) yield step.value;
  } finally {
    await rest.return?.();
  }
}

/** A caller that reads nothing for so long is disconnected, and its buffers are freed. */
const READ_MS = 30_000;

/** Passes the text on, and closes the connection when none of it is read. The next piece is requested when the last was sent. */
async function* whileRead(
  text: AsyncGenerator<string>,
  raw: ServerResponse,
  clock: Clock,
): AsyncGenerator<string> {
  let cancelTimeout = () => {};
  raw.once('close', () => cancelTimeout());
  for await (const piece of text) {
    cancelTimeout();
    cancelTimeout = clock.after(READ_MS, () => raw.destroy());
    yield piece;
  }
}

/** The format that a caller wants: `format`, or else the preferred media type in Accept. */
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

import { OperatorError } from '../../core/errors.ts';

/** A row of a delimited file; `line` counts from 1, for error messages. */
export interface DelimitedRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Text of a file as UTF-8 without its byte order mark; throws an `OperatorError` when it is not UTF-8, is empty, or is a web page. */
export function textOf(bytes: Uint8Array, file: string): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new OperatorError(`${file} is not UTF-8 text.`, { cause });
  }
  if (text.trim() === '') throw new OperatorError(`${file} is empty.`);
  if (/^\s*<(?:!doctype|html|head|\?xml)/i.test(text)) {
    throw new OperatorError(`${file} is a web page or XML, not data; its address may have moved.`);
  }
  return text;
}

interface Delimited {
  readonly file: string;
  readonly separator: string;
  /** Whether the last line may lack a line end; otherwise that means a truncated file. */
  readonly endsOpen?: boolean;
}

/** Splits lines of unquoted cells, as in tab-separated files. */
export function splitLines(text: string, { file, separator, endsOpen = false }: Delimited): DelimitedRow[] {
  const lines = text.split('\n');
  const last = lines.at(-1);
  if (last === '') lines.pop();
  else if (!endsOpen)
    throw new OperatorError(`${file} line ${lines.length} has no end: the file is cut short.`);
  return lines.map((line, index): DelimitedRow => {
    return { line: index + 1, cells: (line.endsWith('\r') ? line.slice(0, -1) : line).split(separator) };
  });
}

/** Rows of a CSV file (RFC 4180), quoted cells included. Throws an `OperatorError` for a quote that is not closed. */
function readCsv(text: string, form: Delimited): DelimitedRow[] {
  if (!text.includes('"')) return splitLines(text, form);
  return readQuoted(text.endsWith('\n') || form.endsOpen !== true ? text : `${text}\n`, form);
}

function readQuoted(text: string, { file, separator }: Delimited): DelimitedRow[] {
  if (!text.endsWith('\n')) throw new OperatorError(`${file} ends inside a line: the file is cut short.`);
  const rows: DelimitedRow[] = [];
  let cells: string[] = [];
  let cell = '';
  let line = 1;
  let startedAt = 1;
  let isQuoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? '';
    if (character === '\n') line += 1;
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text[index + 1] === '"') {
        cell += '"';
        index += 1;
      } else isQuoted = false;
    } else if (character === '"' && cell === '') isQuoted = true;
    else if (character === separator || character === '\n') {
      cells.push(character === '\n' && cell.endsWith('\r') ? cell.slice(0, -1) : cell);
      cell = '';
      if (character === '\n') {
        rows.push({ line: startedAt, cells });
        cells = [];
        startedAt = line;
      }
    } else cell += character;
  }
  if (isQuoted) throw new OperatorError(`${file} line ${startedAt} opens a quote that is never closed.`);
  return rows;
}

/** Reads cells by column name. */
export interface Columns {
  readonly rows: readonly DelimitedRow[];
  cell(row: DelimitedRow, name: string): string;
}

/** Reads a CSV file whose first line names its columns; each row must have as many cells, and each wanted column must exist. */
export function readTable(
  text: string,
  { wanted, ...form }: Delimited & { readonly wanted: readonly string[] },
): Columns {
  const { file } = form;
  const [head, ...rows] = readCsv(text, form);
  const names = head?.cells ?? [];
  const missing = wanted.filter((name) => !names.includes(name));
  if (missing.length > 0) {
    throw new OperatorError(
      `${file} line 1 does not name the column ${missing.join(', ')}; it must name ${wanted.join(', ')}.`,
    );
  }
  const odd = rows.find((row) => row.cells.length !== names.length);
  if (odd !== undefined) {
    throw new OperatorError(
      `${file} line ${odd.line} has ${odd.cells.length} cells where the first line names ${names.length} columns.`,
    );
  }
  if (rows.length === 0) throw new OperatorError(`${file} has no row below its first line.`);
  const positions = new Map(names.map((name, index) => [name, index]));
  return { rows, cell: (row, name) => row.cells[positions.get(name) ?? -1] ?? '' };
}

/** JSON of a file; throws an `OperatorError` with the position of a syntax error. */
export function readJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OperatorError(`${file} is not whole JSON: ${reason}.`, { cause });
  }
}

/** A JSON object's fields. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A required text field, without zero-width characters and surrounding spaces. */
export function textField(fields: Fields, name: string, where: string): string {
  const value = fields[name];
  if (typeof value !== 'string') throw new OperatorError(`${where} has no text in ${name}.`);
  const clean = cleanText(value);
  if (clean === '') throw new OperatorError(`${where} has an empty ${name}.`);
  return clean;
}

/** Removes zero-width characters and double spaces, which occur in registers typed by hand. */
export function cleanText(text: string): string {
  return text
    .replaceAll(/[\u200B-\u200D\u2060\uFEFF]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .normalize('NFC');
}

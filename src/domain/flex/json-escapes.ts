import { AppError } from '../../core/errors.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

/** Characters after a backslash, and the characters they stand for. */
const ESCAPES: ReadonlyMap<number, number> = new Map(
  Object.entries({ '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }).map(
    ([letter, meant]) => [letter.charCodeAt(0), meant.charCodeAt(0)],
  ),
);

/** A position in the bytes of a JSON text. */
interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
  fail(): never;
}

/**
 * Decodes a text in place, from its first backslash, which is at the cursor, to its closing quotation mark, where it leaves
 * the cursor. Decoded text is never longer than its source. Returns the end of the decoded text.
 */
export function decodeText(json: Cursor): number {
  const { bytes } = json;
  let write = json.at;
  let byte = bytes[json.at] ?? 0;
  while (byte !== QUOTE) {
    if (byte < 0x20) json.fail();
    if (byte === BACKSLASH) {
      write = decodeEscape(json, write);
    } else {
      bytes[write] = byte;
      write += 1;
      json.at += 1;
    }
    byte = bytes[json.at] ?? 0;
  }
  return write;
}

/** Decodes one character; returns the next write position. */
function decodeEscape(json: Cursor, write: number): number {
  const { bytes } = json;
  const meant = ESCAPES.get(bytes[json.at + 1] ?? 0);
  if (meant !== undefined) {
    bytes[write] = meant;
    json.at += 2;
    return write + 1;
  }
  const unit = readUnit(json);
  if (unit === 0)
    throw new AppError('request.malformed', `the body holds a NUL character before byte ${json.at}`);
  if (unit < 0xd800 || unit > 0xdfff) return putCharacter(bytes, write, unit);
  const paired = unit < 0xdc00 && bytes[json.at] === BACKSLASH && bytes[json.at + 1] === LETTER_U;
  const low = paired ? readUnit(json) : 0;
  if (low < 0xdc00 || low > 0xdfff) {
    throw new AppError(
      'request.malformed',
      `the body holds a lone surrogate before byte ${json.at}, which is not valid Unicode`,
    );
  }
  return putCharacter(bytes, write, 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
}

/** Reads a UTF-16 code unit, written as a backslash, u and four hexadecimal digits. */
function readUnit(json: Cursor): number {
  json.at += 1;
  if (json.bytes[json.at] !== LETTER_U) json.fail();
  let unit = 0;
  for (let digits = 0; digits < 4; digits += 1) {
    json.at += 1;
    const byte = json.bytes[json.at] ?? 0;
    const letter = byte | 0x20;
    if (byte >= 0x30 && byte <= 0x39) unit = unit * 16 + byte - 0x30;
    else if (letter >= 0x61 && letter <= 0x66) unit = unit * 16 + letter - 0x61 + 10;
    else json.fail();
  }
  json.at += 1;
  return unit;
}

/** Writes a character as UTF-8; returns the next write position. */
function putCharacter(bytes: Uint8Array, write: number, character: number): number {
  if (character < 0x80) {
    bytes[write] = character;
    return write + 1;
  }
  const following = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
  bytes[write] = (0xff00 >> (following + 1)) | (character >> (6 * following));
  for (let left = following - 1; left >= 0; left -= 1) {
    bytes[write + following - left] = 0x80 | ((character >> (6 * left)) & 0x3f);
  }
  return write + following + 1;
}

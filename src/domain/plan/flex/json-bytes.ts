import { isUtf8 } from 'node:buffer';
import { AppError } from '../../../core/errors.ts';

export const OBJECT = 0x7b;
export const LIST = 0x5b;
export const TEXT = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const DEEPEST = 32;

const WORDS: ReadonlyMap<number, string> = new Map([
  [0x74, 'true'],
  [0x66, 'false'],
  [0x6e, 'null'],
]);
const ascii = new TextDecoder('latin1');

/**
 * Reads JSON (RFC 8259) in place, without creating values: a body of 96 MiB needs no memory besides its bytes. Refuses
 * what other routes refuse: invalid JSON or UTF-8, NUL, lone surrogates, `__proto__`, more than 32 levels. Escaped text is
 * decoded in place, so the bytes change while they are read.
 */
export class JsonBytes {
  readonly bytes: Uint8Array;
  at = 0;
  /** Start of the text read last, decoded. */
  start = 0;
  end = 0;
  /** Whether that text had escapes, so that its bytes may need escaping again. */
  escaped = false;

  constructor(bytes: Uint8Array) {
    if (!isUtf8(bytes)) throw new AppError('request.malformed', 'the body is not valid UTF-8');
    this.bytes = bytes;
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) this.at = 3;
  }

  /** The first byte of the next token; 0 past the end. */
  peek(): number {
    const { bytes } = this;
    let { at } = this;
    let byte = bytes[at] ?? 0;
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) {
      at += 1;
      byte = bytes[at] ?? 0;
    }
    this.at = at;
    return byte;
  }

  /** Enters an object or list at nesting `depth`; returns whether it has a first item. */
  enter(depth: number): boolean {
    if (depth >= DEEPEST)
      throw new AppError('request.malformed', `the body is nested deeper than ${DEEPEST} levels`);
    // In ASCII the closing bracket is two after the opening one.
    const close = this.peek() + 2;
    this.at += 1;
    if (this.peek() !== close) return true;
    this.at += 1;
    return false;
  }

  /** Moves to the next item; returns false, and leaves the object or list, at its end. */
  next(kind: typeof OBJECT | typeof LIST): boolean {
    const byte = this.peek();
    if (byte !== COMMA && byte !== kind + 2) this.fail();
    this.at += 1;
    return byte === COMMA;
  }

  /** Reads a field's name, then from `start` to `end`, and moves to its value. */
  name(): void {
    if (this.peek() !== TEXT) this.fail();
    this.text();
    if (this.reads('__proto__'))
      throw new AppError('request.malformed', 'the body has a field named __proto__, which is not permitted');
    if (this.peek() !== COLON) this.fail();
    this.at += 1;
  }

  /** Whether the text read last equals this ASCII text. */
  reads(wanted: string): boolean {
    const { bytes, start } = this;
    if (this.end - start !== wanted.length) return false;
    for (let index = 0; index < wanted.length; index += 1) {
      if (bytes[start + index] !== wanted.charCodeAt(index)) return false;
    }
    return true;
  }

  /** Reads a text, then from `start` to `end`. The next byte must be its quotation mark. */
  text(): void {
    const { bytes } = this;
    let at = this.at + 1;
    this.start = at;
    this.escaped = false;
    let byte = bytes[at] ?? 0;
    while (byte >= 0x20 && byte !== TEXT && byte !== BACKSLASH) {
      at += 1;
      byte = bytes[at] ?? 0;
    }
    this.at = at;
    if (byte === BACKSLASH) {
      this.escaped = true;
      this.end = decodeText(this);
    } else {
      if (byte !== TEXT) this.fail();
      this.end = at;
    }
    this.at += 1;
  }

  /** Reads a number; returns a value that is not a safe integer unless it is a whole number that a double holds. */
  number(): number {
    const from = this.at;
    const value = this.#numeral();
    // No real whole number has more than 400 characters, and parsing longer ones could be expensive.
    if (!Number.isNaN(value) || this.at - from > 400) return value;
    return 0 + Number(ascii.decode(this.bytes.subarray(from, this.at)));
  }

  /** Skips any value. */
  skip(depth: number): void {
    const kind = this.peek();
    if (kind === TEXT) {
      this.text();
    } else if (kind === OBJECT || kind === LIST) {
      for (let more = this.enter(depth); more; more = this.next(kind)) {
        if (kind === OBJECT) this.name();
        this.skip(depth + 1);
      }
    } else {
      const word = WORDS.get(kind);
      if (word === undefined) this.#numeral();
      else this.#word(word);
    }
  }

  /** Skips any value and describes it; text may be a secret and is not repeated. */
  refuse(depth: number): string {
    const kind = this.peek();
    const from = this.at;
    this.skip(depth);
    if (kind === TEXT) return 'text';
    if (kind === OBJECT) return 'an object';
    if (kind === LIST) return 'a list';
    return this.at - from > 40 ? 'a longer number' : ascii.decode(this.bytes.subarray(from, this.at));
  }

  /** Requires that only white space follows. */
  finish(): void {
    this.peek();
    if (this.at < this.bytes.length) this.fail();
  }

  fail(): never {
    const where = this.at >= this.bytes.length ? ' (it ends too early)' : ` at byte ${this.at}`;
    throw new AppError('request.malformed', `the body is not valid JSON${where}`);
  }

  #word(word: string): void {
    for (let index = 0; index < word.length; index += 1) {
      if (this.bytes[this.at] !== word.charCodeAt(index)) this.fail();
      this.at += 1;
    }
  }

  /** Skips a number; returns its value, or NaN if it has a fraction or an exponent. */
  #numeral(): number {
    const { bytes } = this;
    const negative = bytes[this.at] === 0x2d;
    const first = negative ? this.at + 1 : this.at;
    let at = first;
    let value = 0;
    let byte = bytes[at] ?? 0;
    while (byte >= 0x30 && byte <= 0x39) {
      value = value * 10 + (byte - 0x30);
      at += 1;
      byte = bytes[at] ?? 0;
    }
    this.at = at;
    if (at === first || (bytes[first] === 0x30 && at > first + 1)) this.fail();
    if (byte !== 0x2e && byte !== 0x65 && byte !== 0x45) return negative ? 0 - value : value;
    if (byte === 0x2e) {
      this.at += 1;
      this.#digits();
      byte = bytes[this.at] ?? 0;
    }
    if (byte === 0x65 || byte === 0x45) {
      this.at += 1;
      const sign = bytes[this.at];
      if (sign === 0x2b || sign === 0x2d) this.at += 1;
      this.#digits();
    }
    return Number.NaN;
  }

  #digits(): void {
    const from = this.at;
    let byte = this.bytes[this.at] ?? 0;
    while (byte >= 0x30 && byte <= 0x39) {
      this.at += 1;
      byte = this.bytes[this.at] ?? 0;
    }
    if (this.at === from) this.fail();
  }
}

const QUOTE = 0x22;
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
function decodeText(json: Cursor): number {
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

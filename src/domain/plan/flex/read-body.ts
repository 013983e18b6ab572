import { AppError } from '../../../core/errors.ts';
import { duplicateId, type FleetColumns } from './fleet-columns.ts';

import { JsonBytes, OBJECT, TEXT } from './json-bytes.ts';
import { type Note, readFleet, shortened } from './read-fleet.ts';
import type { DispatchRequest, Period } from './schemas.ts';

/** Reads the body of a dispatch. Changes the bytes of texts with escapes. */
export function readDispatch(bytes: Uint8Array): { fleet: FleetColumns; request: DispatchRequest } {
  const { fleet, beside } = readBody(bytes, 'request', readRequest);
  return { fleet, request: beside };
}

export function readFlexibility(bytes: Uint8Array): { fleet: FleetColumns; period: Period } {
  const { fleet, beside } = readBody(bytes, 'period', readPeriod);
  return { fleet, period: beside };
}

/** Reads `{fleet, <name>}`; unknown fields are ignored, as in every body that controls no device. */
function readBody<T>(
  bytes: Uint8Array,
  name: 'request' | 'period',
  read: (json: JsonBytes, note: Note) => T,
): { fleet: FleetColumns; beside: T } {
  const json = new JsonBytes(bytes);
  let fault: string | undefined;
  const note: Note = (sentence) => {
    fault ??= sentence;
  };
  let fleet: FleetColumns | undefined;
  let beside: T | undefined;
  if (json.peek() !== OBJECT) {
    note(`body must be a JSON object, not ${json.refuse(0)}`);
  } else {
    for (let more = json.enter(0); more; more = json.next(OBJECT)) {
      json.name();
      const field = json.reads('fleet') ? 'fleet' : json.reads(name) ? name : undefined;
      const again = field === 'fleet' ? fleet !== undefined : field === name && beside !== undefined;
      if (again) note(`body has ${field} twice`);
      if (field === undefined || again) json.skip(1);
      else if (field === 'fleet') fleet = readFleet(json, note);
      else beside = read(json, note);
    }
  }
  json.finish();
  if (fault !== undefined) throw invalid(fault);
  if (fleet === undefined || beside === undefined) {
    const missing = [fleet === undefined ? 'fleet' : '', beside === undefined ? name : ''];
    throw invalid(`body is missing ${missing.filter((one) => one !== '').join(', ')}`);
  }
  refuseDuplicates(fleet);
  return { fleet, beside };
}

function refuseDuplicates(fleet: FleetColumns): void {
  const duplicate = duplicateId(fleet);
  if (duplicate === null) return;
  const { index, earlier } = duplicate;
  throw invalid(
    `body.fleet[${index}] (${shortened(fleet.id(index))}) has the id of body.fleet[${earlier}]; ids must be unique`,
  );
}

/** The result is valid only if nothing was noted. */
function readRequest(json: JsonBytes, note: Note): DispatchRequest {
  const fields = new Fields(json, note, 'body.request');
  let direction: DispatchRequest['direction'] = 'down';
  let amount = 0;
  for (const name of fields.each(['direction', 'amount_w'])) {
    if (name === 'direction') direction = fields.oneOf(['down', 'up']);
    else amount = fields.whole(0);
  }
  return { direction, amount_w: amount };
}

function readPeriod(json: JsonBytes, note: Note): Period {
  const fields = new Fields(json, note, 'body.period');
  const period = { index: 0, duration_min: 0 };
  for (const name of fields.each(['index', 'duration_min'])) {
    period[name] = fields.whole(name === 'index' ? 0 : 1);
  }
  return period;
}

/** Reads a small object field by field. */
class Fields {
  readonly #json: JsonBytes;
  readonly #note: Note;
  #path: string;

  constructor(json: JsonBytes, note: Note, path: string) {
    this.#json = json;
    this.#note = note;
    this.#path = path;
  }

  /** Yields each wanted field that is present, to be read at once; notes missing and repeated ones. */
  *each<const N extends string>(wanted: readonly N[]): Generator<N> {
    const json = this.#json;
    const path = this.#path;
    if (json.peek() !== OBJECT) {
      this.#note(`${path} must be a JSON object, not ${json.refuse(1)}`);
      return;
    }
    const present = new Set<N>();
    for (let more = json.enter(1); more; more = json.next(OBJECT)) {
      json.name();
      const name = wanted.find((one) => json.reads(one));
      if (name === undefined) {
        json.skip(2);
        continue;
      }
      if (present.has(name)) this.#note(`${path} has ${name} twice`);
      present.add(name);
      this.#path = `${path}.${name}`;
      yield name;
    }
    const missing = wanted.filter((name) => !present.has(name));
    if (missing.length > 0) this.#note(`${path} is missing ${missing.join(', ')}`);
  }

  oneOf<const W extends string>(words: readonly [W, ...W[]]): W {
    const json = this.#json;
    const isText = json.peek() === TEXT;
    const got = json.refuse(2);
    const found = isText ? words.find((word) => json.reads(word)) : undefined;
    if (found === undefined) this.#note(`${this.#path} must be one of ${words.join(', ')}, not ${got}`);
    return found ?? words[0];
  }

  whole(least: number): number {
    const json = this.#json;
    const byte = json.peek();
    const from = json.at;
    const value = byte === 0x2d || (byte >= 0x30 && byte <= 0x39) ? json.number() : Number.NaN;
    if (Number.isSafeInteger(value) && value >= least) return value;
    json.at = from;
    this.#note(
      `${this.#path} must be a whole number from ${least} to ${Number.MAX_SAFE_INTEGER}, not ${json.refuse(2)}`,
    );
    return least;
  }
}

function invalid(fault: string): AppError {
  return new AppError('request.invalid', fault);
}

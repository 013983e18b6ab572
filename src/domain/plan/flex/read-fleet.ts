import { FleetColumns, textOf } from './fleet-columns.ts';
import { type JsonBytes, LIST, OBJECT, TEXT } from './json-bytes.ts';
import { MEMBER_LIMIT } from './schemas.ts';

/** Keeps the first fault of a body. Reading continues, since a JSON syntax error later in the body takes precedence. */
export type Note = (fault: string) => void;

const NUMBERS = ['baseline_w', 'min_w', 'max_w', 'priority'] as const;
/** Requirement on every number of a request. */
const WHOLE = `a whole number from ${-Number.MAX_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`;

/** State of the member being read; reused for all members. */
class Draft {
  id = { start: 0, end: 0, escaped: false };
  baseline_w = 0;
  min_w = 0;
  max_w = 0;
  priority = 0;
  /** One bit per given field: the numbers in order, then the id. */
  given = 0;
  fault: string | null = null;

  clear(): void {
    this.given = 0;
    this.fault = null;
  }

  /** Marks a field as given; false when it already was. */
  first(field: number): boolean {
    const fresh = (this.given & (1 << field)) === 0;
    this.given |= 1 << field;
    return fresh;
  }
}

const TOO_MANY = `body.fleet has more than ${MEMBER_LIMIT.toLocaleString('en')} members; split it into several requests`;
const ID = NUMBERS.length;
const ALL = (1 << (ID + 1)) - 1;

/** Reads the list of members that starts here. Faults are noted; the fleet then holds only the members before. */
export function readFleet(json: JsonBytes, note: Note): FleetColumns {
  const fleet = new FleetColumns(json.bytes);
  if (json.peek() !== LIST) {
    note(`body.fleet must be a list, not ${json.refuse(1)}`);
    return fleet;
  }
  const draft = new Draft();
  let index = 0;
  let sound = true;
  for (let more = json.enter(1); more; more = json.next(LIST)) {
    if (!sound || index === MEMBER_LIMIT) {
      json.skip(2);
      if (sound) note(TOO_MANY);
      sound = false;
      continue;
    }
    const fault = readMember(json, draft, index);
    sound = fault === null;
    if (fault === null) fleet.push(draft, draft.id);
    else note(fault);
    index += 1;
  }
  return fleet;
}

/** Reads one member; returns what is wrong with it. */
function readMember(json: JsonBytes, draft: Draft, index: number): string | null {
  if (json.peek() !== OBJECT) return `body.fleet[${index}] must be a JSON object, not ${json.refuse(2)}`;
  draft.clear();
  for (let more = json.enter(2); more; more = json.next(OBJECT)) readField(json, draft);
  const missing = draft.given === ALL ? null : missingIn(draft.given);
  const fault = missing ?? draft.fault ?? crossed(draft);
  return fault === null ? null : `${nameOf(json, draft, index)}${fault}`;
}

function readField(json: JsonBytes, draft: Draft): void {
  json.name();
  const field = fieldOf(json);
  if (field < 0) {
    json.skip(3);
    return;
  }
  if (!draft.first(field)) draft.fault ??= ` has ${field === ID ? 'id' : NUMBERS[field]} twice`;
  if (field === ID) {
    readId(json, draft);
    return;
  }
  const byte = json.peek();
  const isNumber = byte === 0x2d || (byte >= 0x30 && byte <= 0x39);
  const from = json.at;
  const value = isNumber ? json.number() : Number.NaN;
  if (!Number.isSafeInteger(value)) {
    // Read again to get the id for the message.
    json.at = from;
    const got = json.refuse(3);
    draft.fault ??= `.${NUMBERS[field]} must be ${WHOLE}, not ${got}`;
  }
  if (field === 0) draft.baseline_w = value;
  else if (field === 1) draft.min_w = value;
  else if (field === 2) draft.max_w = value;
  else draft.priority = value;
}

function readId(json: JsonBytes, draft: Draft): void {
  if (json.peek() !== TEXT) {
    const got = json.refuse(3);
    draft.fault ??= `.id must be text, not ${got}`;
    draft.id.end = draft.id.start;
    return;
  }
  json.text();
  draft.id.start = json.start;
  draft.id.end = json.end;
  draft.id.escaped = json.escaped;
  if (json.start === json.end) draft.fault ??= '.id must have at least 1 character';
}

/** The field whose name was read: its index in `NUMBERS`, `ID`, or −1 for an unknown one. */
function fieldOf(json: JsonBytes): number {
  switch (json.end - json.start) {
    case 2:
      return json.reads('id') ? ID : -1;
    case 5:
      return json.reads('min_w') ? 1 : json.reads('max_w') ? 2 : -1;
    case 8:
      return json.reads('priority') ? 3 : -1;
    case 10:
      return json.reads('baseline_w') ? 0 : -1;
    default:
      return -1;
  }
}

function missingIn(given: number): string {
  const missing = NUMBERS.filter((_, field) => (given & (1 << field)) === 0);
  return ` is missing ${[...((given & (1 << ID)) === 0 ? ['id'] : []), ...missing].join(', ')}`;
}

function crossed({ min_w, max_w }: Draft): string | null {
  return min_w > max_w ? `.min_w must be at most max_w, but ${min_w} is above ${max_w}` : null;
}

/** `body.fleet[3] ("charger-1")`, with the id where there is one. */
function nameOf(json: JsonBytes, { given, id }: Draft, index: number): string {
  const hasId = (given & (1 << ID)) !== 0 && id.end > id.start;
  return `body.fleet[${index}]${hasId ? ` (${shortened(textOf(json.bytes, id.start, id.end))})` : ''}`;
}

/** An id in quotation marks, cut where it is long. */
export function shortened(id: string): string {
  // Cut between characters: half a surrogate pair would not be Unicode.
  const cut = [...id.slice(0, 121)].slice(0, 60).join('');
  return JSON.stringify(cut.length < id.length ? `${cut}…` : id);
}

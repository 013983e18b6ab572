import { decimalIn } from './values.ts';

/** The part of JSON Schema that the protocol's schemas use. */
export interface Schema {
  readonly $id?: string;
  readonly $ref?: string;
  readonly definitions?: Readonly<Record<string, Schema>>;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** The kind of a repair, as in `meterValue.sampledValue.measurand: a word that the protocol does not have`. */
type Fault =
  | 'a property that the protocol does not have'
  | 'null'
  | 'text that is too long'
  | 'text with NUL or half a character'
  | 'a value of another type'
  | 'a fraction'
  | 'a number out of range'
  | 'a word that the protocol does not have'
  | 'a blank'
  | 'too many'
  | 'absent though required'
  | 'unusable and left out';

export interface Repaired {
  /** Fits the schema, apart from dispensable fields that are missing. */
  readonly value: unknown;
  /** What did not fit, each kind once; a path contains only names from the schema. */
  readonly faults: ReadonlySet<string>;
  /** Why the message cannot be used; null when `value` can. */
  readonly refusal: Refusal | null;
}

/** A required value that is absent or unusable, with the protocol's error code. */
export interface Refusal {
  readonly code: 'OccurenceConstraintViolation' | 'TypeConstraintViolation' | 'PropertyConstraintViolation';
  readonly words: string;
}

/** A property that is absent or empty. */
const ABSENT = Symbol('absent');
/** A value that cannot be repaired. */
const UNUSABLE = Symbol('unusable');

/** A sampled value without one of these would mean something else, because the protocol's default would apply. */
const DECISIVE: ReadonlySet<string> = new Set([
  'measurand',
  'unit',
  'unitOfMeasure',
  'multiplier',
  'phase',
  'location',
  'format',
]);

/** The values by which an enumeration says "none of these". */
const NEUTRAL = ['Other', 'OtherError', 'Unknown'];

/**
 * Repairs a station's message by the protocol's schema: unknown properties and nulls are dropped, long text is cut, numbers and
 * text are converted, an unknown enumeration value becomes the neutral one or is left out, and lists keep their usable items.
 * A required property may be absent only if it is in `dispensable`.
 */
export function repair(schema: Schema, sent: unknown, dispensable: ReadonlySet<string> | 'all'): Repaired {
  const work = new Repair(schema, dispensable);
  const value = work.take(schema, sent === undefined || sent === null ? {} : sent, '');
  const isUsable = value !== UNUSABLE && value !== ABSENT;
  return {
    value: isUsable ? value : undefined,
    faults: work.faults,
    refusal: isUsable ? null : work.refusal,
  };
}

class Repair {
  readonly faults = new Set<string>();
  /** The innermost reason why the last value was unusable. */
  refusal: Refusal | null = null;
  readonly #root: Schema;
  readonly #dispensable: ReadonlySet<string> | 'all';

  constructor(root: Schema, dispensable: ReadonlySet<string> | 'all') {
    this.#root = root;
    this.#dispensable = dispensable;
  }

  take(schema: Schema, sent: unknown, path: string): unknown {
    const named = schema.$ref?.replace('#/definitions/', '');
    const meant = named === undefined ? schema : (this.#root.definitions?.[named] ?? {});
    switch (meant.type) {
      case 'object':
        return this.#object(meant, sent, path);
      case 'array':
        return this.#list(meant, sent, path);
      case 'string':
        return meant.enum === undefined ? this.#text(meant, sent, path) : this.#word(meant.enum, sent, path);
      case 'integer':
      case 'number':
        return this.#number(meant, sent, path);
      case 'boolean':
        return this.#boolean(sent, path);
      default:
        // 2.0.1 DataTransfer.data may have any type.
        return sent;
    }
  }

  #object(schema: Schema, sent: unknown, path: string): unknown {
    if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
      return this.#unusable(path, 'must be an object', 'Type');
    }
    const given = sent as Readonly<Record<string, unknown>>;
    const properties = schema.properties ?? {};
    const taken: Record<string, unknown> = {};
    let matched = 0;
    for (const [name, of] of Object.entries(properties)) {
      const at = path === '' ? name : `${path}.${name}`;
      const value = Object.hasOwn(given, name) ? this.#property(of, given[name], at) : ABSENT;
      if (Object.hasOwn(given, name)) matched += 1;
      if (value === UNUSABLE && DECISIVE.has(name)) return UNUSABLE;
      if (value !== ABSENT && value !== UNUSABLE) taken[name] = value;
      else if (schema.required?.includes(name) === true) {
        if (!this.#isDispensable(name)) {
          return value === UNUSABLE ? UNUSABLE : this.#unusable(at, 'is needed', 'Occurence');
        }
        this.#note(at, 'absent though required');
      }
    }
    if (Object.keys(given).length > matched) this.#note(path, 'a property that the protocol does not have');
    return taken;
  }

  #property(schema: Schema, sent: unknown, path: string): unknown {
    if (sent === null) {
      this.#note(path, 'null');
      return ABSENT;
    }
    const value = this.take(schema, sent, path);
    if (value === UNUSABLE) this.#note(path, 'unusable and left out');
    return value;
  }

  #list(schema: Schema, sent: unknown, path: string): unknown {
    if (!Array.isArray(sent)) return this.#unusable(path, 'must be a list', 'Type');
    const { items = {}, maxItems = Number.POSITIVE_INFINITY } = schema;
    if (sent.length > maxItems) this.#note(path, 'too many');
    const good: unknown[] = [];
    for (const item of sent.slice(0, maxItems)) {
      const value = this.#property(items, item, path);
      if (value !== ABSENT && value !== UNUSABLE) good.push(value);
    }
    return good;
  }

  #text({ maxLength, format }: Schema, sent: unknown, path: string): unknown {
    const text = this.#string(sent, path);
    if (text === null) return this.#unusable(path, 'must be text', 'Type');
    if (format === 'date-time' && text.trim() === '')
      return this.#unusable(path, 'must be a time', 'Property');
    if (maxLength === undefined || text.length <= maxLength) return text;
    const characters = [...text.slice(0, maxLength * 2)];
    if (characters.length <= maxLength && text.length <= maxLength * 2) return text;
    this.#note(path, 'text that is too long');
    return characters.slice(0, maxLength).join('');
  }

  #string(sent: unknown, path: string): string | null {
    if (typeof sent === 'string') {
      // No database stores NUL or unpaired surrogates; text without them is returned as it is.
      if (!sent.includes('\0') && sent.isWellFormed()) return sent;
      this.#note(path, 'text with NUL or half a character');
      return sent.replaceAll('\0', '').toWellFormed();
    }
    if (typeof sent !== 'number' && typeof sent !== 'boolean') return null;
    this.#note(path, 'a value of another type');
    return String(sent);
  }

  #word(words: readonly string[], sent: unknown, path: string): unknown {
    if (typeof sent === 'string' && words.includes(sent)) return sent;
    const text = this.#string(sent, path);
    if (text === null) return this.#unusable(path, 'must be text', 'Type');
    if (text.trim() === '') {
      this.#note(path, 'a blank');
      return ABSENT;
    }
    this.#note(path, 'a word that the protocol does not have');
    const plain = plainOf(text);
    const meant =
      words.find((word) => plainOf(word) === plain) ?? words.find((word) => NEUTRAL.includes(word));
    return meant ?? this.#unusable(path, 'must be a word of the protocol', 'Property');
  }

  #number({ type, minimum, maximum }: Schema, sent: unknown, path: string): unknown {
    const number = typeof sent === 'string' ? decimalIn(sent) : sent;
    if (number !== sent && number !== null) this.#note(path, 'a value of another type');
    if (typeof number !== 'number' || !Number.isFinite(number))
      return this.#unusable(path, 'must be a number', 'Type');
    if (number < (minimum ?? number) || number > (maximum ?? number)) {
      this.#note(path, 'a number out of range');
      return this.#unusable(path, 'is out of range', 'Property');
    }
    if (type === 'number' || Number.isInteger(number)) return number;
    this.#note(path, 'a fraction');
    return Math.round(number);
  }

  #boolean(sent: unknown, path: string): unknown {
    if (typeof sent === 'boolean') return sent;
    const word = String(sent).trim().toLowerCase();
    if (!['true', 'false', '1', '0'].includes(word))
      return this.#unusable(path, 'must be true or false', 'Type');
    this.#note(path, 'a value of another type');
    return word === 'true' || word === '1';
  }

  #isDispensable(name: string): boolean {
    return this.#dispensable === 'all' || this.#dispensable.has(name);
  }

  #unusable(path: string, why: string, kind: 'Occurence' | 'Type' | 'Property'): typeof UNUSABLE {
    this.refusal = {
      code: `${kind}ConstraintViolation`,
      words: `${path === '' ? 'the message' : path} ${why}`,
    };
    return UNUSABLE;
  }

  #note(path: string, fault: Fault): void {
    this.faults.add(`${path === '' ? 'the message' : path}: ${fault}`);
  }
}

/** Without case and punctuation, so that `Suspended_EV` and `kwh ` match `SuspendedEV` and `kWh`. */
const plainOf = (word: string): string => word.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

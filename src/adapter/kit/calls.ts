import Type, { type Static, type TSchema, type TUnsafe } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { AppError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { outcomeUnknown, vendorFailure } from '../failures.ts';
import type { HttpAnswer, VendorRequest } from '../http.ts';
import type { LoginSession } from '../login.ts';
import type { DeviceRef, Session } from '../session.ts';
import { objectIn } from './values.ts';

/** Statuses that the vendor answers in words of its own, and the error for each. */
export interface Refusals {
  /** They are taken as answers: such a call is not repeated, and says nothing against the vendor's servers. */
  readonly statuses: readonly number[];
  error(answer: HttpAnswer, of: Refused): AppError;
}

export interface Refused {
  /** What was asked for, for sentences. */
  readonly what: string;
  readonly request: VendorRequest;
  /** ms since 1970. */
  readonly now: number;
}

/** For a request by which a device is identified: what answers may be anything, slow and endless too. */
export const LOOKING = { timeoutMs: 2_000, mostBytes: 16 * 1024, repeatable: false } as const;

type Options = Omit<VendorRequest, 'path' | 'method'>;
/** A session of a link, or one that signs in. */
export type CallSession = Pick<LoginSession, 'http' | 'clock'> & Partial<Pick<Session, 'signal'>>;

/** Whatever the vendor says to a command. */
const AnyJson = Type.Unsafe<Json>(Type.Unknown());

/** The vendor's own words for a failure; everything else is translated alike for all vendors. `what` is what was asked for. */
export type TranslateFailure = (cause: unknown, what: string) => AppError | undefined;

/** Compiled when it is first needed: a process that never calls the vendor does without. */
const compiled = new WeakMap<TSchema, Validator>();

/** Whether a value has the shape of a schema. */
export function fits<S extends TSchema>(schema: S, value: unknown): value is Static<S> {
  let validator = compiled.get(schema);
  if (validator === undefined) {
    validator = Compile(schema);
    compiled.set(schema, validator);
  }
  return validator.Check(value);
}

/** The members of a list that have the shape: one that was not understood does not cost the others. */
export function each<S extends TSchema>(list: unknown, schema: S): Static<S>[] {
  return Array.isArray(list) ? list.filter((member) => fits(schema, member)) : [];
}

/** A command that cannot be obeyed now, or a vendor that did not obey it; the sentence says what the caller can do. */
export const refused = (sentence: string) => new AppError('vendor.refused', sentence);

/** `vendor.answer_invalid`, naming what was asked for. */
export function notUnderstood(vendor: string, what: string): AppError {
  return new AppError('vendor.answer_invalid', `the response of ${vendor} about ${what} was not understood`);
}

/**
 * Calls to a vendor: the response is checked against a schema, and each failure becomes an `AppError` in one place.
 * @param vendor its name, for sentences
 */
export function vendorCalls(
  vendor: string,
  options: {
    readonly failure?: TranslateFailure;
    readonly refusals?: Refusals;
    /** The field in which each response has what was asked for; the whole response unless it is said. */
    readonly inside?: string;
  } = {},
) {
  const { refusals, inside } = options;
  const contentOf = (body: unknown) => (inside === undefined ? body : objectIn(body)[inside]);
  const translated = (cause: unknown, what: string): AppError =>
    options.failure?.(cause, what) ?? vendorFailure(vendor, cause);

  async function answered<T>(
    session: CallSession,
    request: VendorRequest,
    what: string,
    read: (answer: HttpAnswer) => T,
  ): Promise<T> {
    try {
      const expect = [...(refusals?.statuses ?? []), ...(request.expect ?? [])];
      const answer = await session.http.send({
        ...(session.signal === undefined ? {} : { signal: session.signal }),
        ...request,
        ...(expect.length === 0 ? {} : { expect }),
      });
      if (refusals !== undefined && (answer.status >= 300 || refusals.statuses.includes(answer.status)))
        throw refusals.error(answer, { what, request, now: session.clock.now() });
      return read(answer);
    } catch (cause) {
      throw translated(cause, what);
    }
  }

  return {
    notUnderstood: (what: string): AppError => notUnderstood(vendor, what),

    /** Sends any request and reads its response as JSON of the schema's shape. */
    send<S extends TSchema>(
      session: CallSession,
      request: VendorRequest,
      schema: S,
      what: string,
    ): Promise<Static<S>> {
      return answered(session, request, what, (answer) => {
        const body: unknown = contentOf(answer.json());
        if (fits(schema, body)) return body;
        throw request.use === 'command' ? outcomeUnknown(vendor) : notUnderstood(vendor, what);
      });
    },

    /** GET, for reading; `use: 'list'` for the devices of an account. */
    get<S extends TSchema>(
      session: CallSession,
      path: string,
      schema: S,
      { what, ...more }: Options & { readonly what: string },
    ): Promise<Static<S>> {
      return this.send(session, { path, ...more }, schema, what);
    },

    /**
     * Sends a command about a device and resolves with what the vendor said, null for nothing. A page instead of JSON is no
     * acceptance, whatever its status, nor is JSON of another shape than the schema's.
     */
    command<S extends TSchema = TUnsafe<Json>>(
      session: CallSession,
      device: Pick<DeviceRef, 'id'>,
      request: VendorRequest,
      schema?: S,
    ): Promise<Static<S>> {
      const command = { method: 'POST', use: 'command', device: device.id, ...request } as const;
      return answered(session, command, device.id, (answer) => {
        const body: unknown = answer.bytes.length === 0 ? null : contentOf(answer.json());
        if (fits(schema ?? AnyJson, body)) return body as Static<S>;
        throw outcomeUnknown(vendor);
      });
    },
  };
}

/** The members of one page, and where the next one begins; no `next` after the last. */
export interface Page<T, Cursor> {
  readonly members: readonly T[];
  readonly next?: Cursor | undefined;
}

const MOST_PAGES = 200;

/**
 * Every member of a list that comes in pages. Throws `vendor.answer_invalid` when the pages do not end, so that a cursor that goes in
 * a circle holds nobody up.
 */
export async function allPages<T, Cursor extends string | number>(
  what: string,
  page: (cursor: Cursor | undefined) => Promise<Page<T, Cursor>>,
): Promise<T[]> {
  const members: T[] = [];
  const visited = new Set<Cursor>();
  let cursor: Cursor | undefined;
  for (let count = 0; count < MOST_PAGES; count += 1) {
    const { members: some, next } = await page(cursor);
    members.push(...some);
    if (next === undefined) return members;
    if (visited.has(next)) break;
    visited.add(next);
    cursor = next;
  }
  throw new AppError('vendor.answer_invalid', `the pages of ${what} do not end`);
}

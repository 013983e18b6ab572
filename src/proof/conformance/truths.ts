import type { AnyKind } from '../../adapter/adapter.ts';
import { capabilitiesOf, kindOf, send, stateOf } from '../../adapter/adapters.ts';
import type { Command, CommandType } from '../../adapter/commands.ts';
import type { DeviceState } from '../../adapter/device.ts';
import { CONTROL_CAPABILITIES, CONTROLS } from '../../adapter/fields.ts';
import type { DeviceRef } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { type CloudCheck, faultOf } from './cloud.ts';
import { leavesOf, withLeaf } from './odd-values.ts';
import { witnessOf } from './witnesses.ts';

/* What responses say beside the figures: when they were measured, and whether a command was done. */

const LATER_SECONDS = 1_800;
const MINUTE_MS = 60_000;

/** Readings are as old as the vendor says, and a command is done when the vendor says so. */
export async function checkTruths(check: CloudCheck): Promise<void> {
  const { adapter, simulator, refs, report } = check;
  for (const ref of refs)
    report(
      `${ref.id}: a response that stays as it was is as old as it says`,
      await faultOf(() => isAsOld(check, ref)),
    );
  for (const ref of refs) {
    const kind = kindOf(adapter, ref.type);
    const offered = capabilitiesOf(kind, ref);
    for (const capability of CONTROL_CAPABILITIES.filter((one) => offered.includes(one)))
      for (const type of CONTROLS[capability]) {
        await simulator.pass(MINUTE_MS / 1_000);
        const heard = () => hearsRefusals(check, { kind, ref, type });
        report(`${ref.id}: ${type} is done only when the vendor says so`, await faultOf(heard));
      }
  }
}

/**
 * Whether responses have times of measuring is seen by two readings: such a time is now in the first and goes on to the second. A reading
 * of the newest responses is then no newer than those times, whenever it is read.
 */
async function isAsOld(
  { adapter, simulator, cloud }: CloudCheck,
  ref: CloudCheck['refs'][number],
): Promise<void> {
  const kind = kindOf(adapter, ref.type);
  const read = () => kind.read(simulator.session(), ref);
  const first = await bodiesOf(cloud, read);
  const began = cloud.now();
  await simulator.pass(LATER_SECONDS);
  const second = await bodiesOf(cloud, read);
  const timed = first.flatMap((body, index) =>
    leavesOf(body).flatMap((path) => {
      if (cloud.otherTimes.includes(String(path.at(-1)))) return [];
      const [said, next] = [timeAt(body, path), timeAt(second[index] ?? null, path)];
      const isOfMeasuring =
        said !== null && Math.abs(began - said) <= 10 * MINUTE_MS && next !== null && next > said;
      return isOfMeasuring ? [{ where: path.join('.'), said: next }] : [];
    }),
  );
  if (timed.length === 0) return;
  await simulator.pass(LATER_SECONDS);
  let count = -1;
  cloud.alter = (body) => {
    count += 1;
    return second[count] ?? body;
  };
  try {
    const observedAt = kind.observedAt?.(await read()) ?? cloud.now();
    const newest = Math.max(...timed.map(({ said }) => said));
    if (observedAt > newest + MINUTE_MS)
      throw new Error(
        `observed_at is ${shown(observedAt)}, and the response says ${timed.map(({ where, said }) => `${where} ${shown(said)}`).join(', ')}`,
      );
  } finally {
    cloud.alter = undefined;
  }
}

const shown = (ms: number) => new Date(ms).toISOString();

/** Seconds and milliseconds since 1970 of this century, and texts with a date. */
function timeAt(body: Json, path: readonly (string | number)[]): number | null {
  const leaf = path.reduce<unknown>(
    (at, step) => (at as Record<string | number, unknown> | null)?.[step],
    body,
  );
  if (typeof leaf === 'number') {
    const ms = leaf > 1e12 ? leaf : leaf * 1_000;
    return ms > 1.5e12 && ms < 3e12 ? ms : null;
  }
  if (typeof leaf !== 'string' || !/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(leaf)) return null;
  const ms = Date.parse(/(Z|[+-]\d\d:?\d\d)$/i.test(leaf) ? leaf : `${leaf}Z`);
  return Number.isFinite(ms) ? ms : null;
}

async function bodiesOf(cloud: CloudCheck['cloud'], work: () => Promise<unknown>): Promise<Json[]> {
  const bodies: Json[] = [];
  cloud.alter = (body) => {
    bodies.push(body);
    return body;
  };
  try {
    await work();
  } finally {
    cloud.alter = undefined;
  }
  return bodies;
}

interface Sending {
  readonly kind: AnyKind;
  readonly ref: DeviceRef;
  readonly type: CommandType;
}

/** A word that no vendor uses. */
const NO_WORD = 'UNRECOGNIZED_WORD';
const WORD = /^[A-Za-z][A-Za-z_. -]*$/;
const BETWEEN_SECONDS = 60;

/** Where a vendor says that a command was done; others name what it was about. */
const OUTCOME = /^(?:status|success|result|accepted|wasAccepted|ok|done)$/i;

/** Where it names its verdict by a number; 0 and 200 are done, and so is 1 of a flag. */
const CODE = /^(?:code|err|errno|(?:error|result|return|status|response)_?(?:code|no|number)?)$/i;

/** What a leaf that says "done" becomes when it does not; undefined for what says nothing of it. */
function undone(leaf: unknown, path: readonly (string | number)[]): Json | undefined {
  const name = path.at(-1);
  if (typeof leaf === 'number')
    return isNamed(name, CODE) || isNamed(name, OUTCOME) ? otherCode(leaf) : undefined;
  if (name !== undefined && !OUTCOME.test(String(name))) return undefined;
  if (leaf === true) return false;
  return typeof leaf === 'string' && WORD.test(leaf) ? NO_WORD : undefined;
}

const isNamed = (name: string | number | undefined, names: RegExp): boolean => names.test(String(name));

/** Of a status as HTTP has it one of the server, of other codes one that is not 0. */
const otherCode = (code: number): number => (code >= 100 && code < 300 ? 500 : code === 0 ? 1 : 0 - code);

/** A response that has nothing but `true`, whatever for: each is a verdict. */
const isAllTrue = (body: Json): boolean =>
  leavesOf(body).every((path) => leafAt(body, path) === true) && typeof body === 'object' && body !== null;

const leafAt = (body: Json, path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((at, step) => (at as Record<string | number, unknown>)[step], body);

/**
 * A vendor that answers a command in words says there whether it was done: of a response in which each word and flag for it is another, the
 * adapter must not make a success.
 */
async function hearsRefusals({ simulator, cloud }: CloudCheck, { kind, ref, type }: Sending): Promise<void> {
  const witness = witnessOf(type);
  const begin = async (): Promise<Command> => {
    await simulator.pass(BETWEEN_SECONDS);
    await simulator.arrange(ref, witness.from);
    const raw = await kind.read(simulator.session(), ref);
    const state: DeviceState = stateOf(kind, raw, [...CONTROL_CAPABILITIES]);
    return witness.command({
      state,
      limits: kind.limits?.(raw) ?? null,
      capacity: kind.availableCapacity?.(raw) ?? null,
    });
  };
  const usual = await begin();
  const bodies = await answersTo(cloud, () => send(kind, simulator.session(), ref, usual));
  const changed = bodies.map((body) =>
    leavesOf(body).reduce<Json>((now, path) => {
      const other = isAllTrue(body) ? false : undone(leafAt(body, path), path);
      return other === undefined ? now : withLeaf(now, path, other);
    }, body),
  );
  if (JSON.stringify(changed) === JSON.stringify(bodies)) return;
  const command = await begin();
  const taken = await sendWith({ cloud, changed }, () => send(kind, simulator.session(), ref, command));
  if (taken === undefined)
    throw new Error(
      `it is taken for done though the vendor answers ${JSON.stringify(changed).slice(0, 200)}`,
    );
  if (!(taken instanceof AppError)) throw taken;
}

/** What the vendor answers from the first command on. */
async function answersTo(cloud: CloudCheck['cloud'], work: () => Promise<unknown>): Promise<Json[]> {
  const bodies: Json[] = [];
  let isSent = false;
  cloud.alter = (body, use) => {
    isSent ||= use === 'command';
    if (isSent) bodies.push(body);
    return body;
  };
  try {
    await work();
  } finally {
    cloud.alter = undefined;
  }
  return bodies;
}

/** The error that the work ends with when the vendor answers so from the first command on; undefined where it succeeds. */
async function sendWith(
  { cloud, changed }: Pick<CloudCheck, 'cloud'> & { readonly changed: readonly Json[] },
  work: () => Promise<unknown>,
): Promise<unknown> {
  let count = -1;
  cloud.alter = (body, use) => {
    if (count < 0 && use !== 'command') return body;
    count += 1;
    return changed[count] ?? body;
  };
  try {
    await work();
    return undefined;
  } catch (error) {
    return error;
  } finally {
    cloud.alter = undefined;
  }
}

import { Compile } from 'typebox/compile';
import { AppError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { capabilitiesOf, kindOf, stateOf } from '../derive.ts';
import { DeviceState } from '../device.ts';
import { type CloudCheck, faultOf } from './cloud-check.ts';

const stateCheck = Compile(DeviceState);
/** Leaves that are tried of one response. */
const MOST_LEAVES = 120;
/** The limits of the vendor hold for these checks too. */
const BETWEEN_SECONDS = 10;
/** What a leaf turns into. */
export const ODD: readonly Json[] = [null, { odd: true }];

type Path = readonly (string | number)[];

/** Values that no document promised: fields and list members that are new, and leaves that are null or of another type. */
export async function checkOddValues(check: CloudCheck): Promise<void> {
  const { adapter, simulator, cloud, refs, report } = check;
  const link = async () => (await adapter.link(simulator.session())).devices.map(({ id }) => id);
  const usual = await link();
  report(
    'fields and members of lists that nobody knows are ignored',
    await faultOf(async () => {
      cloud.fault('unknown_values');
      try {
        const found = await link();
        if (found.join() !== usual.join()) throw new Error(`${usual.join()} became ${found.join()}`);
        for (const ref of refs) {
          const kind = kindOf(adapter, ref.type);
          const state = stateOf(kind, await kind.read(simulator.session(), ref), capabilitiesOf(kind, ref));
          if (!state.online) throw new Error(`${ref.id} is no longer online`);
        }
      } finally {
        cloud.fault(null);
      }
    }),
  );
  report(
    'one member of a list that is not understood costs the others nothing',
    await faultOf(() => oddLists(check, link)),
  );
  for (const ref of refs)
    report(
      `${ref.id}: an odd value is a state or vendor.answer_invalid`,
      await faultOf(() => oddLeaves(check, ref)),
    );
  for (const ref of refs)
    report(
      `${ref.id}: a word that is not recognized is reported by unrecognized()`,
      await faultOf(() => unrecognizedWords(check, ref)),
    );
}

/** In each list of objects, every leaf of the first member turns odd once. */
async function oddLists(
  { simulator, cloud, isAlone }: CloudCheck,
  link: () => Promise<readonly string[]>,
): Promise<void> {
  const bodies = await seen(cloud, link);
  if (!isAlone && !bodies.some((body) => leavesOf(body).some((path) => isInFirstOfSeveral(body, path))))
    throw new Error('no list has several members: give the user home of the simulator two devices');
  for (const [index, body] of bodies.entries())
    for (const path of leavesOf(body).filter((one) => isInFirstOfSeveral(body, one)))
      for (const odd of ODD) {
        await simulator.pass(BETWEEN_SECONDS);
        const found = await altered(cloud, { index, path, odd }, link);
        if (!Array.isArray(found) || found.length === 0)
          throw new Error(
            `${path.join('.')} = ${JSON.stringify(odd)}: ${String(found instanceof Error ? found.message : found)}`,
          );
      }
}

async function oddLeaves(
  { adapter, simulator, cloud }: CloudCheck,
  ref: CloudCheck['refs'][number],
): Promise<void> {
  const kind = kindOf(adapter, ref.type);
  const read = async () =>
    stateOf(kind, await kind.read(simulator.session(), ref), capabilitiesOf(kind, ref));
  const bodies = await seen(cloud, read);
  for (const [index, body] of bodies.entries())
    for (const path of leavesOf(body))
      for (const odd of ODD) {
        await simulator.pass(BETWEEN_SECONDS);
        const state = await altered(cloud, { index, path, odd }, read);
        const where = `${path.join('.')} = ${JSON.stringify(odd)}`;
        if (state instanceof Error) {
          if (!(state instanceof AppError)) throw new Error(`${where}: ${state.name}: ${state.message}`);
        } else if (!stateCheck.Check(state))
          throw new Error(`${where}: ${JSON.stringify(state)} is not a DeviceState`);
      }
}

/** A word that no vendor uses, where it has words of its own. */
const NO_WORD = 'UNRECOGNIZED_WORD';
/** What may be a value of an enumeration: no number, time, id or address. */
const WORD = /^[A-Za-z][A-Za-z_. -]*$/;

/** A field that is lost because a word of its response is another must not be lost silently. */
async function unrecognizedWords(
  { adapter, simulator, cloud }: CloudCheck,
  ref: CloudCheck['refs'][number],
): Promise<void> {
  const kind = kindOf(adapter, ref.type);
  const read = async () => {
    const raw = await kind.read(simulator.session(), ref);
    return {
      state: stateOf(kind, raw, capabilitiesOf(kind, ref)),
      unrecognized: kind.unrecognized?.(raw) ?? [],
    };
  };
  const usual = await read();
  if (usual.unrecognized.length > 0)
    throw new Error(`the simulator itself reports ${usual.unrecognized.join()}`);
  const fields = (Object.keys(usual.state) as (keyof DeviceState)[]).filter(
    (field) => (usual.state[field] ?? null) !== null,
  );
  const bodies = await seen(cloud, read);
  for (const [index, body] of bodies.entries())
    for (const path of leavesOf(body).filter((one) => isWordAt(body, one))) {
      await simulator.pass(BETWEEN_SECONDS);
      const found = await altered(cloud, { index, path, odd: NO_WORD }, read);
      if (found instanceof Error) continue;
      const lost = fields.filter((field) => (found.state[field] ?? null) === null);
      if (lost.length > 0 && found.unrecognized.length === 0)
        throw new Error(`${path.join('.')} = "${NO_WORD}" costs ${lost.join(', ')}, and is not reported`);
    }
}

/** Whether a body has a word there that may be a value: a `key` names one. */
function isWordAt(body: Json, path: Path): boolean {
  const leaf = path.reduce<unknown>((at, step) => (at as Record<string | number, unknown>)[step], body);
  return path.at(-1) !== 'key' && typeof leaf === 'string' && WORD.test(leaf);
}

/** The bodies of the responses that the work gets, in order. */
async function seen(cloud: CloudCheck['cloud'], work: () => Promise<unknown>): Promise<Json[]> {
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

/** What the work comes to when one leaf of its response number `index` is odd; an error is returned. */
async function altered<T>(
  cloud: CloudCheck['cloud'],
  { index, path, odd }: { readonly index: number; readonly path: Path; readonly odd: Json },
  work: () => Promise<T>,
): Promise<T | Error> {
  let count = -1;
  cloud.alter = (body) => {
    count += 1;
    return count === index ? withLeaf(body, path, odd) : body;
  };
  try {
    return await work();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    cloud.alter = undefined;
  }
}

/** Where a body has its values. */
export function leavesOf(body: Json, path: Path = []): Path[] {
  if (typeof body !== 'object' || body === null) return [path];
  const members = Array.isArray(body)
    ? body.map((value, index): [number, Json] => [index, value])
    : Object.entries(body);
  return members.flatMap(([name, value]) => leavesOf(value ?? null, [...path, name])).slice(0, MOST_LEAVES);
}

/** Members of an object that is a list: `{"1": …, "2": …}`, `{"switch:0": …, "switch:1": …}`. */
const NUMBERED = /^(?:[a-z]+:)?\d+$/;

function isInFirstOfSeveral(body: Json, path: Path): boolean {
  let at: Json | undefined = body;
  for (const step of path) {
    const [first, second] = membersOf(at);
    if (second !== undefined && String(step) === first) return true;
    at = (at as Record<string | number, Json | undefined> | null | undefined)?.[step];
  }
  return false;
}

/** The names of the members that are objects, of a list or an object that is one. */
function membersOf(value: Json | undefined): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === 'object' && member !== null && NUMBERED.test(name) ? [name] : [],
  );
}

/** The body with another value there. */
export function withLeaf(body: Json, path: Path, leaf: Json): Json {
  const [step, ...rest] = path;
  if (step === undefined) return leaf;
  if (Array.isArray(body))
    return body.map((value, index) => (index === step ? withLeaf(value, rest, leaf) : value));
  const fields = body as { readonly [name: string]: Json };
  return { ...fields, [step]: withLeaf(fields[step] ?? null, rest, leaf) };
}

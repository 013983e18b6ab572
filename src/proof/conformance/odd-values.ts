import { Compile } from 'typebox/compile';
import type { AnyKind } from '../../adapter/adapter.ts';
import { capabilitiesOf, kindOf, stateOf } from '../../adapter/adapters.ts';
import { DeviceState, type DeviceType } from '../../adapter/device.ts';
import type { Capability } from '../../adapter/fields.ts';
import type { DeviceRef } from '../../adapter/session.ts';
import type { Situation } from '../../adapter/simulator.ts';
import { AppError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { type CloudCheck, faultOf, type Simulator } from './cloud.ts';
import type { View } from './witnesses.ts';

interface Plausibility {
  readonly simulator: Simulator;
  readonly kind: AnyKind;
  readonly ref: DeviceRef;
  readonly offered: readonly Capability[];
  readonly see: () => Promise<View>;
}

/** What a car or charger draws while it charges, watt: below the least of IEC 61851 (6 A, one phase) a quarter was lost in the unit. */
const CHARGING_W = {
  least: 500,
  mostOf: { vehicle: 400_000, charger: 50_000 } as Partial<Record<DeviceType, number>>,
};
/** A cold room, milli-Celsius: hundredths of a degree are below. */
const COLD = { least: 5_000, most: 21_000 };
const VOLTS = 250;
const PHASES = 3;
/** A meter is measured from one of its reports to another that is this much later at least. */
const ENERGY_SECONDS = 600;
const STEP_SECONDS = 60;
/** Vendors report a meter once an hour at the least. */
const MOST_SECONDS = 3_600 + STEP_SECONDS;
/** How far the energy may be from power × time: charging may end or step on the way. */
const ENERGY_SHARE = 0.25;

const isWithin = (value: number, least: number, most: number) => value >= least && value <= most;

/**
 * Figures of the right size: watts and not kilowatts, watt-hours and not kilowatt-hours, milli-degrees of a room, per cent of a battery.
 * Throws an `Error` that names the figure.
 */
export async function checkPlausible(check: Plausibility): Promise<void> {
  const { offered, simulator, ref, see } = check;
  const at = async (situation: Situation): Promise<View> => {
    await simulator.arrange(ref, situation);
    return see();
  };
  if (offered.includes('charge_control') || offered.includes('set_current'))
    await whileCharging(check, await at('charging'));
  else if (ref.type === 'vehicle') {
    const charging = await untilCharging(check);
    if (charging !== undefined) await timeRunsDown(check, charging);
  }
  if (offered.includes('set_temperature')) {
    const { temperature_milli_c: room } = (await at('cold')).state;
    if (typeof room === 'number' && !isWithin(room, COLD.least, COLD.most))
      throw new Error(`temperature_milli_c of a cold room is ${room}; 17 °C is 17000`);
  }
  if (offered.includes('set_battery_power')) {
    const { battery_soc: soc, power_w: power } = (await at('battery_idle')).state;
    if (typeof soc === 'number' && !isWithin(soc, 20, 80))
      throw new Error(`battery_soc of a half-full battery is ${soc}`);
    if (typeof power === 'number' && Math.abs(power) > 200)
      throw new Error(`power_w of an idle battery is ${power}`);
  }
  if (offered.includes('program_control')) await timeRunsDown(check, await at('program_running'));
  if (
    ref.type === 'battery' &&
    offered.includes('read_power') &&
    offered.includes('read_battery_soc') &&
    !offered.includes('set_battery_power')
  )
    await chargesAsItSays(check);
  if (offered.includes('on_off') && offered.includes('read_power')) {
    const off = (await at('off')).state.power_w;
    if (typeof off === 'number' && Math.abs(off) > 100)
      throw new Error(`power_w of a device that is off is ${off}`);
  }
}

async function whileCharging(check: Plausibility, before: View): Promise<void> {
  const { ref, offered } = check;
  const { charging, connected, battery_soc: soc, power_w: power, energy_wh: energy } = before.state;
  if (charging !== true) throw new Error(`charging is ${charging} while it charges`);
  if (connected === false) throw new Error('connected is false while it charges');
  if (typeof soc === 'number' && !isWithin(soc, 30, 70))
    throw new Error(`battery_soc of a half-full battery is ${soc}`);
  if (typeof before.state.remaining_seconds === 'number') await timeRunsDown(check, before);
  if (!offered.includes('read_power') || typeof power !== 'number') return;
  const amps = before.limits?.max_a;
  const most =
    amps == null ? (CHARGING_W.mostOf[ref.type] ?? Number.POSITIVE_INFINITY) : amps * VOLTS * PHASES;
  if (!isWithin(power, CHARGING_W.least, most))
    throw new Error(`power_w is ${power} while it charges; ${CHARGING_W.least} to ${most} can be`);
  if (offered.includes('read_energy') && typeof energy === 'number') await energyGrows(check, before);
}

/** What is left of a charge or a programme becomes less by the time that passes, as long as it goes on. */
async function timeRunsDown({ simulator, see }: Plausibility, before: View): Promise<void> {
  const { remaining_seconds: left, charging } = before.state;
  if (typeof left !== 'number' || left === 0 || (charging !== true && left < 2 * RUN_DOWN_SECONDS)) return;
  await simulator.pass(RUN_DOWN_SECONDS);
  const now = (await see()).state;
  if (charging === true && now.charging !== true) return;
  const gone = left - (now.remaining_seconds ?? 0);
  if (!isWithin(gone, RUN_DOWN_SECONDS / 3, RUN_DOWN_SECONDS * 3))
    throw new Error(`remaining_seconds is ${left}, and ${now.remaining_seconds} after ${RUN_DOWN_SECONDS} s`);
}

/** A car that no command charges is looked at until it charges by itself. */
async function untilCharging({ simulator, see }: Plausibility): Promise<View | undefined> {
  for (let step = 0; step < STEPS_OF_A_DAY; step += 1) {
    const view = await see();
    if (view.state.charging === true) return view;
    await simulator.pass(86_400 / STEPS_OF_A_DAY);
  }
  return undefined;
}

/** A battery that no command moves shows by its charge what its power means: it rises while the power is positive. */
async function chargesAsItSays({ simulator, see }: Plausibility): Promise<void> {
  let [right, wrong] = [0, 0];
  let before = (await see()).state;
  for (let step = 0; step < STEPS_OF_A_DAY; step += 1) {
    await simulator.pass(86_400 / STEPS_OF_A_DAY);
    const now = (await see()).state;
    const grown = (now.battery_soc ?? 0) - (before.battery_soc ?? 0);
    const powers = [before.power_w ?? 0, now.power_w ?? 0].map((power) =>
      Math.sign(Math.trunc(power / MOVING_W)),
    );
    const [sign = 0, next] = powers;
    if (grown !== 0 && sign !== 0 && sign === next) {
      if (Math.sign(grown) === sign) right += 1;
      else wrong += 1;
    }
    before = now;
  }
  if (wrong > right)
    throw new Error(`battery_soc falls while power_w is positive, ${wrong} of ${wrong + right} times`);
}

/** The energy grows as the power says, from one report of the meter to another: some vendors report it once an hour. */
async function energyGrows(check: Plausibility, before: View): Promise<void> {
  const first = await nextReport(check, before, 0);
  const second = await nextReport(check, first.view, ENERGY_SECONDS);
  const powers = [first.view.state.power_w ?? 0, second.view.state.power_w ?? 0];
  const mean = powers.reduce((sum, watts) => sum + watts, 0) / powers.length;
  const grown = (second.view.state.energy_wh ?? 0) - (first.view.state.energy_wh ?? 0);
  const expected = mean * (second.seconds / 3_600);
  if (Math.abs(grown - expected) > expected * ENERGY_SHARE + 1)
    throw new Error(
      `energy_wh grew by ${grown} in ${second.seconds} s at ${mean} W; ${Math.round(expected)} is expected`,
    );
}

/** Waits until the energy is another, and `least` seconds have passed; how many have. */
async function nextReport(
  { simulator, see }: Plausibility,
  before: View,
  least: number,
): Promise<{ readonly view: View; readonly seconds: number }> {
  let last = before;
  for (let seconds = STEP_SECONDS; seconds <= MOST_SECONDS + least; seconds += STEP_SECONDS) {
    await simulator.pass(STEP_SECONDS);
    const view = await see();
    const isReport = view.state.energy_wh !== last.state.energy_wh;
    if (isReport && seconds >= least) return { view, seconds };
    last = view;
  }
  throw new Error(
    `energy_wh stays ${before.state.energy_wh} for an hour while it charges at ${before.state.power_w} W`,
  );
}

/** What is left is compared after this time. */
const RUN_DOWN_SECONDS = 300;
const STEPS_OF_A_DAY = 48;
/** A battery moves above this power. */
const MOVING_W = 100;

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

import type { Adapter, AnyKind } from '../../adapter/adapter.ts';
import { capabilitiesOf, send, stateOf } from '../../adapter/adapters.ts';
import { type Command, type CommandType, capabilityOf } from '../../adapter/commands.ts';
import type { Found } from '../../adapter/device.ts';
import { CONTROLS } from '../../adapter/fields.ts';
import {
  type Intervention,
  NeedsUser,
  PLATFORM_STEPS,
  type Said,
  saidByError,
  saidByList,
  saidByReading,
} from '../../adapter/interventions.ts';
import type { DeviceRef } from '../../adapter/session.ts';
import { LANGUAGES } from '../../core/language.ts';
import { faultOf, type Report, type Simulator } from './cloud.ts';

import { type View, witnessOf } from './witnesses.ts';

interface InterventionCheck {
  readonly adapter: Adapter;
  readonly simulator: Simulator;
  readonly kind: AnyKind;
  readonly found: readonly Found[];
  readonly report: Report;
}

/** Limits of a minute are those of one command again. */
const BETWEEN_SECONDS = 60;

/** What only users can do: each in words, and opened and resolved by what the vendor says, in every way that is declared. */
export async function checkInterventions(check: InterventionCheck): Promise<void> {
  const { kind, found, report } = check;
  const type = found[0]?.type ?? 'unknown';
  for (const [code, one] of Object.entries(kind.interventions ?? {})) {
    report(`${type}: ${code} says what to do`, faultIn(code, one));
    report(`${type}: ${code} opens and is resolved`, await faultOf(() => prove(check, code, one)));
  }
}

function faultIn(code: string, { words, url, isAtDevice, blocks }: Intervention<unknown>): string | null {
  if (!/^[a-z][a-z_]{0,39}$/.test(code)) return 'its code is not lower case, with underscores';
  if (Object.hasOwn(PLATFORM_STEPS, code)) return 'the platform has an intervention of this code';
  const silent = LANGUAGES.find((language) => words[language].title === '' || words[language].text === '');
  if (silent !== undefined) return `it has no words in ${silent}`;
  if (words.en.text === words.sv.text) return 'its words are the same in both languages';
  const address = typeof url === 'function' ? url({ domain: 'elnav.example' }) : url;
  if (address === undefined && isAtDevice === undefined) return 'it does not say where it is done';
  if (address !== undefined && !URL.parse(address)?.protocol.startsWith('https'))
    return 'its address is not https';
  return blocks.length === 0 ? 'it blocks nothing' : null;
}

const isCommand = (blocked: string): blocked is CommandType =>
  Object.values(CONTROLS).some((types) => (types as readonly string[]).includes(blocked));

async function prove(check: InterventionCheck, code: string, one: Intervention<unknown>): Promise<void> {
  const { simulator } = check;
  if (simulator.intervene === undefined) throw new Error('the simulator has no `intervene`');
  const session = simulator.session();
  for (const device of check.found) {
    const ref = { ...device, account: session.account, link: session.link, details: device.details ?? {} };
    const before = await viewOf(check, ref);
    if (!(await simulator.intervene(ref, code, true))) continue;
    await expect(check, { code, one, ref, before, isNeeded: true });
    await expect(check, { code, one, ref, before, isNeeded: false });
    return;
  }
  throw new Error('the simulator brings it about at none of its devices');
}

interface Expected {
  readonly code: string;
  readonly one: Intervention<unknown>;
  readonly ref: DeviceRef & Found;
  readonly before: View;
  readonly isNeeded: boolean;
}

async function viewOf({ simulator, kind }: InterventionCheck, ref: DeviceRef): Promise<View> {
  const raw = await kind.read(simulator.session(), ref);
  return {
    state: stateOf(kind, raw, []),
    limits: kind.limits?.(raw) ?? null,
    capacity: kind.availableCapacity?.(raw) ?? null,
  };
}

/** Everything that can say so says it, and at least one thing can. */
async function expect(check: InterventionCheck, expected: Expected): Promise<void> {
  const { simulator, adapter, kind } = check;
  const { code, one, ref, before, isNeeded } = expected;
  const bringAbout = async () => {
    await simulator.pass(BETWEEN_SECONDS);
    await simulator.intervene?.(ref, code, isNeeded);
  };
  let told = 0;
  const says = (what: string, said: Said) => {
    told += 1;
    if (said.get(code) !== isNeeded)
      throw new Error(`${what} says ${said.get(code) ?? 'nothing of it'} where it is ${isNeeded}`);
  };
  await bringAbout();
  let listed: Found = ref;
  if (one.inList !== undefined) {
    const session = simulator.session();
    const devices =
      adapter.list === undefined ? (await adapter.link(session)).devices : await adapter.list(session, [ref]);
    listed = devices.find(({ id }) => id === ref.id) ?? ref;
    says('a list', saidByList(kind, listed));
  }
  if (one.inReading !== undefined || one.blocks.some((blocked) => !isCommand(blocked)))
    says('a read', await saidByRead(check, listed, ref));
  const offered = capabilitiesOf(kind, listed);
  for (const command of one.blocks.filter(isCommand)) {
    if (!offered.includes(capabilityOf(command))) continue;
    await simulator.arrange(ref, witnessOf(command).from);
    await bringAbout();
    const now = { ...ref, details: listed.details ?? {} };
    says(command, await saidByCommand(check, { ref: now, code }, witnessOf(command).command(before)));
  }
  if (told === 0) throw new Error('nothing says whether it is needed');
}

async function saidByRead(
  { simulator, kind }: InterventionCheck,
  found: Found,
  ref: DeviceRef,
): Promise<Said> {
  try {
    const raw = await kind.read(simulator.session(), { ...ref, details: found.details ?? {} });
    return saidByReading(kind, raw);
  } catch (error) {
    if (error instanceof NeedsUser) return saidByError(error);
    throw error;
  }
}

/** What is accepted says that nothing is needed. */
async function saidByCommand(
  { simulator, kind }: InterventionCheck,
  { ref, code }: Pick<Expected, 'ref' | 'code'>,
  command: Command,
): Promise<Said> {
  try {
    await send(kind, simulator.session(), ref, command);
    return new Map([[code, false]]);
  } catch (error) {
    if (error instanceof NeedsUser) return saidByError(error);
    throw error;
  }
}

import { inspect } from 'node:util';
import type { Adapter } from '../../adapter/adapter.ts';
import { capabilitiesOf, kindOf, send, stateOf } from '../../adapter/adapters.ts';
import type { Command } from '../../adapter/commands.ts';
import type { Found } from '../../adapter/device.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import type { DeviceFault, LocalFault, LocalFaultCodes } from '../../adapter/simulator.ts';
import { AppError } from '../../core/errors.ts';
import { type Cloud, faultOf, type Report, type Simulator } from './cloud.ts';

import { anyCommand, checkSecrets } from './faults.ts';

/** What else the conformance check needs of a vendor that is reached over connections. */
export interface Connected extends Pick<Cloud, 'secrets' | 'logged'> {
  /** Faults that its device can have, besides those of every connection. */
  readonly faults: readonly DeviceFault[];
  /** As `ServedLocal.fault`. */
  fault(fault: LocalFault | null, on?: 'everything' | 'commands'): Promise<void>;
  met(): Promise<void>;
  connections(): { readonly opened: number; readonly open: number };
  /** The writes that the device has received, in order. */
  commands(): readonly string[];
  /** The codes of faults where they are not the usual ones. */
  readonly codes: LocalFaultCodes;
  /** Another link, to another device of the same make. */
  other(): Promise<Simulator>;
  /** The link is removed. */
  unlink(): void;
  /** The time of the platform for one call is over. */
  abort(): void;
}

interface ConnectedCheck {
  readonly adapter: Adapter;
  readonly simulator: Simulator;
  readonly connected: Connected;
  /** One device of each kind. */
  readonly refs: readonly (DeviceRef & Found)[];
  readonly report: Report;
}

type Code = AppError['code'];
type Call = 'link' | 'read' | 'command';

interface Work {
  readonly name: string;
  readonly call: Call;
  readonly work: () => Promise<unknown>;
}

/** Faults of any call, and what the caller gets of each; a fault that is over when a response ends early may be either. */
const CODES = {
  hang: ['vendor.timeout'],
  half_open: ['vendor.timeout'],
  refused: ['vendor.unreachable'],
  reset: ['vendor.unreachable'],
  truncated: ['vendor.unreachable', 'vendor.answer_invalid'],
  garbage: ['vendor.answer_invalid'],
  exception: ['vendor.refused'],
} as const satisfies Partial<Record<LocalFault, readonly Code[]>>;
type FaultOfCalls = keyof typeof CODES;

/** After these the device has taken the command, and nobody knows. */
const LEAVE_OUTCOME_OPEN = ['hang', 'reset', 'truncated', 'garbage'] as const;
const NOBODY_THERE: ReadonlySet<Code> = new Set(['vendor.timeout', 'vendor.unreachable']);

/** The platform gives up after 14 s; what ends by itself has to end before. */
const LONGEST_SECONDS = 14;
const STEP_SECONDS = 0.25;
/** Of the event loop, so that what is on its way arrives before time goes on. */
const TURNS = 10;
/** What could not be opened is left alone for a minute at most. */
const RECOVERY_SECONDS = 120;

/** What only a vendor that is reached over connections can do wrong. */
export async function checkConnected(check: ConnectedCheck): Promise<void> {
  const { report } = check;
  const command = await anyCommand(check.adapter, check.simulator, check.refs);
  const sent = command === undefined ? undefined : { ...command, normal: await normally(check, command) };
  await checkSharing(check);
  for (const fault of Object.keys(CODES) as FaultOfCalls[])
    if (fault !== 'exception' || check.connected.faults.includes('exception'))
      for (const one of worksOf(check, sent))
        report(`${fault}: ${one.name}`, await faultOf(() => meets(check, one, fault)));
  if (sent !== undefined)
    for (const fault of LEAVE_OUTCOME_OPEN)
      report(
        `${fault}: a ${sent.command.type} that was taken has an unknown outcome, and is not sent twice`,
        await faultOf(() => leavesOutcomeOpen(check, sent, fault)),
      );
  await checkOddDevices(check);
  report('another link goes on while this one hangs', await faultOf(() => goesOn(check)));
  report('connections are closed with the link', await faultOf(() => closes(check)));
}

type AnyCommand = NonNullable<Awaited<ReturnType<typeof anyCommand>>>;

/** A command, and the writes that the device receives for it. */
interface Sent extends AnyCommand {
  readonly normal: readonly string[];
}

const sendIt = (session: Session, { kind, ref, command }: AnyCommand) =>
  send(kind, session, ref, command satisfies Command);

/** Sends the command without a fault; resolves to the writes that the device receives. */
async function normally({ simulator, connected }: ConnectedCheck, sent: AnyCommand) {
  const before = connected.commands().length;
  await sendIt(simulator.session(), sent);
  return connected.commands().slice(before);
}

function worksOf({ adapter, simulator, refs }: ConnectedCheck, sent: Sent | undefined): Work[] {
  return [
    { name: 'link', call: 'link', work: () => adapter.link(simulator.session()) },
    ...refs.map(
      (ref): Work => ({
        name: `read ${ref.type}`,
        call: 'read',
        work: () => kindOf(adapter, ref.type).read(simulator.session(), ref),
      }),
    ),
    ...(sent === undefined
      ? []
      : [
          {
            name: `command ${sent.command.type}`,
            call: 'command' as const,
            work: () => sendIt(simulator.session(), sent),
          },
        ]),
  ];
}

/** Everything that works for a link at a time does so over one connection: many devices permit no second one. */
async function checkSharing({ adapter, simulator, connected, refs, report }: ConnectedCheck): Promise<void> {
  report(
    'all work of a link shares one connection',
    await faultOf(async () => {
      connected.unlink();
      await allClosed(connected);
      const before = connected.connections().opened;
      const read = () => refs.map((ref) => kindOf(adapter, ref.type).read(simulator.session(), ref));
      await Promise.all([adapter.link(simulator.session()), ...read(), ...read()]);
      const opened = connected.connections().opened - before;
      if (opened !== 1) throw new Error(`${opened} were opened`);
    }),
  );
}

/** Throws when a call under a fault does not end as it must, or the next read after it is not right. */
async function meets(check: ConnectedCheck, { call, work }: Work, fault: FaultOfCalls): Promise<void> {
  const { connected } = check;
  const told = connected.commands().length;
  await connectedAndWell(check);
  await connected.fault(fault);
  if (fault === 'refused') await turns();
  const error = await failureOf(check, work).finally(() => connected.fault(null));
  const expected: readonly Code[] = codesOf(connected.codes, fault, call);
  if (!expected.includes(error.code))
    throw new Error(`${error.code} instead of ${expected.join(' or ')}: ${error.message}`);
  checkSecrets(error, connected);
  if (NEVER_ARRIVES.has(fault) && connected.commands().length > told)
    throw new Error('the device was told something all the same');
  await connectedAndWell(check);
}

const NEVER_ARRIVES: ReadonlySet<LocalFault> = new Set(['half_open', 'refused']);

function codesOf(codes: LocalFaultCodes, fault: FaultOfCalls, call: Call): readonly Code[] {
  const said = codes[fault]?.[call];
  if (said !== undefined) return [said];
  // What a command reads before it is sent fails as reads do.
  const isOpen = call === 'command' && fault !== 'refused' && fault !== 'exception';
  return isOpen ? [...CODES[fault], 'command.outcome_unknown'] : CODES[fault];
}

/** The response to a command is lost after the device has taken it. */
async function leavesOutcomeOpen(check: ConnectedCheck, sent: Sent, fault: LocalFault): Promise<void> {
  const { connected, simulator } = check;
  await connectedAndWell(check);
  const before = connected.commands().length;
  await connected.fault(fault, 'commands');
  const error = await failureOf(check, () => sendIt(simulator.session(), sent)).finally(() =>
    connected.fault(null),
  );
  if (error.code !== 'command.outcome_unknown') throw new Error(`${error.code}: ${error.message}`);
  checkSecrets(error, connected);
  // Nobody asks any more, and nothing is sent later.
  await simulator.pass(RECOVERY_SECONDS);
  await connectedAndWell(check);
  const told = connected.commands().slice(before);
  if (told.some((one, index) => one !== sent.normal[index]))
    throw new Error(`the device was told ${shown(told)}, and ${shown(sent.normal)} is the whole command`);
  await sendIt(simulator.session(), sent);
}

const shown = (told: readonly string[]): string => told.join(', ') || 'nothing';

/** Devices that answer, and not as the vendor's do. */
async function checkOddDevices(check: ConnectedCheck): Promise<void> {
  const { adapter, simulator, connected, refs, report } = check;
  const under = async (fault: DeviceFault, work: () => Promise<void>) => {
    await connectedAndWell(check);
    // What the right device has said before is not what this one says.
    connected.unlink();
    await allClosed(connected);
    await connected.fault(fault);
    await work().finally(() => connected.fault(null));
  };
  report(
    'a wrong device is not linked',
    await faultOf(async () => {
      if (!connected.faults.includes('wrong_device'))
        throw new Error('the simulator has no fault wrong_device');
      await under('wrong_device', async () => {
        const error = await failureOf(check, () => adapter.link(simulator.session()));
        if (NOBODY_THERE.has(error.code)) throw new Error(`${error.code}: it is there, and another`);
      });
    }),
  );
  if (!connected.faults.includes('unknown_values')) return;
  for (const ref of refs)
    report(
      `unknown values: read ${ref.type}`,
      await faultOf(() => under('unknown_values', () => well(check, ref))),
    );
}

async function goesOn(check: ConnectedCheck): Promise<void> {
  const { adapter, simulator, connected, refs } = check;
  const [ref] = refs;
  if (ref === undefined) throw new Error('there is no device');
  const other = await connected.other();
  const kind = kindOf(adapter, ref.type);
  const read = (of: Simulator) => kind.read(of.session(), { ...ref, link: of.session().link });
  await adapter.link(other.session());
  await connectedAndWell(check);
  await connected.fault('hang');
  let isOver = false;
  const hanging = read(simulator).catch(() => {});
  const going = read(other).then(() => {
    isOver = true;
  });
  // It may fail before it is awaited.
  going.catch(() => {});
  for (let turn = 0; turn < TURNS_FOR_OTHERS && !isOver; turn += 1) await turns();
  const wasOver = isOver;
  await connected.fault(null);
  await ended(check, Promise.all([hanging, going]));
  if (!wasOver) throw new Error('it waits for it');
}

const TURNS_FOR_OTHERS = 100;

async function closes(check: ConnectedCheck): Promise<void> {
  await connectedAndWell(check);
  check.connected.unlink();
  await allClosed(check.connected);
}

async function allClosed({ connections }: Connected): Promise<void> {
  for (let turn = 0; turn < TURNS_FOR_OTHERS && connections().open > 0; turn += 1) await turns();
  const { open } = connections();
  if (open > 0) throw new Error(`${open} are open after the link was removed`);
}

/** Every device can be read; what was left alone because it failed is tried again. */
async function connectedAndWell(check: ConnectedCheck): Promise<void> {
  await check.simulator.pass(RECOVERY_SECONDS);
  for (const ref of check.refs) await well(check, ref);
}

async function well({ adapter, simulator }: ConnectedCheck, ref: DeviceRef & Found): Promise<void> {
  const kind = kindOf(adapter, ref.type);
  const raw = await kind.read(simulator.session(), ref);
  const { online } = stateOf(kind, raw, capabilitiesOf(kind, ref));
  if (!online) throw new Error(`${ref.id} is offline`);
}

async function failureOf(check: ConnectedCheck, work: () => Promise<unknown>): Promise<AppError> {
  const outcome = work().then(
    () => undefined,
    (error: unknown) => error ?? new Error('nothing was thrown'),
  );
  await Promise.race([check.connected.met(), outcome]);
  const error = await ended(check, outcome);
  if (error === undefined) throw new Error('nothing failed');
  if (error instanceof AppError) return error;
  throw new Error(`not an AppError: ${inspect(error)}`);
}

/** What the work comes to, within the time that it may take; time passes meanwhile. */
async function ended<T>({ simulator, connected }: ConnectedCheck, work: Promise<T>): Promise<T> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  over.catch(() => {});
  for (let seconds = 0; seconds < LONGEST_SECONDS; seconds += STEP_SECONDS) {
    await turns();
    if (isOver) return over;
    await simulator.pass(STEP_SECONDS);
  }
  await turns();
  if (isOver) return over;
  connected.abort();
  throw new Error(`it does not end within ${LONGEST_SECONDS} s`);
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

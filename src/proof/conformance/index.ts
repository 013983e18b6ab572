import { Compile } from 'typebox/compile';
import type { Adapter, AnyKind, Linked } from '../../adapter/adapter.ts';
import { capabilitiesOf, capabilitiesOfKind, kindOf, send, stateOf } from '../../adapter/adapters.ts';
import {
  type CommandType,
  capabilityOf,
  isSetPointType,
  revertSecondsOf,
  SET_POINT_TYPES,
  setPointOf,
  TIMED_TYPES,
  type TimedType,
} from '../../adapter/commands.ts';
import { faultInWords, isForEndUsers } from '../../adapter/credential-fields.ts';
import type { Found } from '../../adapter/device.ts';
import { DEVICE_TYPES, DeviceState } from '../../adapter/device.ts';
import { CONTROL_CAPABILITIES, CONTROLS, READ_CAPABILITIES, READS } from '../../adapter/fields.ts';
import type { DeviceRef } from '../../adapter/session.ts';
import { needsOf, scopesOf } from '../../adapter/tokens.ts';
import { unboundedIn } from '../../core/bounded-schema.ts';
import { proveBounds } from './bounds.ts';
import { faultOf, type Proof, type Report, type Simulator } from './cloud.ts';
import { checkConnected } from './connected.ts';
import { checkFaults, checkSignIn } from './faults.ts';
import { checkHomes } from './homes.ts';
import { checkInterventions } from './interventions.ts';
import { checkListing } from './listing.ts';
import { checkOddValues, checkPlausible } from './odd-values.ts';
import { checkOtherAccounts } from './other-accounts.ts';

import { proveEnding, proveRelease, proveReleaseBytes, proveRevert } from './prove-release.ts';

import { checkStream } from './streams.ts';
import { checkTokens } from './tokens.ts';
import { checkTruths } from './truths.ts';
import { checkWebhooks } from './webhooks.ts';
import { type View, witnessOf } from './witnesses.ts';

export type { Simulator } from './cloud.ts';

export interface Finding {
  readonly check: string;
  /** What is wrong; null when the check holds. */
  readonly fault: string | null;
}

const stateCheck = Compile(DeviceState);

/**
 * Runs every check of the adapter contract against a simulator: derivation, linking, reading, and for each control
 * capability a witness. The answer lists each check that ran; an adapter conforms when it is not empty and holds no fault.
 */
export async function conforms(adapter: Adapter, simulator: Simulator): Promise<Finding[]> {
  const findings: Finding[] = [];
  const report = (check: string, fault: string | null) => findings.push({ check, fault });

  report('slug', /^[a-z][a-z0-9_]{0,39}$/.test(adapter.slug) ? null : `"${adapter.slug}" is not a slug`);
  report(
    'credentials refuse unknown fields',
    Compile(adapter.credentials).Check({ ...simulator.credentials, no_such_field: 1 })
      ? 'an unknown field is taken'
      : null,
  );
  report(
    'credentials take those of the simulator',
    Compile(adapter.credentials).Check(simulator.credentials) ? null : 'the schema refuses them',
  );

  report('credentials have an end', unboundedIn(adapter.credentials, 'the schema')[0] ?? null);
  if (adapter.oauth === undefined && isForEndUsers(adapter))
    report('credentials can be asked for in Swedish and English', faultInWords(adapter));

  const linked = await adapter.link(simulator.session());
  const again = await adapter.link(simulator.session());
  report('linking twice finds the same account and devices', sameLink(linked, again));

  for (const type of DEVICE_TYPES) {
    const kind = adapter.kinds[type];
    if (kind === undefined) continue;
    const found = linked.devices.filter((device) => device.type === type);
    report(
      `${type}: linking finds one`,
      found.length > 0 ? null : 'a kind that is never found is never proven',
    );
    report(`${type}: load balancing tells its limits and capacity`, balancingFault(kind));
    report(`${type}: what can end by itself can be sent at all`, timedFault(kind));
    report(`${type}: what can be released can be sent at all`, setPointFault(adapter, kind));
    report(`${type}: its reads cost of limits that there are`, readCostsFault(adapter, kind));
    report(`${type}: has a capability, or says why it has none`, incapableFault(kind, found));
    report(`${type}: only a meter measures a house`, measuringFault(kind, found));
    report(`${type}: what its capabilities need is asked for`, unaskedFault(adapter, kind, found));
    await checkKind({ adapter, simulator, kind, found, report });
    await checkInterventions({ adapter, simulator, kind, found, report });
  }
  const { connected } = simulator;
  if (adapter.hosts === undefined && connected === undefined) return findings;
  if (findings.some(({ fault }) => fault !== null))
    report('its cloud is checked', 'not before the checks above hold');
  else {
    if (adapter.hosts !== undefined) await checkCloud({ adapter, simulator, linked, report });
    if (connected !== undefined) {
      const refs = oneOfEachKind(simulator, linked);
      await checkConnected({ adapter, simulator, connected, refs, report });
    }
  }
  return findings;
}

const BETWEEN_CHECKS_SECONDS = 600;
/** Limits of a minute are those of one command again. */
const BETWEEN_COMMANDS_SECONDS = 60;
/** Commands of which a device has limits. */
const LIMITED: ReadonlySet<CommandType> = new Set(SET_POINT_TYPES);

interface CloudChecks {
  readonly adapter: Adapter;
  readonly simulator: Simulator;
  readonly linked: Linked;
  readonly report: Report;
}

/** What only a vendor that is called over HTTP can do wrong. */
async function checkCloud({ adapter, simulator, linked, report }: CloudChecks): Promise<void> {
  const { cloud } = simulator;
  report('its calls can be broken', cloud === undefined ? 'the simulator of the test has no cloud' : null);
  if (cloud === undefined) return;
  const refs = oneOfEachKind(simulator, linked);
  for (const ref of refs) cloud.reach(ref, true);
  // What is measured in a device that is called itself cannot be lost or taken away by itself.
  const isAlone =
    adapter.isLocal === true && (linked.devices.length === 1 || (await cloud.as('none')) === undefined);
  const check = { adapter, simulator, cloud, refs, isAlone, report };
  for (const [name, one] of Object.entries({
    faults: checkFaults,
    'the sign-in': checkSignIn,
    tokens: checkTokens,
    'the stream': checkStream,
    'odd values': checkOddValues,
    webhooks: checkWebhooks,
    lists: checkListing,
    truths: checkTruths,
    homes: checkHomes,
    'other accounts': checkOtherAccounts,
  })) {
    // What one check took of the vendor's limits is not the next one's.
    await simulator.pass(BETWEEN_CHECKS_SECONDS);
    const fault = await faultOf(() => one(check));
    if (fault !== null) report(`${name} can be checked`, fault);
  }
  const { opened, open } = cloud.connections();
  if (opened > 0)
    report('calls close the connections that they open', open === 0 ? null : `${open} of ${opened} are open`);
}

function oneOfEachKind(simulator: Simulator, { devices }: Linked): (DeviceRef & Found)[] {
  const { account, link } = simulator.session();
  const first = new Map(devices.toReversed().map((device) => [device.type, device]));
  return [...first.values()].map((device) => ({ ...device, account, link, details: device.details ?? {} }));
}

interface KindCheck {
  readonly adapter: Adapter;
  readonly simulator: Simulator;
  readonly kind: AnyKind;
  readonly found: readonly Found[];
  readonly report: Report;
}

async function checkKind({ adapter, simulator, kind, found, report }: KindCheck): Promise<void> {
  const unseen = new Set(READ_CAPABILITIES.filter((capability) => kind.reads[capability] !== undefined));
  const unproven = new Set(
    CONTROL_CAPABILITIES.filter((capability) => kind.controls[capability] !== undefined),
  );
  const type = found[0]?.type ?? 'unknown';
  let hasState = capabilitiesOfKind(kind).length > 0;
  for (const device of found) {
    const offered = capabilitiesOf(kindOf(adapter, device.type), device);
    const session = simulator.session();
    const ref = {
      account: session.account,
      link: session.link,
      id: device.id,
      type: device.type,
      ...(device.measures === undefined ? {} : { measures: device.measures }),
      details: device.details ?? {},
    };
    const see = async (): Promise<View> => {
      const raw = await kind.read(simulator.session(), ref);
      const state = stateOf(kind, raw, offered);
      for (const capability of [...unseen])
        if (typeof state[READS[capability]] === 'number') unseen.delete(capability);
      hasState ||= Object.entries(state).some(([field, value]) => field !== 'online' && value !== null);
      if (!stateCheck.Check(state)) throw new Error(`${JSON.stringify(state)} is not a DeviceState`);
      return { state, limits: kind.limits?.(raw) ?? null, capacity: kind.availableCapacity?.(raw) ?? null };
    };
    report(`${device.id}: can be read`, await faultOf(see));
    report(
      `${device.id}: its figures are of the right size`,
      await faultOf(() => checkPlausible({ simulator, kind, ref, offered, see })),
    );
    for (const capability of CONTROL_CAPABILITIES) {
      if (!offered.includes(capability)) continue;
      unproven.delete(capability);
      for (const command of CONTROLS[capability]) {
        await simulator.pass(BETWEEN_COMMANDS_SECONDS);
        const prove = () => proveCommand({ simulator, kind, ref, see, command });
        report(`${device.id}: ${command} does what it says`, await faultOf(prove));
        await checkEndings({ simulator, kind, ref, see, command }, report);
        // Last: at its highest limit a car is full before the other checks are through.
        if (!LIMITED.has(command)) continue;
        await simulator.pass(BETWEEN_COMMANDS_SECONDS);
        const bounded = () => proveBounds({ simulator, kind, ref, see, command });
        report(`${device.id}: ${command} takes its limits, and no more`, await faultOf(bounded));
      }
    }
  }
  report(`${type}: reports more than that it is online`, hasState ? null : 'no read of the simulator did');
  for (const capability of unseen)
    report(`${type}: ${capability} gives a number`, 'no read of the simulator ever did');
  for (const capability of unproven)
    report(`${type}: ${capability} is offered`, 'no device of the simulator has it');
}

/** Whatever ends what a command began. */
async function checkEndings(proof: Proof<CommandType>, report: Report): Promise<void> {
  const { simulator, kind, ref, command } = proof;
  const timed = TIMED_TYPES.find((one) => one === command);
  if (timed !== undefined && kind.timed?.[timed] !== undefined) {
    const ending = () => proveEnding({ ...proof, command: timed });
    report(`${ref.id}: ${command} ends at the device`, await faultOf(ending));
  }
  const setPoint = setPointOf(kind, command);
  if (setPoint === undefined || !isSetPointType(command)) return;
  await simulator.pass(BETWEEN_COMMANDS_SECONDS);
  const released = () => proveRelease({ ...proof, command });
  report(`${ref.id}: ${command} can be released`, await faultOf(released));
  if (revertSecondsOf(setPoint, ref) === undefined) {
    if (setPoint.releaseBytes === undefined) return;
    await simulator.pass(BETWEEN_COMMANDS_SECONDS);
    const said = () => proveReleaseBytes({ ...proof, command });
    report(`${ref.id}: ${command} is released by its bytes alone`, await faultOf(said));
    return;
  }
  await simulator.pass(BETWEEN_COMMANDS_SECONDS);
  const reverted = () => proveRevert({ ...proof, command });
  report(`${ref.id}: ${command} reverts by itself`, await faultOf(reverted));
}

async function proveCommand({ simulator, kind, ref, see, command }: Proof<CommandType>): Promise<void> {
  const witness = witnessOf(command);
  await simulator.arrange(ref, witness.from);
  const before = await see();
  if (witness.holds(before, before))
    throw new Error(`already true before the command: ${JSON.stringify(before)}`);
  // The control: time alone must not bring it about, or the witness would prove nothing.
  await simulator.pass(witness.within);
  const idle = await see();
  if (witness.holds(idle, before)) throw new Error(`came true without the command: ${JSON.stringify(idle)}`);
  await simulator.arrange(ref, witness.from);
  const start = await see();
  await send(kind, simulator.session(), ref, witness.command(start));
  await simulator.pass(witness.within);
  const after = await see();
  if (!witness.holds(after, start))
    throw new Error(`before ${JSON.stringify(start)}, after ${JSON.stringify(after)}`);
}

function sameLink(first: Linked, second: Linked): string | null {
  if (first.vendorAccount !== second.vendorAccount)
    return `${first.vendorAccount} became ${second.vendorAccount}`;
  const ids = (linked: Linked) =>
    linked.devices
      .map((device) => `${device.type} ${device.id}`)
      .sort()
      .join(', ');
  return ids(first) === ids(second) ? null : `${ids(first)} became ${ids(second)}`;
}

function readCostsFault({ budgets = [] }: Adapter, { readCosts = {} }: AnyKind): string | null {
  const unknown = Object.keys(readCosts).find((name) => !budgets.some((rule) => rule.name === name));
  return unknown === undefined ? null : `readCosts names "${unknown}", which is no limit`;
}

/** A kind that only reports a state has no capability; its `whyWithheld` is what the sender of a command gets. */
function incapableFault(kind: AnyKind, found: readonly Found[]): string | null {
  if (capabilitiesOfKind(kind).length > 0) return null;
  const saysWhy = found.every((device) => kind.whyWithheld?.(device) !== undefined);
  return saysWhy ? null : 'it can do nothing, and whyWithheld does not say why';
}

/** The sums of a user take a meter of the house by its power, and leave nothing else out of the rest. */
function measuringFault(kind: AnyKind, found: readonly Found[]): string | null {
  const wrong = found.find(
    (device) =>
      device.measures !== undefined &&
      !(device.type === 'industrial' && capabilitiesOf(kind, device).includes('read_power')),
  );
  return wrong === undefined
    ? null
    : `${wrong.id} measures ${wrong.measures}, and is no meter with read_power`;
}

/** A permission that nobody is asked for would withhold the capability from everybody. */
function unaskedFault(adapter: Adapter, kind: AnyKind, found: readonly Found[]): string | null {
  const asked = scopesOf(adapter);
  const needed = found.flatMap((device) => Object.values(needsOf(kind, device)).flat());
  const unasked = needed.find((scope) => !asked.includes(scope));
  return unasked === undefined ? null : `${unasked} is needed and not asked for`;
}

function timedFault(kind: AnyKind): string | null {
  const lone = TIMED_TYPES.find(
    (type: TimedType) => kind.timed?.[type] !== undefined && kind.controls[capabilityOf(type)] === undefined,
  );
  return lone === undefined ? null : `${lone} is no command of this kind`;
}

function setPointFault({ dialIn }: Adapter, kind: AnyKind): string | null {
  if (dialIn !== undefined && kind.setPoints !== undefined)
    return 'only the instance that holds the connection could renew them; end them with timed';
  const lone = SET_POINT_TYPES.find(
    (type) => kind.setPoints?.[type] !== undefined && kind.controls[capabilityOf(type)] === undefined,
  );
  return lone === undefined ? null : `${lone} is no command of this kind`;
}

function balancingFault(kind: AnyKind): string | null {
  if (kind.controls.load_balancing === undefined) return null;
  return kind.limits !== undefined && kind.availableCapacity !== undefined
    ? null
    : 'limits or availableCapacity is missing';
}

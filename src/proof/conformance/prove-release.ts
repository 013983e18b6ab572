import { isDeepStrictEqual } from 'node:util';
import { send } from '../../adapter/adapters.ts';
import type { TimedType } from '../../adapter/commands.ts';
import { revertSecondsOf, type SetPoint, type SetPointType, setPointOf } from '../../adapter/commands.ts';
import type { Session } from '../../adapter/session.ts';
import { sayScript } from '../../core/byte-script.ts';
import type { Clock } from '../../core/clock.ts';
import type { Proof } from './cloud.ts';
import { setPointWitnessOf, timedWitnessOf, type View, witnessOf } from './witnesses.ts';

/** A session that dies when its call is over: what the adapter left for later on its clock never happens. */
function mortal(session: Session): { readonly session: Session; end(): void } {
  const { clock } = session;
  const left: (() => void)[] = [];
  const aborting = new AbortController();
  const bounded: Clock = {
    now: () => clock.now(),
    after(ms, fire) {
      const cancel = clock.after(ms, fire);
      left.push(cancel);
      return cancel;
    },
  };
  return {
    session: { ...session, clock: bounded, signal: AbortSignal.any([session.signal, aborting.signal]) },
    end() {
      aborting.abort();
      for (const cancel of left) cancel();
    },
  };
}

/**
 * Throws unless a limit with `for_seconds` holds, and then ends with no further command of ours, where the same limit without an
 * end would still hold.
 */
export async function proveEnding(proof: Proof<TimedType>): Promise<void> {
  const { simulator, kind, ref, see, command } = proof;
  const { from, command: lasting, holds } = witnessOf(command);
  const { command: ending, holdsAfter, endedAfter } = timedWitnessOf(command);
  await simulator.arrange(ref, from);
  const before = await see();
  await send(kind, simulator.session(), ref, lasting(before));
  await simulator.pass(endedAfter);
  const still = await see();
  if (!holds(still, before)) throw new Error(`ended without being told to: ${JSON.stringify(still)}`);

  await simulator.arrange(ref, from);
  const start = await see();
  const call = mortal(simulator.session());
  await send(kind, call.session, ref, ending(start));
  call.end();
  await simulator.pass(holdsAfter);
  const held = await see();
  if (!holds(held, start)) throw new Error(`did not hold for its time: ${JSON.stringify(held)}`);
  await simulator.pass(endedAfter - holdsAfter);
  const after = await see();
  if (holds(after, start)) throw new Error(`did not end at the device: ${JSON.stringify(after)}`);
}

/** How long a set-point is watched that the device does not end by itself. */
const LASTING_SECONDS = 3_600;
/** How much later than its time a device may end a set-point by itself. */
const LATE_SECONDS = 30;
/** A simulator that does not answer ends no set-point. */
const SCRIPT_MS = 5_000;

interface Held {
  readonly start: View;
  readonly held: View;
}

function declared({ kind, command }: Proof<SetPointType>): SetPoint {
  const setPoint = setPointOf(kind, command);
  if (setPoint === undefined) throw new Error(`${command} is not declared in setPoints`);
  return setPoint;
}

/** Brings the set-point into force at a device that ran by itself until then. */
async function hold(proof: Proof<SetPointType>, revertSeconds: number | undefined): Promise<Held> {
  const { simulator, kind, ref, see, command } = proof;
  const witness = setPointWitnessOf(command);
  await simulator.arrange(ref, witness.from);
  const start = await see();
  if (witness.holds(start, start)) throw new Error(`in force before it was sent: ${JSON.stringify(start)}`);
  const call = mortal(simulator.session());
  await send(kind, call.session, ref, witness.command(start));
  call.end();
  await simulator.pass(Math.min(witness.within, (revertSeconds ?? Number.POSITIVE_INFINITY) / 3));
  const held = await see();
  if (!witness.holds(held, start)) throw new Error(`not in force: ${JSON.stringify(held)}`);
  if (witness.automatic(start, { start, held }) && !witness.automatic(held, { start, held }))
    return { start, held };
  throw new Error(
    `automatic operation cannot be told from the set-point: ${JSON.stringify(start)}, then ${JSON.stringify(held)}`,
  );
}

/**
 * Throws unless a set-point stays in force for as long as the platform renews it, and the device runs by itself after its release. A release
 * of what is released already must not fail.
 */
export async function proveRelease(proof: Proof<SetPointType>): Promise<void> {
  const { simulator, kind, ref, see, command } = proof;
  const setPoint = declared(proof);
  const witness = setPointWitnessOf(command);
  const revertSeconds = revertSecondsOf(setPoint, ref);
  const were = await hold(proof, revertSeconds);
  if (revertSeconds === undefined) await simulator.pass(LASTING_SECONDS);
  else
    for (let renewals = 0; renewals < 6; renewals += 1) {
      await simulator.pass(revertSeconds / 3);
      await send(kind, simulator.session(), ref, witness.command(were.start));
    }
  const still = await see();
  if (!witness.holds(still, were.start))
    throw new Error(
      revertSeconds === undefined
        ? `ended by itself, and no revertSeconds says so: ${JSON.stringify(still)}`
        : `ended although it was sent again: ${JSON.stringify(still)}`,
    );
  for (const time of ['released', 'released again']) {
    const call = mortal(simulator.session());
    await setPoint.release(call.session, ref);
    call.end();
    await simulator.pass(witness.within);
    const after = await see();
    if (!witness.automatic(after, were))
      throw new Error(`does not run by itself after it was ${time}: ${JSON.stringify(after)}`);
  }
}

/** Throws unless the bytes that a gateway is given end the set-point, with nothing more of ours; and again, when nothing is in force. */
export async function proveReleaseBytes(proof: Proof<SetPointType>): Promise<void> {
  const { simulator, ref, see, command } = proof;
  const { dial } = simulator;
  if (dial === undefined) throw new Error('the simulator of the test cannot be connected to');
  const witness = setPointWitnessOf(command);
  const setPoint = declared(proof);
  const were = await hold(proof, undefined);
  const call = mortal(simulator.session());
  const scripts = (await setPoint.releaseBytes?.(call.session, ref)) ?? [];
  const again = await setPoint.releaseBytes?.(call.session, ref);
  call.end();
  if (scripts.length === 0) throw new Error('there are no bytes for a device that keeps it');
  if (!isDeepStrictEqual(scripts, again)) throw new Error('the same set-point gives other bytes each time');
  for (const time of ['said', 'said again']) {
    for (const script of scripts)
      await sayScript(script, await dial(script.host, script.port), AbortSignal.timeout(SCRIPT_MS));
    await simulator.pass(witness.within);
    const after = await see();
    if (!witness.automatic(after, were))
      throw new Error(`does not run by itself after they were ${time}: ${JSON.stringify(after)}`);
  }
}

/** Throws unless the device ends a set-point by itself after its time, with nothing more of ours, and not much earlier. */
export async function proveRevert(proof: Proof<SetPointType>): Promise<void> {
  const { simulator, ref, see, command } = proof;
  const witness = setPointWitnessOf(command);
  const revertSeconds = revertSecondsOf(declared(proof), ref) ?? 0;
  const were = await hold(proof, revertSeconds);
  await simulator.pass(revertSeconds / 3);
  const still = await see();
  if (!witness.holds(still, were.start))
    throw new Error(`ended before its ${revertSeconds} seconds: ${JSON.stringify(still)}`);
  await simulator.pass(revertSeconds + LATE_SECONDS);
  const after = await see();
  if (!witness.automatic(after, were))
    throw new Error(`did not end by itself after ${revertSeconds} seconds: ${JSON.stringify(after)}`);
}

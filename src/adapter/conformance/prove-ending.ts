import type { Clock } from '../../core/clock.ts';
import type { TimedType } from '../commands.ts';
import { send } from '../send.ts';
import type { Session } from '../session.ts';
import type { Proof } from './index.ts';
import { timedWitnessOf, witnessOf } from './witnesses.ts';

/** A session that dies when its call is over: what the adapter left for later on its clock never happens. */
export function mortal(session: Session): { readonly session: Session; end(): void } {
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

import { send } from '../../adapter/adapters.ts';
import type { Command, CommandType } from '../../adapter/commands.ts';
import type { Limits } from '../../adapter/device.ts';
import { AppError } from '../../core/errors.ts';
import type { Proof } from './cloud.ts';
import { witnessOf } from './witnesses.ts';

const BETWEEN_SECONDS = 60;
/** What a vendor may round. */
const ROUNDED_W = 50;

/** The command for the highest that a device takes, and for one more; undefined where it does not say. */
function highest(type: CommandType, limits: Limits | null): readonly Command[] | undefined {
  if (limits === null) return undefined;
  const { max_a, max_w } = limits;
  if (type === 'set_current' && max_a !== null)
    return [0, 1].map((more) => ({ type, current_a: max_a + more }));
  if (type === 'set_limit' && max_a !== null) return [0, 1].map((more) => ({ type, max_a: max_a + more }));
  if (type === 'set_limit' && max_w !== null)
    return [max_w, Math.ceil(max_w * 1.1)].map((watts) => ({ type, max_w: watts }));
  if (type === 'set_battery_power' && max_w !== null)
    return [max_w, Math.ceil(max_w * 1.1)].map((power_w) => ({ type, power_w }));
  return undefined;
}

/** The highest of its limits is taken by the vendor, and more than that is refused or gives no more. */
export async function proveBounds({ simulator, kind, ref, see, command }: Proof<CommandType>): Promise<void> {
  const { from, within } = witnessOf(command);
  await simulator.arrange(ref, from);
  const [most, more] = highest(command, (await see()).limits) ?? [];
  if (most === undefined || more === undefined) return;
  const effectOf = async (sent: Command) => {
    await simulator.pass(BETWEEN_SECONDS);
    await simulator.arrange(ref, from);
    await send(kind, simulator.session(), ref, sent);
    await simulator.pass(within);
    const { state, capacity } = await see();
    return Math.max(Math.abs(state.power_w ?? 0), capacity?.power_w ?? 0, (capacity?.current_a ?? 0) * 230);
  };
  const atMost = await effectOf(most).catch((error: unknown) => {
    throw new Error(`the limits permit ${JSON.stringify(most)}, and the vendor refuses it: ${String(error)}`);
  });
  const beyond = await effectOf(more).catch((error: unknown) => {
    if (error instanceof AppError) return atMost;
    throw error;
  });
  if (beyond > atMost + ROUNDED_W)
    throw new Error(`the vendor takes ${JSON.stringify(more)} too, which is beyond the limits`);
}

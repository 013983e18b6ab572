import { type Clock, sleep } from '../../core/clock.ts';
import type { Json } from '../../core/json.ts';
import type { KeptWill, WillsOfGateways } from '../../domain/devices/set-points/index.ts';
import type { Tunnel } from '../../gateway/wire/opener.ts';
import { failure } from '../../gateway/wire/protocol.ts';
import type { Tunnels } from '../../gateway/wire/tunnels.ts';
import { readList, stepsOf, WILL_PATHS } from '../../gateway/wire/wills.ts';

/** A command waits for it. */
const ANSWERED_MS = 2_000;

/** A question to a gateway, which has little time for it. */
async function ask(tunnel: Tunnel, path: string, { question, clock }: { question: Json; clock: Clock }) {
  const over = new AbortController();
  const late = failure('ETIMEDOUT', 'the gateway did not answer in time');
  const waited = new AbortController();
  sleep(clock, ANSWERED_MS, waited.signal).then(
    () => over.abort(late),
    () => {},
  );
  try {
    return await tunnel.ask(path, question, over.signal);
  } finally {
    waited.abort();
  }
}

/** What gateways that are connected to this process do when they lose it. */
export function willsOf(tunnels: Tunnels, clock: Clock): WillsOfGateways {
  async function tell(gateway: string, path: string, question: Json): Promise<void> {
    const tunnel = tunnels.of(gateway);
    if (tunnel === undefined) throw failure('EGATEWAY', 'the gateway is not connected');
    await ask(tunnel, path, { question, clock });
  }
  return {
    keeps(gateway) {
      if (tunnels.of(gateway) === undefined) return 'not_here';
      return tunnels.keepsWills(gateway) ? 'yes' : 'too_old';
    },
    leave: (gateway, { key, version, afterMs, steps }) =>
      tell(gateway, WILL_PATHS.leave, {
        ...{ key, version, after_ms: afterMs },
        steps: stepsOf(steps).map((step) => ({
          ...step,
          exchanges: step.exchanges.map((one) => ({ ...one })),
        })),
      }),
    withdraw: (gateway, keys) => tell(gateway, WILL_PATHS.withdraw, { keys: [...keys] }),
  };
}

export type TakeWills = (
  gateway: { readonly account: number; readonly id: string },
  wills: readonly KeptWill[],
) => Promise<string[]>;

/** Hears what a gateway has done while it did not hear of us, before anything is sent through it. */
export async function settleWills(
  gateway: { readonly account: number; readonly id: string },
  { tunnel, clock, take }: { readonly tunnel: Tunnel; readonly clock: Clock; readonly take: TakeWills },
): Promise<void> {
  const wills = readList(await ask(tunnel, WILL_PATHS.list, { question: {}, clock }));
  const keys = await take(gateway, wills);
  if (keys.length > 0) await ask(tunnel, WILL_PATHS.withdraw, { question: { keys }, clock });
}

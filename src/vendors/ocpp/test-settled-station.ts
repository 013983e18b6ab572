import type { TestContext } from 'node:test';
import { send } from '../../adapter/send.ts';
import type { Clock } from '../../core/clock.ts';
import { charger } from './charger.ts';
import type { StationOptions } from './options.ts';
import type { SimulatorOptions } from './simulated-options.ts';
import type { SimulatedStation } from './simulator.ts';
import { type Installed, until, World } from './test-world.ts';
import { statusOf } from './translate.ts';

export interface Setting {
  readonly world: World;
  readonly station: SimulatedStation;
}

interface Wish {
  readonly station?: Partial<SimulatorOptions>;
  readonly options?: Partial<StationOptions>;
  /** The clock of the test; real time when absent. */
  readonly clock?: Clock;
  readonly credentials?: Installed;
}

/** A world with one station that is connected and has answered the configuration requests. */
export async function settle(
  t: TestContext,
  { station: wish = {}, options = {}, clock, credentials = {} }: Wish = {},
): Promise<Setting> {
  const world = await new World(options, clock).open(credentials);
  t.after(() => world.close());
  const station = world.station(wish);
  await station.connect();
  await until('it has a name', () => world.link.discovered?.[0]?.name !== undefined);
  await station.idle();
  return { world, station };
}

/** Sends a command as the platform does. */
export const command = (world: World, type: 'start_charge' | 'stop_charge', connector = 1) =>
  send(charger, world.session(), world.device(connector), { type });
export const setCurrent = (
  world: World,
  current_a: number,
  ending: { readonly for_seconds?: number; readonly then_current_a?: number } = {},
) => send(charger, world.session(), world.device(), { type: 'set_current', current_a, ...ending });
export const charging = async (world: World) => statusOf(await world.read()).charging;

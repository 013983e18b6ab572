import { makeVendorWorld, type VendorWorld } from '../../../test/kit/vendor-world.ts';
import type { DeviceType } from '../../adapter/device.ts';
import type { DeviceRef } from '../../adapter/session.ts';
import type { SimulatedAnswer } from '../../adapter/simulator.ts';
import type { Json } from '../../core/json.ts';
import { tesla } from './index.ts';
import { CARS, SITES, type User } from './simulated-site.ts';

/** Falls asleep within it, when nobody asks: 15 minutes, and the half minute that Tesla needs to notice. */
export const SLEEP_SECONDS = 16 * 60;

export const ref = (type: DeviceType, id: string, region = 'eu'): DeviceRef => ({
  account: 1,
  link: 'link-1',
  id,
  type,
  details: { region },
});
export const car = ref('vehicle', CARS.plain);
export const battery = ref('battery', SITES.batteryAndSolar);

/** Tesla's simulator with somebody signed in. */
export const world = (user: User = 'home'): Promise<VendorWorld> => makeVendorWorld(tesla, { user });

/** What Tesla was asked since the last time, without the sign-in. */
export const asked = (here: VendorWorld): string[] =>
  here.asked.splice(0).filter((line) => !line.includes('/oauth2/'));

/** Answers calls whose path fits in place of the simulator. */
export function answer(here: VendorWorld, path: RegExp, answered: SimulatedAnswer): void {
  here.instead = (request) => (path.test(request.path) ? answered : undefined);
}

export const response = (json: Json): SimulatedAnswer => ({ status: 200, json: { response: json } });

/** A refusal as Tesla words them. */
export const refusal = (status: number, error: string): SimulatedAnswer => ({
  status,
  json: { response: null, error, error_description: '' },
});

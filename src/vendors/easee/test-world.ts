import { makeVendorWorld, type VendorWorld } from '../../../test/kit/vendor-world.ts';
import type { DeviceRef } from '../../adapter/session.ts';
import { easee } from './index.ts';
import type { EaseeSimulator } from './simulator.ts';

/** Easee before its simulator. */
export interface EaseeWorld extends VendorWorld {
  readonly easee: EaseeSimulator;
}

export const makeWorld = async (): Promise<EaseeWorld> => {
  const world = await makeVendorWorld(easee);
  return Object.assign(world, { easee: world.vendor as EaseeSimulator });
};

/** The charger that is alone on its circuit, unless it is said. */
export const refTo = (
  id = 'EH000001',
  details: DeviceRef['details'] = { site: 55_001, circuit: 66_001, rated_a: 20, alone: true },
): DeviceRef => ({ account: 1, link: 'link-1', id, type: 'charger', details });

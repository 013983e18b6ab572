import type { Adapter } from '../../../adapter/adapter.ts';
import type { Found } from '../../../adapter/device.ts';

const MARK = '(simulated)';
/** A simulator may have said it in the name itself. */
const SAYS_SO = /simulated/i;

/** Devices of a simulated vendor, each with a name that says so: nobody may take one for a device that there is. */
export function markedAsSimulated({ name: vendor }: Adapter, devices: readonly Found[]): Found[] {
  return devices.map((device) => {
    const name = device.name ?? vendor;
    return { ...device, name: SAYS_SO.test(name) ? name : `${name} ${MARK}` };
  });
}

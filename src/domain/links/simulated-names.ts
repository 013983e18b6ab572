import type { Adapter, Found } from '../../adapter/adapter.ts';

const MARK = '(simulated)';

/** Devices of a simulated vendor, each with a name that says so: nobody may take one for a device that there is. */
export function markedAsSimulated({ name: vendor }: Adapter, devices: readonly Found[]): Found[] {
  return devices.map((device) => {
    const name = device.name ?? vendor;
    return { ...device, name: name.includes(MARK) ? name : `${name} ${MARK}` };
  });
}

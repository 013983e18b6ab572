import type { Device } from '../api/shapes.ts';
import { keyOfDevice } from '../live/devices.ts';
import { conditionOf } from './condition.ts';

export interface DeviceFilter {
  readonly text: string;
  readonly vendor: string;
  readonly type: string;
  readonly condition: string;
  /** Keys of the devices of a user; undefined for all users. */
  readonly ofUser: ReadonlySet<string> | undefined;
}

/** The devices that fit all of a filter; every word of the text is found in the name, the id or the vendor. */
export function filtered(list: readonly Device[], filter: DeviceFilter): readonly Device[] {
  const { vendor, type, condition, ofUser } = filter;
  const needles = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  if (needles.length === 0 && vendor === '' && type === '' && condition === '' && ofUser === undefined)
    return list;
  return list.filter((device) => {
    if (vendor !== '' && device.vendor !== vendor) return false;
    if (type !== '' && device.device_type !== type) return false;
    if (condition !== '' && conditionOf(device) !== condition) return false;
    if (ofUser !== undefined && !ofUser.has(keyOfDevice(device))) return false;
    if (needles.length === 0) return true;
    const text = `${device.name ?? ''} ${device.id} ${device.vendor}`.toLowerCase();
    return needles.every((needle) => text.includes(needle));
  });
}

import type { NewEvent } from '../../db/events.ts';
import type { NewDevice, OfLink } from './store.ts';

type At = { readonly at: number };

/** A link has a device that it did not have. */
export const deviceLinked = (
  of: OfLink,
  { id, type, name, capabilities }: NewDevice,
  { at }: At,
): NewEvent => ({
  ...subjectOf(of, id),
  type: 'device.linked',
  occurredAt: at,
  data: { device_type: type, name, capabilities },
});

/** A device is gone: its vendor does not list it any more, or its link was removed. */
export const deviceRemoved = (
  of: OfLink,
  id: string,
  { at, reason }: At & { readonly reason: 'not_listed' | 'link_removed' },
): NewEvent => ({
  ...subjectOf(of, id),
  type: 'device.removed',
  occurredAt: at,
  data: { reason },
});

const subjectOf = ({ account, link, vendor, userRef }: OfLink, device: string) => ({
  ...{ account, link, vendor, userRef },
  device,
});

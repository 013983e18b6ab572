import type { Static, TSchema } from 'typebox';
import { vendorCalls } from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import type { VendorRequest } from '../../adapter/vendor-http.ts';
import { failure, refusals } from './failures.ts';
import { hostOf, type Region, regionOf } from './regions.ts';

const tesla = vendorCalls('Tesla', { failure, refusals });

interface Call extends Omit<VendorRequest, 'host'> {
  readonly region: Region;
  /** Commands may have an address of their own. */
  readonly to?: 'api' | 'commands';
}

/** A call to the Fleet API, or to the proxy that signs commands. */
export function call<S extends TSchema>(
  session: Session,
  { region, to = 'api', ...request }: Call,
  schema: S,
  what: string,
): Promise<Static<S>> {
  // Tesla asks for the header on calls without a body, too.
  const headers = request.json === undefined ? { 'content-type': 'application/json' } : {};
  return tesla.send(session, { headers, ...request, host: hostOf(to, region) }, schema, what);
}

/** The same about one device. */
export function callAbout<S extends TSchema>(
  session: Session,
  device: DeviceRef,
  { path, ...request }: Omit<Call, 'region' | 'device'>,
  schema: S,
): Promise<Static<S>> {
  const isCar = device.type === 'vehicle';
  const below = `/api/1/${isCar ? 'vehicles' : 'energy_sites'}/${encodeURIComponent(device.id)}`;
  return call(
    session,
    { region: regionOf(device.details), device: device.id, path: `${below}${path}`, ...request },
    schema,
    `the ${isCar ? 'car' : 'energy site'} ${device.id}`,
  );
}

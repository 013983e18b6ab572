import type { Static, TSchema } from 'typebox';
import { vendorCalls } from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import type { VendorRequest } from '../../adapter/vendor-http.ts';
import { failure, refusals } from './failures.ts';
import { hostOf, type Region, regionOf } from './regions.ts';

const tesla = vendorCalls('Tesla', { failure, refusals, inside: 'response' });

interface Call extends Omit<VendorRequest, 'host'> {
  readonly region: Region;
  /** Commands may have an address of their own. */
  readonly to?: 'api' | 'commands';
  /** What it is about, for sentences. */
  readonly what?: string;
}

/** A call to the Fleet API, or to the proxy that signs commands. */
export function call<S extends TSchema>(
  session: Session,
  { region, to = 'api', what = 'the account', ...request }: Call,
  schema: S,
): Promise<Static<S>> {
  // Tesla asks for the header on calls without a body, too.
  const headers = request.json === undefined ? { 'content-type': 'application/json' } : {};
  return tesla.send(session, { headers, ...request, host: hostOf(to, region) }, schema, what);
}

/** The same about one device. */
export function callAbout<S extends TSchema>(
  session: Session,
  { id, type, details }: DeviceRef,
  { path, ...request }: Omit<Call, 'region' | 'device' | 'what'>,
  schema: S,
): Promise<Static<S>> {
  const [kind, word] = type === 'vehicle' ? ['vehicles', 'car'] : ['energy_sites', 'energy site'];
  const below = `/api/1/${kind}/${encodeURIComponent(id)}${path}`;
  const about = { region: regionOf(details), device: id, path: below, what: `the ${word} ${id}` };
  return call(session, { ...about, ...request }, schema);
}

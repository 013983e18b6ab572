import { AppError } from '../core/errors.ts';
import type { Adapter } from './adapter.ts';

type Adapters = ReadonlyMap<string, Adapter>;

/** The adapter of a stored link or device; throws `vendor.unreachable` where this server has it no longer. */
export function adapterOf(adapters: Adapters, vendor: string): Adapter {
  const adapter = adapters.get(vendor);
  if (adapter === undefined)
    throw new AppError('vendor.unreachable', `this server no longer offers the vendor ${vendor}`);
  return adapter;
}

/** The adapter that a caller names; throws `vendor.unknown`. */
export function adapterNamed(adapters: Adapters, vendor: string): Adapter {
  const adapter = adapters.get(vendor);
  if (adapter !== undefined) return adapter;
  const known = [...adapters.keys()].sort().join(', ');
  throw new AppError(
    'vendor.unknown',
    `there is no vendor "${vendor.slice(0, 60)}"; GET /vendors lists them: ${known}`,
  );
}

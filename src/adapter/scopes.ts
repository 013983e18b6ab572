import type { Adapter, AnyKind, Found } from './adapter.ts';
import type { Capability } from './capabilities.ts';
import { DEVICE_TYPES, type DeviceType } from './device.ts';
import type { Tokens } from './login.ts';

/** The permissions that capabilities take, by the vendor's words for them. */
export type Needs = { readonly [C in Capability]?: readonly string[] };

/** What was found of a device as far as its permissions go. */
type OfDevice = Pick<Found, 'details' | 'granted'>;

/** The permissions that a user is asked for: the vendor's own, and those of the kinds of these types; of all kinds unless it is said. */
export function scopesOf(
  { oauth, kinds }: Pick<Adapter, 'oauth' | 'kinds'>,
  types: readonly DeviceType[] = DEVICE_TYPES,
): string[] {
  const needs = types.flatMap((type) => {
    const of = kinds[type]?.needs;
    return of === undefined || typeof of === 'function' ? [] : Object.values(of).flat();
  });
  return [...new Set([...(oauth?.scopes ?? []), ...needs])];
}

/** What the user granted with these tokens; undefined where the vendor does not say. */
export const grantedWith = (
  { login }: Pick<Adapter, 'login'>,
  tokens: Tokens,
): readonly string[] | undefined => login?.scopesIn?.(tokens) ?? tokens.scopes;

/** Permissions that a capability takes and the user has not granted; none where nobody knows what was granted. */
export function missingScopes(kind: AnyKind, device: OfDevice, capability: Capability): readonly string[] {
  const { granted } = device;
  if (granted === undefined) return [];
  return (needsOf(kind, device)[capability] ?? []).filter((scope) => !granted.includes(scope));
}

/** Every permission that the kind takes for a device and the user has not granted. */
export function allMissing(kind: AnyKind, device: OfDevice): string[] {
  const capabilities = Object.keys(needsOf(kind, device)) as Capability[];
  return [...new Set(capabilities.flatMap((capability) => missingScopes(kind, device, capability)))];
}

export function needsOf({ needs = {} }: AnyKind, device: OfDevice): Needs {
  return typeof needs === 'function' ? needs(device) : needs;
}

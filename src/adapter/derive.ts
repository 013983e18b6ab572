import { AppError } from '../core/errors.ts';
import type { Adapter, AnyKind, Found } from './adapter.ts';
import { type Capability, CONTROL_CAPABILITIES, READ_CAPABILITIES, READS } from './capabilities.ts';
import type { DeviceState, DeviceType } from './device.ts';
import { missingScopes } from './scopes.ts';

/** The capabilities that a kind proves by having the functions for them. */
export function capabilitiesOfKind(kind: AnyKind): Capability[] {
  return [
    ...READ_CAPABILITIES.filter((capability) => kind.reads[capability] !== undefined),
    ...CONTROL_CAPABILITIES.filter((capability) => kind.controls[capability] !== undefined),
  ];
}

/** The capabilities of one device: those of its kind without what the adapter withholds from it, or its user has not granted. */
export function capabilitiesOf(kind: AnyKind, found: Found): Capability[] {
  const withheld = new Set(kind.withholds?.(found));
  return capabilitiesOfKind(kind).filter(
    (capability) => !withheld.has(capability) && missingScopes(kind, found, capability).length === 0,
  );
}

/** The kind of a device type; a vendor that reports a device it has no kind for was not understood. */
export function kindOf(adapter: Adapter, type: DeviceType): AnyKind {
  const kind = adapter.kinds[type];
  if (kind === undefined) {
    throw new AppError(
      'vendor.answer_invalid',
      `${adapter.slug} reported a device of type ${type}, which its adapter does not support`,
    );
  }
  return kind;
}

/** The normalized state: the status, and one field for each read capability that the device has. Values are whole. */
export function stateOf(kind: AnyKind, raw: unknown, capabilities: readonly Capability[]): DeviceState {
  const state: DeviceState = { ...kind.status(raw) };
  for (const capability of READ_CAPABILITIES) {
    const read = kind.reads[capability];
    if (read === undefined || !capabilities.includes(capability)) continue;
    const value = read(raw);
    if (value !== null && !Number.isFinite(value)) {
      throw new AppError('vendor.answer_invalid', `the vendor's ${READS[capability]} is not a number`);
    }
    state[READS[capability]] = value === null ? null : Math.round(value);
  }
  return state;
}

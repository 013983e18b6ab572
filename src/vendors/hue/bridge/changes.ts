import Type from 'typebox';
import { lenient, objectIn, word } from '../../../adapter/kit/index.ts';
import { AppError } from '../../../core/errors.ts';

/** What a bridge answers to a change. Errors come with 207: a lamp that is not reached, or one that is off. */
export const Changed = lenient({ errors: Type.Array(Type.Unknown()) });

/** Throws `device.offline` or `vendor.refused` where the bridge did not set the lamp, with its reason. */
export function requireSet(errors: readonly unknown[], id: string): void {
  const reason = word(objectIn(errors[0]).description, 200);
  if (errors.length === 0) return;
  if (reason?.includes('communication issues') === true)
    throw new AppError('device.offline', `the Hue bridge does not reach ${id}; it may be without power`);
  const hint = reason?.includes('soft off') === true ? '; it is off, and dim switches it on' : '';
  throw new AppError('vendor.refused', `the Hue bridge did not set ${id}: ${reason ?? 'no reason'}${hint}`);
}

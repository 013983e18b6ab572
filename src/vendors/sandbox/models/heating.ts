import { TARGET_MILLI_C } from '../ratings.ts';
import { Refusal } from './model.ts';

/** A target temperature, milli-°C in and °C out. */
export function targetC(milliC: number): number {
  const { least, most } = TARGET_MILLI_C;
  if (milliC < least || milliC > most) {
    throw new Refusal(
      'out_of_range',
      `target_milli_c must be from ${least} to ${most} (${least / 1_000} to ${most / 1_000} °C); got ${milliC}`,
    );
  }
  return milliC / 1_000;
}

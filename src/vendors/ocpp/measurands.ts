/** The measurand of a sampled value that names none. */
export const REGISTER = 'Energy.Active.Import.Register';
const POWER = 'Power.Active.Import';

/** What a station measures while a transaction runs: power, energy, and what the number of phases follows from. */
export const RUNNING = [REGISTER, POWER, 'Current.Import', 'Voltage'];

/** What it measures at clock-aligned intervals, where it supports them. */
export const ALIGNED = [REGISTER, POWER];

/** What is needed at both ends of a transaction to calculate its energy. */
export const AT_ENDS = [REGISTER];

/** Splits at commas, spaces and semicolons, since stations differ in how they write a list. */
export const listOf = (value: string): string[] => value.split(/[,;\s]+/).filter((item) => item !== '');

interface Wish {
  /** What the station measures already. */
  readonly now: string;
  readonly wanted: readonly string[];
  /** Sets the list; false when the station refused it. */
  readonly set: (list: string) => Promise<boolean>;
}

/**
 * Adds the wanted measurands to those that a station measures already. A station refuses the whole list if it does not support
 * one of them; they are then added one by one.
 */
export async function measureAlso({ now, wanted, set }: Wish): Promise<void> {
  let list = listOf(now);
  const missing = wanted.filter((measurand) => !list.includes(measurand));
  if (missing.length === 0 || (await set([...list, ...missing].join(',')))) return;
  if (missing.length === 1) return;
  for (const measurand of missing) {
    const longer = [...list, measurand];
    if (await set(longer.join(','))) list = longer;
  }
}

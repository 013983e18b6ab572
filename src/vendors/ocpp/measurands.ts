/** What a sampled value is of when it does not say. */
export const REGISTER = 'Energy.Active.Import.Register';
const POWER = 'Power.Active.Import';

/** What a station measures while a transaction runs: power and energy, and what tells the phases in use. */
export const RUNNING = [REGISTER, POWER, 'Current.Import', 'Voltage'];

/** What it measures by the clock, where it does. */
export const ALIGNED = [REGISTER, POWER];

/** What a transaction's energy is the difference of. */
export const AT_ENDS = [REGISTER];

/** Everything between commas, spaces and semicolons: stations differ in how they write a list. */
export const listOf = (value: string): string[] => value.split(/[,;\s]+/).filter((item) => item !== '');

interface Wish {
  /** What the station measures already. */
  readonly now: string;
  readonly wanted: readonly string[];
  /** Sets the list; whether the station took it. */
  readonly set: (list: string) => Promise<boolean>;
}

/**
 * Has a station measure what is wanted besides what it measures already. A list with one measurand that it does not know is
 * refused as a whole: then they are added one after another.
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

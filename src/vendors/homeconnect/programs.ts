import type { Static } from 'typebox';
import { each, figure, lenient, objectIn, refused } from '../../adapter/kit/index.ts';
import { between } from '../../adapter/ranges.ts';
import { Item, Key, REMAINING } from './translate.ts';

/** A programme that is selected, active or available, with its options. */
export const Program = lenient({ key: Key }, 'options');
export type Program = Static<typeof Program>;
const Offered = lenient({ key: Key }, 'constraints');

/** An option as a command carries it. */
export interface Option {
  readonly key: string;
  readonly value: string | number | boolean;
  readonly unit?: string;
}

const START_IN = 'BSH.Common.Option.StartInRelative';
const FINISH_IN = 'BSH.Common.Option.FinishInRelative';
const TOTAL = 'BSH.Common.Option.EstimatedTotalProgramTime';
const DELAYS: readonly string[] = [START_IN, FINISH_IN];
const DAY_SECONDS = 86_400;
const MOST: Readonly<Record<string, number>> = { [START_IN]: 86_340, [FINISH_IN]: DAY_SECONDS };
const MINUTE_SECONDS = 60;

/**
 * The options that a start has to repeat: what it leaves out falls back to the programme's own, whatever was chosen at the appliance, and
 * what cannot be written is refused. A delay is set by its own command.
 */
export function optionsToStart(selected: Program, available: Program): Option[] {
  const writable = new Set(
    each(available.options, Offered)
      .filter(({ constraints }) => !/^read(only)?$/i.test(String(objectIn(constraints).access ?? '')))
      .map(({ key }) => key),
  );
  return each(selected.options, Item).flatMap(({ key, value, unit }): Option[] => {
    const isValue = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    if (!isValue || !writable.has(key) || DELAYS.includes(key)) return [];
    return [{ key, value, ...(typeof unit === 'string' ? { unit } : {}) }];
  });
}

interface Delay {
  /** The programme that is to start later, or waits already. */
  readonly program: Program;
  /** What it offers; for one that waits already, itself. */
  readonly offered: Program;
  readonly seconds: number;
  readonly device: string;
}

/** The option that delays a programme. Some appliances take the time of the start, the others that of the end. */
export function delayOption({ program, offered, seconds, device }: Delay): Option {
  const options = each(offered.options, Offered);
  const option = DELAYS.map((key) => options.find((one) => one.key === key)).find((one) => one !== undefined);
  if (option === undefined)
    throw refused(
      `the programme that is chosen on ${device} cannot be started later; choose another at the appliance`,
    );
  const { key, constraints } = option;
  const { min, max, stepsize } = objectIn(constraints);
  const step = figure(stepsize, 1, 3_600) ?? MINUTE_SECONDS;
  const most = figure(max, 1, 7 * DAY_SECONDS) ?? MOST[key] ?? DAY_SECONDS;
  const takes = key === START_IN ? 0 : secondsOf(program, figure(min, 1, DAY_SECONDS));
  if (takes === null)
    throw refused(
      `Home Connect does not say how long the programme on ${device} takes, so its start cannot be set`,
    );
  const latest = Math.floor(most / step) * step;
  between('delay_seconds', seconds, { least: 1, most: latest - takes });
  const value = Math.max(step, Math.round((seconds + takes) / step) * step);
  return { key, value: Math.min(value, latest), unit: 'seconds' };
}

/** How long a programme takes: as it says, or the soonest that it could have finished. */
function secondsOf({ options }: Program, soonest: number | null): number | null {
  const items = each(options, Item);
  const said = (name: string) => figure(items.find(({ key }) => key === name)?.value, 1, DAY_SECONDS);
  return said(TOTAL) ?? said(REMAINING) ?? soonest;
}

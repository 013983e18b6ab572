import type { Command, LoggedEvent, SetPoint } from '../api/shapes.ts';

/** What a control is set to, as far as it is known. */
export interface LastSet {
  readonly command: Command;
  /** RFC 3339; undefined for a command of this page that was carried out just now. */
  readonly at: string | undefined;
  /** Whether elnav keeps the device at it. Otherwise somebody may have changed it at the device since. */
  readonly isHeld: boolean;
}

interface Known {
  readonly setPoints: readonly SetPoint[];
  /** Outcomes of commands, newest first. */
  readonly outcomes: readonly LoggedEvent[];
  readonly now: number;
}

/**
 * What commands of a type have set: the set-point in force, else the last command. Undefined where that is not known: after an
 * outcome that is unknown, and after a limit in time that is over.
 */
export function lastSetOf(type: Command['type'], { setPoints, outcomes, now }: Known): LastSet | undefined {
  const held = setPoints.find((one) => one.type === type);
  if (held !== undefined)
    return held.state === 'in_force' ? { command: held.command, at: held.since, isHeld: true } : undefined;
  for (const { type: outcome, occurred_at: at, data } of outcomes) {
    const { command } = data as { readonly command: Command };
    if (command.type !== type || outcome === 'command.failed') continue;
    const seconds = 'for_seconds' in command ? command.for_seconds : undefined;
    const isOver = seconds !== undefined && Date.parse(at) + seconds * 1_000 <= now;
    return outcome === 'command.succeeded' && !isOver ? { command, at, isHeld: false } : undefined;
  }
  return undefined;
}

/** The number that a field is set to, in the unit that is typed. */
export function numberIn(
  set: LastSet | undefined,
  { name, perUnit }: { readonly name: string; readonly perUnit: number },
): number | undefined {
  const value = Object.entries(set?.command ?? {}).find(([field]) => field === name)?.[1];
  return typeof value === 'number' ? value / perUnit : undefined;
}

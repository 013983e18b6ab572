import { dataOf, type LoggedEvent } from '../api/shapes.ts';
import { describeCommand } from '../device/commands.ts';
import { energy, foreign, percent, power, temperature } from '../format.ts';
import { words } from '../words/index.ts';

const MOST_CHANGES = 3;
const FORMATS: Readonly<Record<string, (value: number) => string>> = {
  power_w: power,
  production_w: power,
  battery_soc: percent,
  temperature_milli_c: temperature,
  energy_wh: energy,
};

/** What an event says, in a line. */
export function describeEvent(event: LoggedEvent): string {
  const change = dataOf(event, 'device.state_changed');
  if (change !== undefined) return describeChanges(change.changes);
  const removal = dataOf(event, 'device.removed');
  if (removal !== undefined) return words.events.removedBecause[removal.reason];
  switch (event.type) {
    case 'command.succeeded':
    case 'command.failed':
    case 'command.outcome_unknown': {
      const { command } = event.data as { command: { type: string } };
      return describeCommand(command);
    }
    case 'link_session.failed':
      return foreign(String(event.data.reason ?? ''));
    case 'intervention.opened':
    case 'intervention.resolved':
      return foreign(String(event.data.code ?? ''));
    default:
      return '';
  }
}

function describeChanges(
  changes: Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>,
) {
  const names: Readonly<Record<string, string>> = words.device.fields;
  const all = Object.entries(changes);
  const shown = all
    .slice(0, MOST_CHANGES)
    .map(([field, { to }]) => `${names[field] ?? field}: ${shownValue(field, to)}`);
  const more = all.length - shown.length;
  return [...shown, ...(more > 0 ? [words.overview.andMore(String(more))] : [])].join(', ');
}

function shownValue(field: string, value: unknown): string {
  if (typeof value === 'boolean') return value ? words.device.yes : words.device.no;
  const format = FORMATS[field];
  if (typeof value === 'number') return format === undefined ? String(value) : format(value);
  return value === null ? words.none : foreign(String(value));
}

import type { DeviceState, Reading } from '../api/shapes.ts';
import { ampere, duration, energy, foreign, percent, power, temperature } from '../format.ts';
import { type Fact, Facts } from '../parts/facts.tsx';
import { words } from '../words/index.ts';

const texts = words.device;
const yesNo = (value: boolean) => (value ? texts.yes : texts.no);

interface StateProps {
  readonly state: DeviceState;
  readonly capacity: Reading['available_capacity'];
}

/** The values of a device; a value that it does not have is not shown. */
export function StateFigures({ state, capacity }: StateProps) {
  const figures = figuresOf(state);
  const others = othersOf(state, capacity);
  return (
    <>
      {figures.length === 0 ? null : (
        <dl class="figures">
          {figures.map(([name, value, note]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                {value}
                {note === undefined ? null : <span class="small soft"> {note}</span>}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {others.length === 0 ? null : <Facts facts={others} />}
    </>
  );
}

type Figure = readonly [name: string, value: string, note?: string];

function figuresOf(state: DeviceState): readonly Figure[] {
  const { fields } = texts;
  const shown = (
    value: number | null | undefined,
    name: string,
    format: (value: number) => string,
    note?: string,
  ): Figure[] =>
    typeof value !== 'number'
      ? []
      : [note === undefined ? [name, format(value)] : [name, format(value), note]];
  const watts = state.power_w;
  return [
    ...shown(
      typeof watts === 'number' ? Math.abs(watts) : watts,
      fields.power_w,
      power,
      typeof watts === 'number' && watts < 0 ? texts.givenBack : undefined,
    ),
    ...shown(state.production_w, fields.production_w, power),
    ...shown(state.battery_soc, fields.battery_soc, percent),
    ...shown(state.temperature_milli_c, fields.temperature_milli_c, temperature),
    ...shown(state.energy_wh, fields.energy_wh, energy),
    ...shown(state.remaining_seconds, fields.remaining_seconds, duration),
  ];
}

function othersOf(state: DeviceState, capacity: Reading['available_capacity']): readonly Fact[] {
  const { fields } = texts;
  const flag = (value: boolean | null | undefined, name: string, word = yesNo): Fact[] =>
    typeof value === 'boolean' ? [[name, word(value)]] : [];
  const room = [
    ...(typeof capacity?.current_a === 'number' ? [ampere(capacity.current_a)] : []),
    ...(typeof capacity?.power_w === 'number' ? [power(capacity.power_w)] : []),
  ];
  return [
    ...flag(state.charging, fields.charging),
    ...flag(state.connected, fields.connected),
    ...flag(state.power_on, fields.power_on),
    ...flag(state.door_open, fields.door_open, (isOpen) => (isOpen ? texts.open : texts.closed)),
    ...(state.operation_state ? [[fields.operation_state, foreign(state.operation_state)] as const] : []),
    ...(room.length === 0 ? [] : [[fields.available_a, room.join(', ')] as const]),
  ];
}

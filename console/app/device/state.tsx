import type { DeviceState, Reading } from '../api/shapes.ts';
import { ampere, foreign, power } from '../format.ts';
import { type Fact, Facts } from '../parts/texts.tsx';
import { words } from '../words/index.ts';
import { type FieldOf, fieldsOf, nameOf, UNIT_NAMES, UNITS } from './fields.ts';

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
  return UNIT_NAMES.flatMap((unit) =>
    fieldsOf(unit).flatMap((field): Figure[] => {
      const value = state[field];
      if (typeof value !== 'number') return [];
      const { format } = UNITS[unit];
      return field === 'power_w' && value < 0
        ? [[nameOf(field), format(-value), texts.givenBack]]
        : [[nameOf(field), format(value)]];
    }),
  );
}

/** The words of each flag, in the order in which they are shown. */
const FLAGS: Readonly<Record<FieldOf<'flag'>, (value: boolean) => string>> = {
  charging: yesNo,
  connected: yesNo,
  power_on: yesNo,
  door_open: (isOpen) => (isOpen ? texts.open : texts.closed),
};

function othersOf(state: DeviceState, capacity: Reading['available_capacity']): readonly Fact[] {
  const flags = (Object.keys(FLAGS) as FieldOf<'flag'>[]).flatMap((field): Fact[] => {
    const value = state[field];
    return typeof value === 'boolean' ? [[nameOf(field), FLAGS[field](value)]] : [];
  });
  const said = fieldsOf('text').flatMap((field): Fact[] => {
    const value = state[field];
    return value ? [[nameOf(field), foreign(value)]] : [];
  });
  const room = [
    ...(typeof capacity?.current_a === 'number' ? [ampere(capacity.current_a)] : []),
    ...(typeof capacity?.power_w === 'number' ? [power(capacity.power_w)] : []),
  ];
  return [...flags, ...said, ...(room.length === 0 ? [] : [[texts.available, room.join(', ')] as const])];
}

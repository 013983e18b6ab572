import { useId, useState } from 'preact/hooks';
import type { Device } from '../api/shapes.ts';
import { foreign } from '../format.ts';
import { keyOf } from '../live/devices.ts';
import { SelectInput, TextInput } from '../parts/inputs.tsx';
import { words } from '../words/index.ts';
import { BATTERY_FIELDS, type FieldName, POWER_FIELDS, SETTINGS } from './car.ts';
import { type Choices, FORGOTTEN, type Read } from './choices.ts';
import { type AreaSource, MOST_CARS, type useCars } from './known.ts';

const texts = words.planner;
const AREAS = Object.entries(words.links.areas);
const PHASES = ['1', '2', '3'].map((one) => [one, one] as const);

interface FormProps {
  readonly area: string;
  readonly areaFrom: AreaSource;
  readonly cars: ReturnType<typeof useCars>;
  /** The car that is chosen, where it is known. */
  readonly device: Device | undefined;
  readonly choices: Choices;
  readonly read: Read;
  /** Where the value of a field comes from, in words. */
  readonly hintOf: (name: FieldName) => string;
  readonly deadline: number;
  readonly onChange: (changes: Choices) => void;
}

/** Where, which car, how much and when. */
export function ChargeForm(props: FormProps) {
  const { area, areaFrom, cars, choices, read, hintOf, deadline, onChange } = props;
  const chosen = choices.device === undefined ? '' : keyOf(choices.vendor ?? '', choices.device);
  const field = (name: FieldName) =>
    name === 'phases' ? (
      <SelectInput
        key={name}
        label={texts.fields.phases}
        hint={hintOf(name)}
        value={read.texts.phases}
        options={PHASES}
        onChange={(value) => onChange({ phases: value })}
      />
    ) : (
      <TextInput
        key={name}
        label={texts.fields[name]}
        hint={hintOf(name)}
        text={read.texts[name]}
        fault={read.faults[name] ?? ''}
        most={20}
        inputMode="decimal"
        onInput={(text) => onChange({ [name]: text })}
      />
    );
  return (
    <form class="plan-form" onSubmit={(event) => event.preventDefault()}>
      <SelectInput
        isWide
        label={texts.area}
        hint={texts.areaFrom[areaFrom]}
        value={area}
        options={AREAS}
        onChange={(value) => onChange({ area: value })}
      />
      <SelectInput
        isWide
        label={texts.car}
        hint={cars.length > MOST_CARS ? texts.moreCars : ''}
        value={chosen}
        options={optionsOf(props)}
        onChange={(value) => {
          const car = cars.find(({ vendor, id }) => keyOf(vendor, id) === value);
          onChange({ ...FORGOTTEN, vendor: car?.vendor, device: car?.id });
        }}
      />
      <TimeInput
        label={texts.from}
        hint={texts.fromHint}
        at={read.from}
        onInput={(at) => onChange({ from: at === undefined ? undefined : new Date(at).toISOString() })}
      />
      <TimeInput
        label={texts.deadline}
        hint={texts.deadlineHint}
        at={deadline}
        onInput={(at) => onChange({ by: at === undefined ? undefined : new Date(at).toISOString() })}
      />
      {BATTERY_FIELDS.map(field)}
      <SelectInput
        isWide
        label={texts.setting}
        hint={texts.settingHints[read.setting]}
        value={read.setting}
        options={SETTINGS.map((one) => [one, texts.settings[one]])}
        onChange={(value) => onChange({ set: value })}
      />
      {POWER_FIELDS[read.setting].map(field)}
    </form>
  );
}

function optionsOf({ cars, device, choices }: FormProps): readonly (readonly [string, string])[] {
  const listed = cars.slice(0, MOST_CARS);
  const { vendor = '', device: id } = choices;
  const isListed = id === undefined || listed.some((one) => one.vendor === vendor && one.id === id);
  const nameOf = ({ name, id, device_type }: (typeof cars)[number]) =>
    `${foreign(name ?? '') || foreign(id)} (${words.types[device_type]})`;
  const optionOf = (one: (typeof cars)[number]) => [keyOf(one.vendor, one.id), nameOf(one)] as const;
  const chosen = isListed
    ? []
    : [device === undefined ? ([keyOf(vendor, id), foreign(id)] as const) : optionOf(device)];
  return [['', texts.byHand], ...chosen, ...listed.map(optionOf)];
}

interface TimeInputProps {
  readonly label: string;
  readonly hint: string;
  /** ms since 1970 */
  readonly at: number | undefined;
  readonly onInput: (at: number | undefined) => void;
}

/** A moment, in the zone of the browser. */
function TimeInput({ label, hint, at, onInput }: TimeInputProps) {
  const id = useId();
  // Such as a date without its day. The field keeps it for as long as it is given no other value.
  const [isPartial, setPartial] = useState(false);
  return (
    <div class="field field-wide">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="datetime-local"
        value={at === undefined || isPartial ? '' : localText(at)}
        aria-describedby={`${id}-hint`}
        onInput={({ currentTarget: { value, validity } }) => {
          setPartial(validity.badInput);
          if (validity.badInput) return;
          const moment = new Date(value).getTime();
          if (value === '' || !Number.isNaN(moment)) onInput(value === '' ? undefined : moment);
        }}
        onBlur={() => setPartial(false)}
      />
      <span id={`${id}-hint`} class="hint">
        {hint}
      </span>
    </div>
  );
}

const padded = (value: number, digits = 2): string => String(value).padStart(digits, '0');

/** As in 2026-11-23T07:00, in the zone of the browser. */
function localText(moment: number): string {
  const at = new Date(moment);
  const day = [padded(at.getFullYear(), 4), padded(at.getMonth() + 1), padded(at.getDate())].join('-');
  return `${day}T${padded(at.getHours())}:${padded(at.getMinutes())}`;
}

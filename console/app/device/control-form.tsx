import { useState } from 'preact/hooks';
import type { Command } from '../api/shapes.ts';
import { count, numberTyped, typedNumber } from '../format.ts';
import { ActionButton } from '../parts/action.tsx';
import { Form } from '../parts/form.tsx';
import { TextInput } from '../parts/inputs.tsx';
import { words } from '../words/index.ts';
import type { Control, NumberField } from './commands.ts';
import { type LastSet, numberIn } from './last-set.ts';

const texts = words.control;
type FormControl = Extract<Control, { readonly fields: readonly NumberField[] }>;
const MINUTES = { least: 1, most: 1_440 };
/** A number is typed as a text, which takes a comma or a point. */
const AS_NUMBER = { inputMode: 'decimal', most: 20 } as const;

interface ControlFormProps {
  readonly control: FormControl;
  readonly isSending: boolean;
  /** What the fields have until something is typed. */
  readonly set: LastSet | undefined;
  readonly onEdit: () => void;
  readonly onSend: (command: Command) => Promise<boolean>;
}

/** A command with values: checked against the limits of the device before it is sent. */
export function ControlForm({ control, isSending, set, onEdit, onSend }: ControlFormProps) {
  const [edited, setEdited] = useState<Readonly<Record<string, string>>>({});
  const [color, setColor] = useState<string>();
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const given = givenBy(control, set);
  const typed = { ...given, ...edited };
  const isTyped =
    color !== undefined || Object.entries(edited).some(([name, text]) => text !== (given[name] ?? ''));

  const type = (name: string, text: string) => {
    setEdited({ ...edited, [name]: text });
    onEdit();
    setFaults({ ...faults, [name]: '' });
  };
  const submit = () => {
    if (isSending) return;
    const read = readForm(control, typed, color);
    setFaults(read.faults);
    if (read.command === undefined) return;
    // What did not arrive stays, to be corrected or sent again, and so does what was typed meanwhile.
    void onSend(read.command).then((isDone) => {
      if (!isDone) return;
      setEdited((now) => (now === edited ? {} : now));
      setColor((now) => (now === color ? undefined : now));
    });
  };
  return (
    <Form class="control-form" isTyped={isTyped} onSubmit={submit}>
      {control.fields.map((field) => (
        <TextInput
          {...AS_NUMBER}
          key={field.name}
          label={texts.fields[field.name]}
          hint={[rangeOf(field), field.hint].filter(Boolean).join('. ')}
          text={typed[field.name] ?? ''}
          fault={faults[field.name] ?? ''}
          onInput={(text) => type(field.name, text)}
        />
      ))}
      {control.hasColor === true ? <ColorInput color={color} onInput={setColor} /> : null}
      {control.isTimed === true ? (
        <TextInput
          {...AS_NUMBER}
          label={texts.forMinutes}
          hint={texts.forMinutesHint}
          text={typed.minutes ?? ''}
          fault={faults.minutes ?? ''}
          onInput={(text) => type('minutes', text)}
        />
      ) : null}
      <ActionButton tone="primary" isBusy={isSending}>
        {texts.send}
      </ActionButton>
    </Form>
  );
}

/** What the fields are set to, as it would be typed. */
function givenBy({ fields }: FormControl, set: LastSet | undefined): Readonly<Record<string, string>> {
  const texts = fields.map((field) => [field.name, numberIn(set, field)] as const);
  return Object.fromEntries(
    texts.flatMap(([name, value]) => (value === undefined ? [] : [[name, typedNumber(value)]])),
  );
}

const WARM_WHITE = '#ffd6aa';

function ColorInput({
  color,
  onInput,
}: {
  readonly color: string | undefined;
  readonly onInput: (color: string | undefined) => void;
}) {
  return (
    <div class="field">
      <label class="check">
        <input
          type="checkbox"
          checked={color !== undefined}
          onChange={(event) => onInput(event.currentTarget.checked ? WARM_WHITE : undefined)}
        />
        {texts.setColor}
      </label>
      {color === undefined ? null : (
        <input
          type="color"
          class="color"
          aria-label={texts.fields.color}
          value={color}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </div>
  );
}

function rangeOf({ least, most }: Pick<NumberField, 'least' | 'most'>): string {
  if (least !== undefined && most !== undefined) return texts.range(count(least), count(most));
  if (least !== undefined) return texts.least(count(least));
  return most === undefined ? '' : texts.most(count(most));
}

interface ReadForm {
  readonly command?: Command;
  readonly faults: Readonly<Record<string, string>>;
}

function readForm(
  control: FormControl,
  typed: Readonly<Record<string, string>>,
  color: string | undefined,
): ReadForm {
  const faults: Record<string, string> = {};
  const numbers: Record<string, number> = {};
  for (const field of control.fields) {
    const text = (typed[field.name] ?? '').trim();
    if (text === '') continue;
    const value = numberTyped(text);
    const fault = faultOf(value, field);
    if (fault === '' && value !== undefined) numbers[field.name] = Math.round(value * field.perUnit);
    else faults[field.name] = fault;
  }
  const minutes = (typed.minutes ?? '').trim();
  const forMinutes = numberTyped(minutes);
  const fault = minutes === '' ? '' : faultOf(forMinutes, { ...MINUTES, perUnit: 1 });
  if (fault !== '') faults.minutes = fault;
  if (Object.keys(faults).length > 0) return { faults };
  const [first] = control.fields;
  if (Object.keys(numbers).length === 0 && color === undefined)
    return { faults: first === undefined ? {} : { [first.name]: texts.unchanged } };
  const values = {
    numbers,
    ...(color === undefined ? {} : { color: rgbOf(color) }),
    ...(forMinutes === undefined ? {} : { forSeconds: forMinutes * 60 }),
  };
  return { command: control.build(values), faults };
}

type Bounds = Pick<NumberField, 'least' | 'most' | 'perUnit' | 'also'>;

function faultOf(value: number | undefined, { least, most, perUnit, also }: Bounds): string {
  if (value === undefined || !Number.isFinite(value)) return perUnit === 1_000 ? texts.number : texts.whole;
  if (perUnit !== 1_000 && !Number.isInteger(value)) return texts.whole;
  if (value === also) return '';
  const isWithin = (least === undefined || value >= least) && (most === undefined || value <= most);
  return isWithin ? '' : rangeOf({ least, most });
}

const rgbOf = (color: string): readonly [number, number, number] => {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
};

import { useId, useState } from 'preact/hooks';
import { call, Refused } from '../api/call.ts';
import { invalidate } from '../api/queries.ts';
import type { Operations } from '../api/types.ts';
import { ActionButton, useAction } from '../parts/action.tsx';
import { Failure } from '../parts/failure.tsx';
import { Form, fieldOf } from '../parts/form.tsx';
import { TextInput } from '../parts/inputs.tsx';
import { words } from '../words/index.ts';
import { OWN, Preview } from './preview.tsx';

const texts = words.brand;
const LONGEST_NAME = 60;
const LONGEST_COLOR = 20;
const COLOR = /^#[0-9a-f]{6}$/;
const LONGEST_ADDRESS = 500;
const ADDRESSES = ['privacy_url', 'terms_url'] as const;
export const FIELDS = ['name', 'color', ...ADDRESSES] as const;
const NO_FAULTS = { name: '', color: '', privacy_url: '', terms_url: '' };

export type Brand = Operations['GET /account/brand']['response'];

interface BrandFormProps {
  readonly saved: Brand;
  readonly onTyped: () => void;
  readonly onSaved: (brand: Brand) => void;
}

/** A name and a colour, with how they look, and what the link pages lead to. */
export function BrandForm({ saved, onTyped, onSaved }: BrandFormProps) {
  const [name, setName] = useState(saved.name ?? '');
  const [color, setColor] = useState(saved.color ?? '');
  const [isPlain, setPlain] = useState(saved.color === null);
  const [addresses, setAddresses] = useState(addressesOf(saved));
  const [faults, setFaults] = useState(NO_FAULTS);
  const { run, isBusy, error } = useAction();
  const written = writtenAs(color);
  const isColor = COLOR.test(written);
  const typed = (change: () => void) => {
    change();
    setFaults(NO_FAULTS);
    onTyped();
  };
  const save = async () => {
    try {
      const body = { name: name.trim(), color: isPlain ? null : written, ...addresses };
      return (await call('PUT /account/brand', { body })).body;
    } catch (thrown) {
      const field = thrown instanceof Refused ? fieldOf(thrown, FIELDS) : undefined;
      if (field === undefined) throw thrown;
      setFaults({ ...NO_FAULTS, [field]: texts.faults[field] });
      return undefined;
    }
  };
  const submit = async () => {
    const found = {
      ...NO_FAULTS,
      name: name.trim() === '' ? texts.faults.name : '',
      color: isPlain || isColor ? '' : texts.faults.color,
    };
    setFaults(found);
    if (found.name !== '' || found.color !== '') return;
    const brand = await run(save);
    if (brand === undefined) return;
    // What was typed meanwhile stays.
    setName((now) => (now === name ? (brand.name ?? '') : now));
    setColor((now) => (now === color ? (brand.color ?? '') : now));
    setAddresses((now) => (now === addresses ? addressesOf(brand) : now));
    invalidate('GET /account/brand');
    onSaved(brand);
  };
  const isTyped =
    name !== (saved.name ?? '') ||
    (isPlain ? '' : color) !== (saved.color ?? '') ||
    ADDRESSES.some((field) => addresses[field] !== (saved[field] ?? ''));
  return (
    <Form class="card brand-form" isTyped={isTyped} onSubmit={() => void submit()}>
      <TextInput
        {...{ label: texts.name, hint: texts.nameHint, text: name, fault: faults.name, most: LONGEST_NAME }}
        onInput={(text) => typed(() => setName(text))}
      />
      <ColorFields
        {...{ color, isPlain, fault: faults.color }}
        onChange={(next, isNextPlain) =>
          typed(() => {
            setColor(next);
            setPlain(isNextPlain);
          })
        }
      />
      {ADDRESSES.map((field) => (
        <TextInput
          key={field}
          {...{ label: texts.addresses[field], hint: texts.addressHint, text: addresses[field] }}
          fault={faults[field]}
          inputMode="url"
          most={LONGEST_ADDRESS}
          onInput={(text) => typed(() => setAddresses({ ...addresses, [field]: text }))}
        />
      ))}
      <Preview name={name} color={isPlain || !isColor ? undefined : written} />
      {error === undefined ? null : <Failure title={texts.notSaved} error={error} />}
      <div class="row">
        <ActionButton tone="primary" isBusy={isBusy}>
          {texts.save}
        </ActionButton>
      </div>
    </Form>
  );
}

const writtenAs = (color: string): string => color.trim().toLowerCase();

interface ColorFieldsProps {
  readonly color: string;
  /** Whether it is the colour of elnav, whatever is typed. */
  readonly isPlain: boolean;
  readonly fault: string;
  readonly onChange: (color: string, isPlain: boolean) => void;
}

/** A colour, typed or picked, or none of one's own. */
function ColorFields({ color, isPlain, fault, onChange }: ColorFieldsProps) {
  const id = useId();
  const written = writtenAs(color);
  return (
    <>
      <div class="brand-color">
        <TextInput
          {...{ label: texts.color, hint: texts.colorHint, text: color, fault, most: LONGEST_COLOR }}
          onInput={(text) => onChange(text, text === '')}
        />
        <label for={id} class="hidden-visually">
          {texts.pick}
        </label>
        <input
          id={id}
          class="color"
          type="color"
          value={COLOR.test(written) ? written : OWN?.light.fill}
          onInput={({ currentTarget }) => onChange(currentTarget.value, false)}
        />
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={isPlain}
          onChange={({ currentTarget }) => onChange(color, currentTarget.checked)}
        />
        {texts.plain}
      </label>
    </>
  );
}

const addressesOf = ({ privacy_url, terms_url }: Brand) => ({
  privacy_url: privacy_url ?? '',
  terms_url: terms_url ?? '',
});

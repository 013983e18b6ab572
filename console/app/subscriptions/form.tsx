import { useEffect, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import type { EventType } from '../api/shapes.ts';
import type { Operations } from '../api/types.ts';
import { ALL_TYPES } from '../events/read.ts';
import { useAction } from '../parts/action.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Failure } from '../parts/failure.tsx';
import { usePanelFocus } from '../parts/panel-focus.ts';
import { TextInput } from '../parts/text-input.tsx';
import { keepTyped } from '../session.ts';
import { words } from '../words/index.ts';

const texts = words.subscriptions;
type Made = Operations['POST /subscriptions']['response'];
type Signature = Made['signature'];
const SIGNATURES: readonly Signature[] = ['hmac-sha256', 'ed25519'];
const LONGEST_URL = 2_000;
const LONGEST_NAME = 200;

interface SubscriptionFormProps {
  readonly onMade: (made: Made) => void;
  readonly onCancel: () => void;
}

/** Where events are posted, and which. */
export function SubscriptionForm({ onMade, onCancel }: SubscriptionFormProps) {
  const [url, setUrl] = useState('');
  const [fault, setFault] = useState('');
  const [types, setTypes] = useState<readonly EventType[]>([]);
  const [device, setDevice] = useState('');
  const [user, setUser] = useState('');
  const [signature, setSignature] = useState<Signature>('hmac-sha256');
  const { run, isBusy, error } = useAction();
  const form = usePanelFocus<HTMLFormElement>('input');
  const isTyped = [url, device, user].some((text) => text !== '') || types.length > 0;
  useEffect(() => (isTyped ? keepTyped() : undefined), [isTyped]);

  const submit = async () => {
    if (!URL.canParse(url.trim())) {
      setFault(texts.urlFault);
      form.current?.querySelector('input')?.focus();
      return;
    }
    const body = {
      url: url.trim(),
      signature,
      types: types.length === 0 ? null : [...types],
      device: device.trim() === '' ? null : device.trim(),
      user_ref: user.trim() === '' ? null : user.trim(),
    };
    const made = await run(() => call('POST /subscriptions', { body }));
    if (made !== undefined) onMade(made.body);
  };
  return (
    <section class="card" aria-labelledby="make">
      <h2 id="make">{texts.make}</h2>
      <form
        ref={form}
        class="stack-small"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <TextInput
          {...{
            label: texts.url,
            hint: texts.urlHint,
            text: url,
            fault,
            most: LONGEST_URL,
            inputMode: 'url',
          }}
          onInput={(text) => {
            setUrl(text);
            setFault('');
          }}
        />
        <Types chosen={types} onChange={setTypes} />
        <TextInput
          {...{ label: texts.device, hint: texts.filterHint, text: device, most: LONGEST_NAME }}
          onInput={setDevice}
        />
        <TextInput
          {...{ label: texts.user, hint: texts.filterHint, text: user, most: LONGEST_NAME }}
          onInput={setUser}
        />
        <fieldset>
          <legend>{texts.signature}</legend>
          {SIGNATURES.map((one) => (
            <label key={one} class="check">
              <input
                type="radio"
                name="signature"
                checked={signature === one}
                onChange={() => setSignature(one)}
              />
              {texts.signatures[one]}
            </label>
          ))}
        </fieldset>
        {error === undefined ? null : <Failure title={texts.notMade} error={error} />}
        <div class="row">
          <button type="submit" class="button button-primary button-small" aria-disabled={isBusy}>
            {texts.save}
          </button>
          <ActionButton onClick={onCancel}>{words.once.cancel}</ActionButton>
        </div>
      </form>
    </section>
  );
}

interface TypesProps {
  readonly chosen: readonly EventType[];
  readonly onChange: (types: readonly EventType[]) => void;
}

function Types({ chosen, onChange }: TypesProps) {
  return (
    <details>
      <summary>{chosen.length === 0 ? texts.allTypes : texts.someTypes(String(chosen.length))}</summary>
      <fieldset>
        <legend class="hint">{texts.typesHint}</legend>
        {ALL_TYPES.map((type) => (
          <label key={type} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(type)}
              onChange={({ currentTarget }) => {
                const others = chosen.filter((one) => one !== type);
                onChange(currentTarget.checked ? [...others, type] : others);
              }}
            />
            <span>
              {words.eventTypes[type]} <code>{type}</code>
            </span>
          </label>
        ))}
      </fieldset>
    </details>
  );
}

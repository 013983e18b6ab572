import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { invalidate } from '../api/queries.ts';
import type { EventType, Subscription } from '../api/shapes.ts';
import type { Operations } from '../api/types.ts';
import { ALL_TYPES } from '../events/read.ts';
import { useAction } from '../parts/action.tsx';
import { TextInput } from '../parts/inputs.tsx';
import { PanelForm } from '../parts/panel.tsx';
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

interface Target {
  readonly url: string;
  readonly types: readonly EventType[];
  readonly device: string;
  readonly user: string;
}

const NOWHERE: Target = { url: '', types: [], device: '', user: '' };
const bodyOf = ({ url, types, device, user }: Target) => ({
  url: url.trim(),
  types: types.length === 0 ? null : [...types],
  device: device.trim() === '' ? null : device.trim(),
  user_ref: user.trim() === '' ? null : user.trim(),
});
const targetOf = ({ url, types, device, user_ref: user }: Subscription): Target => ({
  url,
  types: ALL_TYPES.filter((type) => types?.includes(type) ?? false),
  device: device ?? '',
  user: user ?? '',
});

/** A new subscription. */
export function SubscriptionForm({ onMade, onCancel }: SubscriptionFormProps) {
  const target = useTarget(NOWHERE);
  const [signature, setSignature] = useState<Signature>('hmac-sha256');
  const action = useAction();
  const submit = async () => {
    if (!target.isValid()) return;
    const made = await action.run(() =>
      call('POST /subscriptions', { body: { ...bodyOf(target.shown), signature } }),
    );
    if (made !== undefined) onMade(made.body);
  };
  return (
    <PanelForm {...{ texts, isTyped: target.isTyped, action, onCancel }} onSubmit={() => void submit()}>
      <TargetFields target={target} />
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
    </PanelForm>
  );
}

const EDIT_TEXTS = { make: texts.edit, save: texts.saveChanges, notMade: texts.notChanged };

interface EditProps {
  readonly subscription: Subscription;
  readonly onDone: () => void;
}

/** Another address, or other events, of a subscription. */
export function SubscriptionEdit({ subscription, onDone }: EditProps) {
  const target = useTarget(targetOf(subscription));
  const action = useAction();
  const submit = async () => {
    if (!target.isValid()) return;
    const changed = await action.run(() =>
      call('PATCH /subscriptions/{id}', { path: [subscription.id], body: bodyOf(target.shown) }),
    );
    if (changed === undefined) return;
    invalidate('GET /subscriptions');
    onDone();
  };
  return (
    <PanelForm
      {...{ texts: EDIT_TEXTS, isTyped: target.isTyped, action, onCancel: onDone }}
      onSubmit={() => void submit()}
    >
      <p class="hint">{texts.editText}</p>
      <TargetFields target={target} />
    </PanelForm>
  );
}

/** What is typed of a target. */
function useTarget(initial: Target) {
  const [first] = useState(initial);
  const [shown, setShown] = useState(initial);
  const [fault, setFault] = useState('');
  return {
    shown,
    fault,
    isTyped: JSON.stringify(shown) !== JSON.stringify(first),
    set(changes: Partial<Target>): void {
      setShown({ ...shown, ...changes });
      if (changes.url !== undefined) setFault('');
    },
    /** Says what is wrong where it is not. */
    isValid(): boolean {
      const isUrl = URL.canParse(shown.url.trim());
      if (!isUrl) setFault(texts.urlFault);
      return isUrl;
    },
  };
}

/** Where events are posted, and which. */
function TargetFields({ target }: { readonly target: ReturnType<typeof useTarget> }) {
  const { shown, fault, set } = target;
  return (
    <>
      <TextInput
        {...{
          label: texts.url,
          hint: texts.urlHint,
          text: shown.url,
          fault,
          most: LONGEST_URL,
          inputMode: 'url',
        }}
        onInput={(url) => set({ url })}
      />
      <Types chosen={shown.types} onChange={(types) => set({ types })} />
      <TextInput
        {...{ label: texts.device, hint: texts.filterHint, text: shown.device, most: LONGEST_NAME }}
        onInput={(device) => set({ device })}
      />
      <TextInput
        {...{ label: texts.user, hint: texts.filterHint, text: shown.user, most: LONGEST_NAME }}
        onInput={(user) => set({ user })}
      />
    </>
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

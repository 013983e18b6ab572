import { useId, useState } from 'preact/hooks';
import { call, newIdempotencyKey, Refused } from '../api/call.ts';
import { invalidate } from '../api/queries.ts';
import type { Scope } from '../api/shapes.ts';
import type { Operations } from '../api/types.ts';
import { useAction } from '../parts/action.tsx';
import { Copyable } from '../parts/copyable.tsx';
import { fieldOf } from '../parts/form.tsx';
import { TextInput } from '../parts/inputs.tsx';
import { PanelForm, ShownOnce } from '../parts/panel.tsx';
import { words } from '../words/index.ts';

const texts = words.keys;

export type Made = Operations['POST /account/keys']['response'];

/** A new key, which is nowhere else. */
export function MadeKey({ made, onDone }: { readonly made: Made; readonly onDone: () => void }) {
  const command = `curl -H 'X-Api-Key: ${made.api_key}' ${location.origin}/account`;
  return (
    <ShownOnce title={texts.made} text={texts.madeText} onDone={onDone}>
      <Copyable act={texts.copyKey} text={made.api_key} />
      <p>{texts.tryIt}</p>
      <Copyable act={texts.copyCommand} text={command} />
    </ShownOnce>
  );
}

const scopesTexts = words.keys;

const SCOPES = Object.keys(scopesTexts.scopeWords) as readonly Scope[];

interface ScopesProps {
  readonly chosen: readonly Scope[];
  readonly fault: string;
  readonly onChange: (scopes: readonly Scope[]) => void;
}

/** What a key permits, each with what that is. */
function Scopes({ chosen, fault, onChange }: ScopesProps) {
  const id = useId();
  return (
    <fieldset aria-describedby={`${id}-hint`}>
      <legend>{scopesTexts.scopes}</legend>
      <p id={`${id}-hint`} class={fault === '' ? 'hint' : 'fault'}>
        {fault === '' ? scopesTexts.scopesHint : fault}
      </p>
      {SCOPES.map((scope) => (
        <label key={scope} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(scope)}
            aria-invalid={fault !== ''}
            aria-describedby={`${id}-${scope}`}
            onChange={({ currentTarget }) => {
              const others = chosen.filter((one) => one !== scope);
              onChange(currentTarget.checked ? [...others, scope] : others);
            }}
          />
          <span>
            {scopesTexts.scopeWords[scope]} <code class="small soft">{scope}</code>
            <span id={`${id}-${scope}`} class="hint scope-text">
              {scopesTexts.scopeTexts[scope]}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

const formTexts = words.keys;
const LONGEST_LABEL = 60;
/** What reads alone can do no harm to a device. */
const AT_FIRST: readonly Scope[] = ['devices:read'];

interface KeyFormProps {
  readonly onMade: (key: Made) => void;
  readonly onCancel: () => void;
}

/** The label of a key that is to be made, and what it permits. */
export function KeyForm({ onMade, onCancel }: KeyFormProps) {
  const [label, setLabel] = useState('');
  const [scopes, setScopes] = useState(AT_FIRST);
  const [faults, setFaults] = useState({ label: '', scopes: '' });
  // Sent again where the response was lost, so that no second key is made.
  const [wish, setWish] = useState(newIdempotencyKey);
  const action = useAction();
  const create = async () => {
    try {
      const body = { label: label.trim(), scopes: SCOPES.filter((one) => scopes.includes(one)) };
      return (await call('POST /account/keys', { body, idempotencyKey: wish })).body;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      setWish(newIdempotencyKey());
      invalidate('GET /account/keys');
      if (fieldOf(error, ['label']) === undefined) throw error;
      setFaults({ label: formTexts.labelFault, scopes: '' });
      return undefined;
    }
  };
  const submit = async () => {
    const found = {
      label: label.trim() === '' ? formTexts.labelFault : '',
      scopes: scopes.length === 0 ? formTexts.scopesFault : '',
    };
    setFaults(found);
    if (found.label !== '' || found.scopes !== '') return;
    const made = await action.run(create);
    if (made !== undefined) onMade(made);
  };
  return (
    <PanelForm
      {...{ texts: formTexts, action, onCancel }}
      isTyped={label !== '' || scopes !== AT_FIRST}
      onSubmit={() => void submit()}
    >
      <TextInput
        {...{ label: formTexts.label, hint: formTexts.labelHint, text: label, fault: faults.label }}
        most={LONGEST_LABEL}
        onInput={(text) => {
          setLabel(text);
          setFaults({ ...faults, label: '' });
        }}
      />
      <Scopes
        chosen={scopes}
        fault={faults.scopes}
        onChange={(next) => {
          setScopes(next);
          setFaults({ ...faults, scopes: '' });
        }}
      />
    </PanelForm>
  );
}

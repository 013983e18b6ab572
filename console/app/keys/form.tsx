import { useState } from 'preact/hooks';
import { call, newIdempotencyKey, Refused } from '../api/call.ts';
import { invalidate } from '../api/queries.ts';
import type { Scope } from '../api/shapes.ts';
import { useAction } from '../parts/action.ts';
import { fieldOf } from '../parts/field-of.ts';
import { PanelForm } from '../parts/panel-form.tsx';
import { TextInput } from '../parts/text-input.tsx';
import { words } from '../words/index.ts';
import type { Made } from './made.tsx';
import { SCOPES, Scopes } from './scopes.tsx';

const texts = words.keys;
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
      setFaults({ label: texts.labelFault, scopes: '' });
      return undefined;
    }
  };
  const submit = async () => {
    const found = {
      label: label.trim() === '' ? texts.labelFault : '',
      scopes: scopes.length === 0 ? texts.scopesFault : '',
    };
    setFaults(found);
    if (found.label !== '' || found.scopes !== '') return;
    const made = await action.run(create);
    if (made !== undefined) onMade(made);
  };
  return (
    <PanelForm
      {...{ texts, action, onCancel }}
      isTyped={label !== '' || scopes !== AT_FIRST}
      onSubmit={() => void submit()}
    >
      <TextInput
        {...{ label: texts.label, hint: texts.labelHint, text: label, fault: faults.label }}
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

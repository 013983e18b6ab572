import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { useAction } from '../parts/action.ts';
import { PanelForm } from '../parts/panel-form.tsx';
import { TextInput } from '../parts/text-input.tsx';
import { words } from '../words/index.ts';
import type { Pairing } from './pairing.tsx';

const texts = words.gateways;
const LONGEST_NAME = 60;

interface GatewayFormProps {
  readonly onMade: (pairing: Pairing) => void;
  readonly onCancel: () => void;
}

/** The name of a gateway that is to be made. */
export function GatewayForm({ onMade, onCancel }: GatewayFormProps) {
  const [name, setName] = useState('');
  const [fault, setFault] = useState('');
  const action = useAction();
  const submit = async () => {
    if (name.trim() === '') {
      setFault(texts.nameFault);
      return;
    }
    const made = await action.run(() => call('POST /gateways', { body: { name: name.trim() } }));
    if (made !== undefined) onMade(made.body);
  };
  return (
    <PanelForm {...{ texts, action, onCancel }} isTyped={name !== ''} onSubmit={() => void submit()}>
      <TextInput
        {...{ label: texts.name, hint: texts.nameHint, text: name, fault, most: LONGEST_NAME }}
        onInput={(text) => {
          setName(text);
          setFault('');
        }}
      />
    </PanelForm>
  );
}

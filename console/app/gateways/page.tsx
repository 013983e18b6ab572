import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { invalidate, useRead } from '../api/queries.ts';
import { useNow } from '../clock.ts';
import { useAction } from '../parts/action.tsx';
import { TextInput } from '../parts/inputs.tsx';
import { ItemsPage } from '../parts/items-page.tsx';
import { PanelForm } from '../parts/panel.tsx';
import { words } from '../words/index.ts';
import { GatewayItem, type Pairing, PairingCode } from './item.tsx';

const texts = words.gateways;
const LONGEST_NAME = 60;

interface GatewayFormProps {
  readonly onMade: (pairing: Pairing) => void;
  readonly onCancel: () => void;
}

/** The name of a gateway that is to be made. */
function GatewayForm({ onMade, onCancel }: GatewayFormProps) {
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

/** No event reports that a gateway connects: it is read again while the page is seen. */
const REFETCH_MS = 10_000;

/** The gateways in users' networks, and how each does. */
export function GatewaysPage() {
  const result = useRead('GET /gateways', {}, REFETCH_MS);
  const at = useNow(REFETCH_MS);
  const [made, setMade] = useState<Pairing>();
  return (
    <ItemsPage
      texts={words.gateways}
      result={result}
      item={(one) => <GatewayItem gateway={one} at={at} />}
      made={made === undefined ? null : <PairingCode pairing={made} onDone={() => setMade(undefined)} />}
      form={(close) => (
        <GatewayForm
          onCancel={close}
          onMade={(pairing) => {
            close();
            setMade(pairing);
            invalidate('GET /gateways');
          }}
        />
      )}
    />
  );
}

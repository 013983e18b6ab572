import { useEffect, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { useAction } from '../parts/action.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Failure } from '../parts/failure.tsx';
import { usePanelFocus } from '../parts/panel-focus.ts';
import { TextInput } from '../parts/text-input.tsx';
import { keepTyped } from '../session.ts';
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
  const { run, isBusy, error } = useAction();
  const form = usePanelFocus<HTMLFormElement>('input');
  useEffect(() => (name === '' ? undefined : keepTyped()), [name === '']);
  const submit = async () => {
    if (name.trim() === '') {
      setFault(texts.nameFault);
      return;
    }
    const made = await run(() => call('POST /gateways', { body: { name: name.trim() } }));
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
          {...{ label: texts.name, hint: texts.nameHint, text: name, fault, most: LONGEST_NAME }}
          onInput={(text) => {
            setName(text);
            setFault('');
          }}
        />
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

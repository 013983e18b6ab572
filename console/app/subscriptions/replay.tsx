import { useState } from 'preact/hooks';
import { ActionButton } from '../parts/action-button.tsx';
import { Form } from '../parts/form.tsx';
import { TextInput } from '../parts/text-input.tsx';
import { words } from '../words/index.ts';

const texts = words.subscriptions;
const LONGEST_CURSOR = 200;

interface ReplayProps {
  readonly isBusy: boolean;
  /** @param after a cursor of the events; null: from the oldest that is kept */
  readonly onReplay: (after: string | null) => void;
}

/** Delivers again from the oldest event, or after a cursor. */
export function Replay({ isBusy, onReplay }: ReplayProps) {
  const [cursor, setCursor] = useState('');
  const [isAll, setAll] = useState(true);
  const [fault, setFault] = useState('');
  const submit = () => {
    if (isBusy) return;
    if (isAll) onReplay(null);
    else if (cursor.trim() === '') setFault(texts.cursorFault);
    else onReplay(cursor.trim());
  };
  return (
    <Form isTyped={cursor !== ''} onSubmit={submit}>
      <p>{texts.replayText}</p>
      <fieldset>
        <legend>{texts.replayFrom}</legend>
        <label class="check">
          <input type="radio" name="from" checked={isAll} onChange={() => setAll(true)} />
          {texts.replayAll}
        </label>
        <label class="check">
          <input type="radio" name="from" checked={!isAll} onChange={() => setAll(false)} />
          {texts.replayAfter}
        </label>
      </fieldset>
      {isAll ? null : (
        <TextInput
          {...{ label: texts.cursor, hint: texts.cursorHint, text: cursor, fault, most: LONGEST_CURSOR }}
          onInput={(text) => {
            setCursor(text);
            setFault('');
          }}
        />
      )}
      <div class="row">
        <ActionButton isBusy={isBusy}>{texts.replayAct}</ActionButton>
      </div>
    </Form>
  );
}

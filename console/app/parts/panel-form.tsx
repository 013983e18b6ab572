import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { words } from '../words/index.ts';
import type { Action } from './action.ts';
import { ActionButton } from './action-button.tsx';
import { Failure } from './failure.tsx';
import { Form } from './form.tsx';
import { usePanelFocus } from './panel-focus.ts';

interface PanelFormProps {
  readonly texts: {
    readonly make: string;
    readonly save: string;
    /** The title of a failure. */
    readonly notMade: string;
  };
  readonly isTyped: boolean;
  readonly action: Pick<Action, 'isBusy' | 'error'>;
  readonly onSubmit: () => void;
  readonly onCancel: () => void;
  readonly children: ComponentChildren;
}

/** A panel in which something is made. Its first field has the focus as it opens; what had it before has it again as it closes. */
export function PanelForm({ texts, isTyped, action, onSubmit, onCancel, children }: PanelFormProps) {
  const label = useId();
  const panel = usePanelFocus<HTMLElement>('input');
  return (
    <section ref={panel} class="card" aria-labelledby={label}>
      <h2 id={label}>{texts.make}</h2>
      <Form isTyped={isTyped} onSubmit={onSubmit}>
        {children}
        {action.error === undefined ? null : <Failure title={texts.notMade} error={action.error} />}
        <div class="row">
          <ActionButton tone="primary" isBusy={action.isBusy}>
            {texts.save}
          </ActionButton>
          <ActionButton onClick={onCancel}>{words.once.cancel}</ActionButton>
        </div>
      </Form>
    </section>
  );
}

import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { keepTyped } from '../session.ts';
import { words } from '../words/index.ts';
import { type Action, ActionButton } from './action.tsx';
import { Failure } from './failure.tsx';
import { Form } from './form.tsx';
import { focusHeading } from './page.tsx';

/**
 * A panel that takes the focus when it opens, and gives it back to what had it when it closes.
 * @param selector what in it takes the focus; itself by default
 */
function usePanelFocus<T extends HTMLElement>(selector?: string) {
  const panel = useRef<T>(null);
  useLayoutEffect(() => {
    const own = panel.current;
    const before = document.activeElement;
    const target = selector === undefined ? own : own?.querySelector<HTMLElement>(selector);
    target?.focus();
    return () => {
      const focused = document.activeElement;
      // A user who has moved the focus elsewhere keeps it there.
      if (focused !== document.body && own?.contains(focused) !== true) return;
      if (before instanceof HTMLElement && before !== document.body && before.isConnected) before.focus();
      else focusHeading();
    };
  }, []);
  return panel;
}

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

interface ConfirmProps {
  readonly title: string;
  readonly text: string;
  /** What the button says that does it. */
  readonly act: string;
  readonly isBusy: boolean;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

/** Asks before something that cannot be undone. Escape leaves it. */
export function Confirm({ title, text, act, isBusy, onConfirm, onCancel }: ConfirmProps) {
  const id = useId();
  const panel = usePanelFocus<HTMLDivElement>();
  return (
    <div
      ref={panel}
      class="notice notice-bad"
      role="alertdialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      tabIndex={-1}
      onKeyDown={({ key }) => {
        if (key === 'Escape') onCancel();
      }}
    >
      <strong id={`${id}-title`}>{title}</strong>
      <p id={`${id}-text`}>{text}</p>
      <div class="row">
        <ActionButton tone="danger" isBusy={isBusy} onClick={onConfirm}>
          {act}
        </ActionButton>
        <ActionButton onClick={onCancel}>{words.once.cancel}</ActionButton>
      </div>
    </div>
  );
}

const texts = words.once;

interface ShownOnceProps {
  readonly title: string;
  readonly text: string;
  readonly children: ComponentChildren;
  readonly onDone: () => void;
}

/** What the service shows this once. It is nowhere but on this page, which is not reloaded by itself while it is shown. */
export function ShownOnce({ title, text, children, onDone }: ShownOnceProps) {
  const panel = usePanelFocus<HTMLElement>();
  useEffect(keepTyped, []);
  return (
    <section ref={panel} class="notice notice-note" aria-label={title} tabIndex={-1}>
      <strong>{title}</strong>
      <p>{text}</p>
      {children}
      <div class="row">
        <ActionButton onClick={onDone}>{texts.done}</ActionButton>
      </div>
    </section>
  );
}

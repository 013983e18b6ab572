import { useId } from 'preact/hooks';
import { words } from '../words/index.ts';
import { ActionButton } from './action-button.tsx';
import { usePanelFocus } from './panel-focus.ts';

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

import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { keepTyped } from '../session.ts';
import { words } from '../words/index.ts';
import { ActionButton } from './action-button.tsx';
import { usePanelFocus } from './panel-focus.ts';

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

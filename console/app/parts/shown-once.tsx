import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
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

/** What the service tells this once. It is nowhere but on this page, which is not left by itself while it stands there. */
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

/** A text to take away, with a button that copies it. */
export function Copyable({ label, text }: { readonly label: string; readonly text: string }) {
  const code = useRef<HTMLElement>(null);
  const [said, setSaid] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid(texts.copied);
    } catch {
      if (code.current !== null) getSelection()?.selectAllChildren(code.current);
      setSaid(words.events.notAllowed);
    }
  };
  return (
    <div class="stack-small">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <pre tabIndex={0}>
        <code ref={code}>{text}</code>
      </pre>
      <div class="row">
        <ActionButton onClick={() => void copy()}>{texts.copy(label)}</ActionButton>
        <span class="small soft" role="status">
          {said}
        </span>
      </div>
    </div>
  );
}

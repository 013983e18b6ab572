import { useEffect, useRef, useState } from 'preact/hooks';
import { words } from '../words/index.ts';
import { ActionButton } from './action.tsx';
import { Code } from './scrolled.tsx';

const texts = words.copying;

interface CopyableProps {
  readonly text: string;
  /** What the button says. */
  readonly act: string;
  /** What is said once it is copied. */
  readonly done?: string;
  /** Whether the text is broken where the line ends, instead of being scrolled. */
  readonly isWrapped?: boolean;
}

/** A text with a button that copies it. Where the browser does not allow that, the text is selected. */
export function Copyable({ text, act, done = texts.copied, isWrapped = false }: CopyableProps) {
  const code = useRef<HTMLElement>(null);
  const [said, setSaid] = useState('');
  useEffect(() => setSaid(''), [text]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid(done);
    } catch {
      if (code.current !== null) getSelection()?.selectAllChildren(code.current);
      setSaid(texts.notAllowed);
    }
  };
  return (
    <div class="stack-small">
      {isWrapped ? (
        <p class="address">
          <code ref={code}>{text}</code>
        </p>
      ) : (
        <Code text={text} place={code} />
      )}
      <div class="row">
        <ActionButton onClick={() => void copy()}>{act}</ActionButton>
        <span class="small soft" role="status">
          {said}
        </span>
      </div>
    </div>
  );
}

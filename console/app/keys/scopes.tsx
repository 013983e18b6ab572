import { useId } from 'preact/hooks';
import type { Scope } from '../api/shapes.ts';
import { words } from '../words/index.ts';

const texts = words.keys;

export const SCOPES = Object.keys(texts.scopeWords) as readonly Scope[];

interface ScopesProps {
  readonly chosen: readonly Scope[];
  readonly fault: string;
  readonly onChange: (scopes: readonly Scope[]) => void;
}

/** What a key permits, each with what that is. */
export function Scopes({ chosen, fault, onChange }: ScopesProps) {
  const id = useId();
  return (
    <fieldset aria-describedby={`${id}-hint`}>
      <legend>{texts.scopes}</legend>
      <p id={`${id}-hint`} class={fault === '' ? 'hint' : 'fault'}>
        {fault === '' ? texts.scopesHint : fault}
      </p>
      {SCOPES.map((scope) => (
        <label key={scope} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(scope)}
            aria-invalid={fault !== ''}
            aria-describedby={`${id}-${scope}`}
            onChange={({ currentTarget }) => {
              const others = chosen.filter((one) => one !== scope);
              onChange(currentTarget.checked ? [...others, scope] : others);
            }}
          />
          <span>
            {texts.scopeWords[scope]} <code class="small soft">{scope}</code>
            <span id={`${id}-${scope}`} class="hint scope-text">
              {texts.scopeTexts[scope]}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

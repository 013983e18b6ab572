import { useState } from 'preact/hooks';
import { Copyable } from '../parts/copyable.tsx';
import { words } from '../words/index.ts';
import type { Plans } from './plans.ts';

const texts = words.planner;

/** The same plan for a program: the request for a terminal, and the response. The key is a variable: this page has none. */
export function AsCode({ plans: { request, cheapest } }: { readonly plans: Plans }) {
  const [isOpen, setOpen] = useState(false);
  const command = [
    `curl -sS ${location.origin}/optimize/plan`,
    '-H "Authorization: Bearer $ELNAV_KEY" -H "content-type: application/json"',
    `-d '${JSON.stringify(request)}'`,
  ].join(' \\\n  ');
  return (
    <section class="stack-small" aria-labelledby="as-code">
      <h2 id="as-code">{texts.code}</h2>
      <p class="hint">{texts.codeText}</p>
      <Copyable text={command} act={words.events.copy} done={words.events.copied} />
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{texts.json}</summary>
        {isOpen ? (
          <Copyable text={JSON.stringify(cheapest, null, 2)} act={words.copying.copy('JSON')} />
        ) : null}
      </details>
    </section>
  );
}

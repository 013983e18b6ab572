import { type Html, html } from '../html.ts';

interface CodeOptions {
  readonly title: string;
  readonly text: string | Html;
  /** Whether the script fills in the page's address and the user's input. */
  readonly isCommand?: boolean;
}

/** A block of code with a title; the script adds a copy button. */
export function code({ title, text, isCommand = false }: CodeOptions): Html {
  return html`<figure class="code"><figcaption>${title}</figcaption><pre><code class="${isCommand ? 'command' : 'example'}">${text}</code></pre></figure>`;
}

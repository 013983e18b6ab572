import { type Html, html } from '../html.ts';

interface CodeOptions {
  readonly title: string;
  readonly text: string | Html;
  /** The script writes the address by which the page was opened into it, and what is typed. */
  readonly isCommand?: boolean;
}

/** A block of code with a title; the script adds a button that copies it. */
export function code({ title, text, isCommand = false }: CodeOptions): Html {
  return html`<figure class="code"><figcaption>${title}</figcaption><pre><code class="${isCommand ? 'command' : 'example'}">${text}</code></pre></figure>`;
}

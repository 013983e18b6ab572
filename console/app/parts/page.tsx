import type { ComponentChildren } from 'preact';
import { useTitle } from './title.ts';

interface PageProps {
  readonly texts: { readonly title: string; readonly text: string };
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A page that begins with its heading and what it is about. */
export function Page({ texts, class: style, children }: PageProps) {
  useTitle(texts.title);
  return (
    <div class={style === undefined ? 'stack' : `stack ${style}`}>
      <div class="stack-small">
        <h1>{texts.title}</h1>
        <p class="soft">{texts.text}</p>
      </div>
      {children}
    </div>
  );
}

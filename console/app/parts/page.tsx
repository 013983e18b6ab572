import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { words } from '../words/index.ts';

/** What the tab of the browser says. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${words.title} · elnav`;
  }, [title]);
}

/** Gives the focus to the heading of the page, where what had it is gone. */
export function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>('#console h1');
  heading?.setAttribute('tabindex', '-1');
  heading?.focus();
}

interface EmptyProps {
  readonly title: string;
  readonly text: string;
  readonly children?: ComponentChildren;
}

/** The text in place of an empty list. */
export function Empty({ title, text, children }: EmptyProps) {
  return (
    <div class="empty">
      <strong>{title}</strong>
      <p>{text}</p>
      {children}
    </div>
  );
}

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

import type { ComponentChildren } from 'preact';

interface EmptyProps {
  readonly title: string;
  readonly text: string;
  readonly children?: ComponentChildren;
}

/** What is shown in place of a list without items. */
export function Empty({ title, text, children }: EmptyProps) {
  return (
    <div class="empty">
      <strong>{title}</strong>
      <p>{text}</p>
      {children}
    </div>
  );
}

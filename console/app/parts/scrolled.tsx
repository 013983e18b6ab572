import type { ComponentChildren, RefObject } from 'preact';

interface CodeProps {
  readonly text: string;
  readonly place?: RefObject<HTMLElement | null>;
}

/** A text in lines as they are, which are scrolled where they are too long. */
export function Code({ text, place }: CodeProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <pre tabIndex={0}>
      <code {...(place === undefined ? {} : { ref: place })}>{text}</code>
    </pre>
  );
}

interface TableScrollProps {
  /** The id of the heading that names the table. */
  readonly labelledBy: string;
  /** Whether it is scrolled down too. */
  readonly isTall?: boolean;
  readonly children: ComponentChildren;
}

/** A table that is scrolled where the page is too narrow for it. */
export function TableScroll({ labelledBy, isTall = false, children }: TableScrollProps) {
  return (
    <section
      class={`table-scroll${isTall ? ' figures-scroll' : ''}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
      tabIndex={0}
      aria-labelledby={labelledBy}
    >
      {children}
    </section>
  );
}

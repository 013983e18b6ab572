import type { ComponentChildren } from 'preact';
import { navigate } from '../route.ts';

interface LinkProps {
  readonly href: string;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly isHere?: boolean;
  /** Of a row that arrow keys move to. */
  readonly row?: {
    readonly index: number;
    readonly isActive: boolean;
    readonly onFocus: (index: number) => void;
  };
}

/** A link within the console. Other tabs and windows are opened as with any link. */
export function Link({ href, children, isHere = false, row, ...others }: LinkProps) {
  const ofRow =
    row === undefined
      ? {}
      : {
          'data-row': row.index,
          tabIndex: row.isActive ? 0 : -1,
          onFocus: () => row.onFocus(row.index),
        };
  return (
    <a
      href={href}
      {...others}
      {...ofRow}
      {...(isHere ? { 'aria-current': 'page' as const } : {})}
      onClick={(event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        navigate(href);
      }}
    >
      {children}
    </a>
  );
}

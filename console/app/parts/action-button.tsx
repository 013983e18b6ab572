import type { ComponentChildren } from 'preact';

interface ActionButtonProps {
  readonly isBusy?: boolean;
  readonly tone?: 'primary' | 'danger';
  /** Whether what it opens is open. */
  readonly isOpen?: boolean;
  readonly children: ComponentChildren;
  readonly onClick: () => void;
}

/** A button that keeps its focus while it is busy. */
export function ActionButton({ isBusy = false, tone, isOpen, children, onClick }: ActionButtonProps) {
  return (
    <button
      type="button"
      class={`button button-small${tone === undefined ? '' : ` button-${tone}`}`}
      aria-disabled={isBusy}
      {...(isOpen === undefined ? {} : { 'aria-expanded': isOpen })}
      onClick={onClick}
    >
      {children}
    </button>
  );
}

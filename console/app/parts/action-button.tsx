import type { ComponentChildren } from 'preact';

interface ActionButtonProps {
  readonly isBusy?: boolean;
  /** Whether there is nothing that it could do. */
  readonly isDisabled?: boolean;
  readonly tone?: 'primary' | 'danger';
  /** Whether what it opens is open. */
  readonly isOpen?: boolean;
  readonly children: ComponentChildren;
  /** Without it the button submits its form. */
  readonly onClick?: () => void;
}

/** A button that keeps its focus while it is busy or disabled, and then does nothing. */
export function ActionButton(props: ActionButtonProps) {
  const { isBusy = false, isDisabled = false, tone, isOpen, children, onClick } = props;
  return (
    <button
      type={onClick === undefined ? 'submit' : 'button'}
      class={`button button-small${tone === undefined ? '' : ` button-${tone}`}`}
      aria-disabled={isBusy || isDisabled}
      {...(isOpen === undefined ? {} : { 'aria-expanded': isOpen })}
      onClick={() => {
        if (!isBusy && !isDisabled) onClick?.();
      }}
    >
      {children}
    </button>
  );
}

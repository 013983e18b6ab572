import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

export interface Action {
  readonly isBusy: boolean;
  readonly error: Error | undefined;
  /** Does it unless it is being done already. Resolves to undefined where it failed, which `error` then says. */
  run<T>(act: () => Promise<T>): Promise<T | undefined>;
}

/** Something that is done by a button, once at a time, and what went wrong. */
export function useAction(): Action {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  return {
    isBusy,
    error,
    async run(act) {
      if (isBusy) return undefined;
      setBusy(true);
      setError(undefined);
      try {
        return await act();
      } catch (thrown) {
        setError(thrown as Error);
        return undefined;
      } finally {
        setBusy(false);
      }
    },
  };
}

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

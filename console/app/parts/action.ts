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

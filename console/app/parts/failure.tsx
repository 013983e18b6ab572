import { Refused } from '../api/call.ts';
import { words } from '../words/index.ts';

/** The sentence of an error, for people. */
export const sentenceOf = (error: Error): string =>
  error instanceof Refused ? error.message : words.unanswered;

interface FailureProps {
  readonly title?: string;
  readonly error: Error;
  readonly onRetry?: () => void;
}

/** What could not be loaded, and why. */
export function Failure({ title = words.failed, error, onRetry }: FailureProps) {
  return (
    <div class="notice notice-bad" role="alert">
      <strong>{title}</strong>
      <p>{sentenceOf(error)}</p>
      {onRetry === undefined ? null : (
        <p>
          <button type="button" class="button button-small" onClick={onRetry}>
            {words.retry}
          </button>
        </p>
      )}
    </div>
  );
}

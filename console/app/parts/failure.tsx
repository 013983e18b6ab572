import { Refused } from '../api/call.ts';
import { words } from '../words/index.ts';
import { ActionButton } from './action.tsx';
import { Sentence } from './texts.tsx';

/** What an error says to people: in the words of the page where it has some. */
export function ErrorText({ error }: { readonly error: Error }) {
  if (!(error instanceof Refused)) return words.unanswered;
  return words.refusals[error.code] ?? <Sentence text={error.message} />;
}

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
      <p>
        <ErrorText error={error} />
      </p>
      {error instanceof Refused ? (
        <p class="hint">
          {words.request} <code class="request-id">{error.requestId}</code>
        </p>
      ) : null}
      {onRetry === undefined ? null : (
        <p>
          <ActionButton onClick={onRetry}>{words.retry}</ActionButton>
        </p>
      )}
    </div>
  );
}

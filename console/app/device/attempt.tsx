import { now, useNow } from '../clock.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { ErrorText } from '../parts/failure.tsx';
import { words } from '../words/index.ts';
import { describeCommand } from './commands.ts';
import type { Attempt, Sender } from './sending.ts';

const texts = words.control;

/** What came of the last command of a control: what it is, and no more than is known. */
export function AttemptLine({ sender }: { readonly sender: Sender }) {
  const { attempt, askAgain } = sender;
  return (
    <div class="attempt" role="status">
      {attempt === undefined ? null : (
        <>
          <p class="attempt-line">
            <Outcome attempt={attempt} /> <span>{describeCommand(attempt.command)}</span>
          </p>
          <Explanation attempt={attempt} />
          {attempt.state === 'unknown' && attempt.error === undefined ? (
            <p>
              <ActionButton onClick={askAgain}>{texts.askAgain}</ActionButton>
            </p>
          ) : null}
        </>
      )}
    </div>
  );
}

function Outcome({ attempt }: { readonly attempt: Attempt }) {
  switch (attempt.state) {
    case 'sending':
      return <Waiting since={attempt.sentAt} />;
    case 'succeeded':
      return <span class="mark mark-good">{texts.states.succeeded}</span>;
    case 'failed':
      return <span class="mark mark-bad">{texts.states.failed}</span>;
    case 'unknown':
      return <span class="mark mark-note">{texts.states.unknown}</span>;
  }
}

/** Counts the seconds for the eye alone: read aloud every second it would drown the rest. */
function Waiting({ since }: { readonly since: number }) {
  const at = useNow(1_000) - now() + Date.now();
  const seconds = Math.max(0, Math.round((at - since) / 1_000));
  return (
    <span class="mark mark-still" role="timer">
      {texts.states.sending(String(seconds))}
    </span>
  );
}

function Explanation({ attempt }: { readonly attempt: Attempt }) {
  if (attempt.state !== 'failed' && attempt.state !== 'unknown') return null;
  return <p class="hint">{attempt.error === undefined ? texts.lost : <ErrorText error={attempt.error} />}</p>;
}

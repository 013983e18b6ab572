import type { Operations } from '../api/types.ts';
import { count, foreign } from '../format.ts';
import { Sentence } from '../parts/sentence.tsx';
import { words } from '../words/index.ts';

const texts = words.subscriptions;
type Tested = Operations['POST /subscriptions/{id}/test']['response'];

/** What the receiver answered to a test. */
export function Outcome({ tested }: { readonly tested: Tested }) {
  const { status, error, response, duration_ms: ms } = tested;
  return (
    <div class={`notice ${error === null ? 'notice-good' : 'notice-bad'}`}>
      <strong>
        {status === null ? texts.noAnswer(count(ms)) : texts.answered(String(status), count(ms))}
      </strong>
      {error === null ? null : (
        <p>
          <Sentence text={error} />
        </p>
      )}
      {response === null || response === '' ? null : (
        <p class="item-title">
          {texts.response} <code>{foreign(response)}</code>
        </p>
      )}
    </div>
  );
}

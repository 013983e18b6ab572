import { useId, useState } from 'preact/hooks';
import { useRead } from '../api/queries.ts';
import type { Operations } from '../api/types.ts';
import { count, foreign, moment } from '../format.ts';
import { ActionButton } from '../parts/action.tsx';
import { Failure } from '../parts/failure.tsx';
import { Form } from '../parts/form.tsx';
import { TextInput } from '../parts/inputs.tsx';
import { TableScroll } from '../parts/scrolled.tsx';
import { Sentence, Time } from '../parts/texts.tsx';
import { words } from '../words/index.ts';
import { REFETCH_MS } from './refetch.ts';

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

const replayTexts = words.subscriptions;
const LONGEST_CURSOR = 200;

interface ReplayProps {
  readonly isBusy: boolean;
  /** @param after a cursor of the events; null: from the oldest that is kept */
  readonly onReplay: (after: string | null) => void;
}

/** Delivers again from the oldest event, or after a cursor. */
export function Replay({ isBusy, onReplay }: ReplayProps) {
  const [cursor, setCursor] = useState('');
  const [isAll, setAll] = useState(true);
  const [fault, setFault] = useState('');
  const submit = () => {
    if (isBusy) return;
    if (isAll) onReplay(null);
    else if (cursor.trim() === '') setFault(replayTexts.cursorFault);
    else onReplay(cursor.trim());
  };
  return (
    <Form isTyped={cursor !== ''} onSubmit={submit}>
      <p>{replayTexts.replayText}</p>
      <fieldset>
        <legend>{replayTexts.replayFrom}</legend>
        <label class="check">
          <input type="radio" name="from" checked={isAll} onChange={() => setAll(true)} />
          {replayTexts.replayAll}
        </label>
        <label class="check">
          <input type="radio" name="from" checked={!isAll} onChange={() => setAll(false)} />
          {replayTexts.replayAfter}
        </label>
      </fieldset>
      {isAll ? null : (
        <TextInput
          {...{
            label: replayTexts.cursor,
            hint: replayTexts.cursorHint,
            text: cursor,
            fault,
            most: LONGEST_CURSOR,
          }}
          onInput={(text) => {
            setCursor(text);
            setFault('');
          }}
        />
      )}
      <div class="row">
        <ActionButton isBusy={isBusy}>{replayTexts.replayAct}</ActionButton>
      </div>
    </Form>
  );
}

const attemptsTexts = words.subscriptions;
type Attempt = Operations['GET /subscriptions/{id}/attempts']['response'][number];

/** The last deliveries of a subscription, the newest first. */
export function Attempts({ id }: { readonly id: string }) {
  const { data, error, isPending } = useRead('GET /subscriptions/{id}/attempts', { path: [id] }, REFETCH_MS);
  const label = useId();
  if (isPending) return <p class="soft">{words.loading}</p>;
  if (error !== null) return <Failure error={error} />;
  if (data === undefined || data.length === 0) return <p class="soft">{attemptsTexts.noAttempts}</p>;
  return (
    <section class="stack-small" aria-labelledby={label}>
      <h3 id={label} class="heading-small">
        {attemptsTexts.attempts}
      </h3>
      <TableScroll labelledBy={label} isTall>
        <table class="item-table">
          <thead>
            <tr>
              <th scope="col">{attemptsTexts.columns.time}</th>
              <th scope="col">{attemptsTexts.columns.status}</th>
              <th scope="col" class="number">
                {attemptsTexts.columns.events}
              </th>
              <th scope="col" class="number">
                {attemptsTexts.columns.duration}
              </th>
              <th scope="col">{attemptsTexts.columns.answer}</th>
            </tr>
          </thead>
          <tbody>
            {data.map((one) => (
              <tr key={`${one.webhook_id} ${one.at}`}>
                <td>
                  <Time at={one.at} text={moment(one.at)} />
                </td>
                <td>
                  <span class={`mark ${one.error === null ? 'mark-good' : 'mark-bad'}`}>
                    {one.status ?? attemptsTexts.noStatus}
                  </span>
                </td>
                <td class="number">{count(one.events)}</td>
                <td class="number">{count(one.duration_ms)}</td>
                <td class="attempt-answer">
                  <AttemptText {...one} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableScroll>
    </section>
  );
}

/** What went wrong, and what the receiver answered in its own words. */
function AttemptText({ error, response }: Attempt) {
  return (
    <>
      {error === null ? null : <Sentence text={error} />}
      {error === null || !response ? null : ': '}
      {response ? <bdi>{foreign(response)}</bdi> : null}
    </>
  );
}

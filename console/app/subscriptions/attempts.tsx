import { useId } from 'preact/hooks';
import { useRead } from '../api/queries.ts';
import type { Operations } from '../api/types.ts';
import { count, foreign, moment } from '../format.ts';
import { Failure } from '../parts/failure.tsx';
import { TableScroll } from '../parts/scrolled.tsx';
import { Sentence } from '../parts/sentence.tsx';
import { Time } from '../parts/time.tsx';
import { words } from '../words/index.ts';
import { REFETCH_MS } from './refetch.ts';

const texts = words.subscriptions;
type Attempt = Operations['GET /subscriptions/{id}/attempts']['response'][number];

/** The last deliveries of a subscription, the newest first. */
export function Attempts({ id }: { readonly id: string }) {
  const { data, error, isPending } = useRead('GET /subscriptions/{id}/attempts', { path: [id] }, REFETCH_MS);
  const label = useId();
  if (isPending) return <p class="soft">{words.loading}</p>;
  if (error !== null) return <Failure error={error} />;
  if (data === undefined || data.length === 0) return <p class="soft">{texts.noAttempts}</p>;
  return (
    <section class="stack-small" aria-labelledby={label}>
      <h3 id={label} class="heading-small">
        {texts.attempts}
      </h3>
      <TableScroll labelledBy={label} isTall>
        <table class="item-table">
          <thead>
            <tr>
              <th scope="col">{texts.columns.time}</th>
              <th scope="col">{texts.columns.status}</th>
              <th scope="col" class="number">
                {texts.columns.events}
              </th>
              <th scope="col" class="number">
                {texts.columns.duration}
              </th>
              <th scope="col">{texts.columns.answer}</th>
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
                    {one.status ?? texts.noStatus}
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

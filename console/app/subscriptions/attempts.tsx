import { useId } from 'preact/hooks';
import { useRead } from '../api/queries.ts';
import { count, dateTime, foreign, moment } from '../format.ts';
import { Failure } from '../parts/failure.tsx';
import { words } from '../words/index.ts';
import { REFETCH_MS } from './refetch.ts';

const texts = words.subscriptions;

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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section class="table-scroll figures-scroll" tabIndex={0} aria-labelledby={label}>
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
                  <time dateTime={one.at} title={dateTime(one.at)}>
                    {moment(one.at)}
                  </time>
                </td>
                <td>
                  <span class={`mark ${one.error === null ? 'mark-good' : 'mark-bad'}`}>
                    {one.status ?? texts.noStatus}
                  </span>
                </td>
                <td class="number">{count(one.events)}</td>
                <td class="number">{count(one.duration_ms)}</td>
                <td class="attempt-answer">
                  <bdi>{foreign([one.error, one.response].filter(Boolean).join(': '))}</bdi>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}

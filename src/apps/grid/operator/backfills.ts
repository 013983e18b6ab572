import { rfc3339 } from '../../../core/clock.ts';
import type { Backfill, BackfillFault } from '../../../domain/market/prices/index.ts';
import { type Html, html, type Part } from '../../../pages/html.ts';
import { PRICE_AREAS, type PriceArea } from '../../../sources/contract/market.ts';
import { describedBy, faultText, mark } from '../pages/form-parts.ts';
import { check, checks, empty, formatCount, liveSection, table, time } from './parts.ts';
import { PRICES_WORDS as words } from './prices-words.ts';
import { sectionPath } from './sections.ts';

const HOME = sectionPath('prices');
export const BACKFILL_PATH = `${HOME}/backfill`;

/** What the form of a back-fill holds. */
export interface BackfillForm {
  readonly from: string;
  readonly to: string;
  readonly areas: readonly PriceArea[];
  readonly refresh: boolean;
  /** What is wrong, beside its field. */
  readonly fault?: BackfillFault | undefined;
}

interface BackfillsShown {
  /** Whether changes are on. */
  readonly canChange: boolean;
  /** Whether fetching is switched on. */
  readonly isOn: boolean;
  readonly backfills: readonly Backfill[];
  readonly form: BackfillForm;
}

/** The back-fill that runs, the form of another one, and all that there were. */
export function backfillSections(shown: BackfillsShown): Html {
  const { canChange, isOn, backfills, form } = shown;
  const running = backfills.find(({ status }) => status === 'running');
  const may: Part = !isOn
    ? html`<p class="notice notice-note">${words.off}</p>`
    : !canChange
      ? html`<p class="soft">${words.readingOnly}</p>`
      : running === undefined
        ? backfillForm(form)
        : html`<p class="soft">${words.isRunning}</p>`;
  return html`<section class="stack" aria-labelledby="backfill"><div class="stack-small"><h2 id="backfill">${words.backfill}</h2><p class="soft">${words.backfillText}</p></div>
${may}</section>
${liveSection({ id: 'backfills', title: words.backfills, text: words.backfillsText, body: listed(backfills, { running, canChange }) })}`;
}

interface Listed {
  readonly running: Backfill | undefined;
  readonly canChange: boolean;
}

function listed(backfills: readonly Backfill[], { running, canChange }: Listed): Html {
  if (backfills.length === 0) return empty(words.none, words.noneText);
  return html`${running === undefined ? null : progressOf(running, { canChange })}
${table({
  label: words.backfills,
  columns: [words.days_, words.area, words.status, words.result, words.finished],
  rows: backfills.map((one) => [
    `${one.from} – ${one.until}`,
    one.areas.join(', '),
    words.statuses[one.status],
    html`${words.results(formatCount(one.days_done), formatCount(one.days_skipped), formatCount(one.days_missing), formatCount(one.days_failed))}
${failuresOf(one)}`,
    one.finished_at === null ? '–' : time(rfc3339(one.finished_at)),
  ]),
})}
<p class="soft small">${words.missingHint}</p>`;
}

function failuresOf({ failures }: Backfill): Part {
  if (failures.length === 0) return null;
  return html`<details><summary>${words.failures}</summary><ul>${failures.map(
    ({ sentence, days, last_day }) =>
      html`<li>${words.failure(sentence, words.days(days, formatCount(days)), last_day)}</li>`,
  )}</ul></details>`;
}

/** Days that a back-fill has dealt with. */
export const dealtWith = (one: Backfill): number =>
  one.days_done + one.days_skipped + one.days_missing + one.days_failed;

function progressOf(one: Backfill, { canChange }: Omit<Listed, 'running'>): Html {
  const { id, from, until, areas, days_total } = one;
  const done = dealtWith(one);
  const text = words.progress(formatCount(done), formatCount(days_total));
  return html`<div class="notice notice-note"><p><strong>${words.running}:</strong> ${from} – ${until}, ${areas.join(', ')}</p>
<p><progress class="price-progress" max="${days_total}" value="${done}" aria-label="${words.running}">${text}</progress> ${text}</p>
${canChange && html`<p><a class="button button-small" href="${`${BACKFILL_PATH}/${id}/cancel`}">${words.cancelLink}</a></p>`}</div>`;
}

function backfillForm({ from, to, areas, refresh, fault }: BackfillForm): Html {
  const wrong = (field: BackfillFault['field']): string | undefined =>
    fault?.field === field ? words.faults[fault.kind](fault.limit ?? '') : undefined;
  const day = (name: 'from' | 'to', label: string, value: string) => {
    const fault = wrong(name === 'from' ? 'from' : 'until');
    return html`<div class="field"><label for="${name}">${label}</label><p class="hint" id="${`${name}-hint`}">${words.dayHint}</p>
${faultText(name, fault)}
<input id="${name}" name="${name}" type="date" value="${value}" required aria-describedby="${describedBy(name, { fault, hint: words.dayHint })}" ${mark({ fault })}></div>`;
  };
  const boxes = PRICE_AREAS.map((area) => ({ value: area, label: area, isChecked: areas.includes(area) }));
  return html`${fault === undefined ? null : html`<p class="notice notice-bad" role="alert">${words.summary}</p>`}
<form class="stack price-form" method="post" action="${BACKFILL_PATH}" novalidate>
<div class="price-days">${day('from', words.from, from)}${day('to', words.to, to)}</div>
${checks({ id: 'areas', name: 'area', label: words.areas, boxes, isRow: true, fault: wrong('areas') })}
${check({ name: 'refresh', value: 'yes', label: words.refresh, isChecked: refresh })}
<div><button class="button button-primary">${words.fetch}</button></div></form>`;
}

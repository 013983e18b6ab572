import { flag, type Html, html, type Part } from '../../../pages/html.ts';
import { describedBy, type FieldFault, faultText, mark } from '../pages/form-parts.ts';

/* What the pages of the operator's sections are made of. */

/** Rows on a page of a list. */
export const PAGE_ROWS = 50;

/** The number of a page in an address, from 1; 1 for anything else. */
export function pageOf(text: string): number {
  return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : 1;
}

/** The title of a column; of one with numbers, as `number`. */
type Column = string | { readonly number: string };

interface Table {
  /** What the table holds, for users who cannot see it. */
  readonly label: string;
  readonly columns: readonly Column[];
  /** The first cell of a row names it. */
  readonly rows: readonly (readonly Part[])[];
}

/** Columns with numbers, of their titles. */
export const numbers = (...titles: readonly string[]): Column[] => titles.map((number) => ({ number }));

/** A table that is scrolled sideways where it does not fit. */
export function table({ label, columns, rows }: Table): Html {
  const cell = (part: Part, at: number): Html => {
    if (at === 0) return html`<th scope="row">${part}</th>`;
    return typeof columns[at] === 'object' ? html`<td class="number">${part}</td>` : html`<td>${part}</td>`;
  };
  const head = (column: Column): Html =>
    typeof column === 'object'
      ? html`<th scope="col" class="number">${column.number}</th>`
      : html`<th scope="col">${column}</th>`;
  return html`<div class="table-scroll operator-table" tabindex="0" role="region" aria-label="${label}"><table>
<thead><tr>${columns.map(head)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map(cell)}</tr>`)}</tbody>
</table></div>`;
}

/** In place of a list that holds nothing, with the reason. */
export const empty = (title: string, text: string): Html =>
  html`<div class="empty"><p><strong>${title}</strong></p><p class="soft">${text}</p></div>`;

interface Pager {
  readonly path: string;
  /** Parameters of the list, without its page; empty ones are left out. */
  readonly query: Readonly<Record<string, string>>;
  readonly page: number;
  /** Whether there are rows after this page. */
  readonly hasNext: boolean;
}

/** Links to the pages before and after this one; nothing where there is one page only. */
export function pager({ path, query, page, hasNext }: Pager): Html | null {
  if (page === 1 && !hasNext) return null;
  const to = (target: number) => pathWith(path, { ...query, page: target === 1 ? '' : String(target) });
  return html`<nav class="row" aria-label="Pages">
${page > 1 && html`<a class="button button-small" href="${to(page - 1)}" rel="prev">Previous page</a>`}
<span class="soft small">Page ${formatCount(page)}</span>
${hasNext && html`<a class="button button-small" href="${to(page + 1)}" rel="next">Next page</a>`}
</nav>`;
}

/** The part of a list that a page shows, of which one row more is read: then there is a next page. */
export const partOf = (page: number) => ({ limit: PAGE_ROWS + 1, offset: (page - 1) * PAGE_ROWS });

/** The rows of a page, without the one that only shows that there is a next page. */
export function shownOf<T>(rows: readonly T[]): { readonly rows: readonly T[]; readonly hasNext: boolean } {
  return { rows: rows.slice(0, PAGE_ROWS), hasNext: rows.length > PAGE_ROWS };
}

interface Filter {
  readonly path: string;
  readonly submit: string;
  readonly fields: readonly (
    | { readonly name: string; readonly label: string; readonly value: string }
    | {
        readonly name: string;
        readonly label: string;
        readonly value: string;
        /** Values with their texts, the first for all. */
        readonly choices: readonly (readonly [string, string])[];
      }
  )[];
}

/** The form that chooses what a list shows; its fields are in the address. */
export function filter({ path, submit, fields }: Filter): Html {
  return html`<form class="operator-search" method="get" action="${path}" role="search">
${fields.map((field) =>
  'choices' in field
    ? html`<div class="field"><label for="${field.name}">${field.label}</label><select id="${field.name}" name="${field.name}">${field.choices.map(([value, text]) => html`<option value="${value}" ${flag('selected', value === field.value)}>${text}</option>`)}</select></div>`
    : html`<div class="field"><label for="${field.name}">${field.label}</label><input id="${field.name}" name="${field.name}" type="search" value="${field.value}" maxlength="254" autocomplete="off" spellcheck="false"></div>`,
)}
<button class="button">${submit}</button></form>`;
}

/** A filter as a search takes it: undefined for an empty field. */
export const wanted = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

/** A path with those parameters that are not empty. */
export function pathWith(path: string, parameters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== ''));
  return query.size === 0 ? path : `${path}?${query}`;
}

/* Figures and times as people read them, in Swedish time. */

const formatOf = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Stockholm', ...options });
const MOMENT = formatOf({ dateStyle: 'medium', timeStyle: 'short' });
const EXACT = formatOf({ dateStyle: 'medium', timeStyle: 'medium' });
const DATE = formatOf({ dateStyle: 'medium' });
const DAY = formatOf({ day: 'numeric', month: 'short', timeZone: 'UTC' });

const timeIn = (format: Intl.DateTimeFormat, moment: string): Html =>
  html`<time datetime="${moment}">${format.format(Date.parse(moment))}</time>`;

export const formatCount = (count: number): string => count.toLocaleString('en-GB');

/** A moment (RFC 3339) to the minute. */
export const time = (moment: string): Html => timeIn(MOMENT, moment);

/** The same as text. */
export const timeText = (moment: string): string => MOMENT.format(Date.parse(moment));

/** A moment (RFC 3339) with its seconds. */
export const exactTime = (moment: string): Html => timeIn(EXACT, moment);

/** The day of a moment (RFC 3339). */
export const date = (moment: string): Html => timeIn(DATE, moment);

/** A UTC day such as 2026-11-21, without its year. */
export const dayText = (day: string): string => DAY.format(Date.parse(day));

/* Fields of the operator's forms besides lines of text. */

interface NumberField extends FieldFault {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly value: string;
}

/** A field for a whole number; it shows the sent value. */
export function numberField(field: NumberField): Html {
  const { id, name, label, value, fault } = field;
  return html`<div class="field"><label for="${id}">${label}</label>
${faultText(id, fault)}
<input id="${id}" name="${name}" type="text" inputmode="numeric" value="${value}" autocomplete="off" maxlength="12" aria-describedby="${describedBy(id, { fault, hint: undefined })}" ${flag('required', true)} ${mark(field)}></div>`;
}

interface Check {
  readonly name: string;
  readonly value: string;
  readonly label: string;
  readonly isChecked: boolean;
}

/** A box to check; of one that was sent back, with its mark. */
export const check = ({ name, value, label, isChecked }: Check, marked: Html | null = null): Html =>
  html`<label class="check"><input type="checkbox" name="${name}" value="${value}" ${flag('checked', isChecked)} ${marked}><span>${label}</span></label>`;

interface Checks extends FieldFault {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly boxes: readonly Omit<Check, 'name'>[];
  /** Whether the boxes are beside each other. */
  readonly isRow?: boolean;
}

/** Boxes of which at least one is needed. What was wrong is marked at the first. */
export function checks({ id, name, label, boxes, isRow = false, ...wrong }: Checks): Html {
  const { fault } = wrong;
  const all = boxes.map((box, at) => check({ name, ...box }, at === 0 ? mark(wrong) : null));
  return html`<fieldset aria-describedby="${describedBy(id, { fault, hint: undefined })}"><legend>${label}</legend>
${faultText(id, fault)}
${isRow ? html`<div class="row">${all}</div>` : all}</fieldset>`;
}

interface LiveSection {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly body: Part;
}

/** A section that is replaced when the page reads itself again (`console/operator-live.ts`). */
export const liveSection = ({ id, title, text, body }: LiveSection): Html =>
  html`<section class="stack" data-live="${id}" aria-labelledby="${id}"><div class="stack-small"><h2 id="${id}">${title}</h2><p class="soft">${text}</p></div>
${body}</section>`;

/** Marks that change the direction of what follows them (Unicode Standard Annex 9). */
const MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
/** Letters that are written from right to left. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** A name that others chose, within a sentence of ours: it turns no word of the sentence around. */
export function inSentence(name: string): string {
  const plain = name.replaceAll(MARKS, '');
  return RIGHT_TO_LEFT.test(plain) ? `\u2068${plain}\u2069` : plain;
}

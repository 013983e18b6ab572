import type { Language, Words } from '../../../core/language.ts';
import { flag, type Html, html, type Part } from '../../../pages/html.ts';
import { formatCount } from '../account/parts.ts';

/* What the pages of the operator's sections are made of. */

const WORDS = {
  en: {
    pages: 'Pages',
    page: (page: string) => `Page ${page}`,
    previous: 'Previous page',
    next: 'Next page',
  },
  sv: {
    pages: 'Sidor',
    page: (page) => `Sida ${page}`,
    previous: 'Föregående sida',
    next: 'Nästa sida',
  },
} satisfies Words<{ page(page: string): string } & Readonly<Record<string, unknown>>>;

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
  readonly language: Language;
  readonly path: string;
  /** Parameters of the list, without its page; empty ones are left out. */
  readonly query: Readonly<Record<string, string>>;
  readonly page: number;
  /** Whether there are rows after this page. */
  readonly hasNext: boolean;
}

/** Links to the pages before and after this one; nothing where there is one page only. */
export function pager({ language, path, query, page, hasNext }: Pager): Html | null {
  const words = WORDS[language];
  if (page === 1 && !hasNext) return null;
  const to = (target: number) => pathWith(path, { ...query, page: target === 1 ? '' : String(target) });
  return html`<nav class="row" aria-label="${words.pages}">
${page > 1 && html`<a class="button button-small" href="${to(page - 1)}" rel="prev">${words.previous}</a>`}
<span class="soft small">${words.page(formatCount(page, language))}</span>
${hasNext && html`<a class="button button-small" href="${to(page + 1)}" rel="next">${words.next}</a>`}
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

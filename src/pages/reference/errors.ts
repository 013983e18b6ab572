import { type Html, html } from '../html.ts';
import { code } from './code.ts';
import { type ApiDocument, type Schema, sectionsOf } from './document.ts';
import { exampleOf } from './example.ts';
import { tree } from './schema.ts';
import { json } from './text.ts';

/** An error code of the service. */
export interface ErrorRow {
  readonly code: string;
  readonly status: number;
  readonly retry: 'never' | 'later' | 'changed';
  readonly title: string;
}

const RETRY: Readonly<Record<ErrorRow['retry'], string>> = {
  never: 'A retry does not help',
  later: 'Retry after Retry-After',
  changed: 'Correct the request, then retry',
};

/** Format of errors and meaning of their codes, by status; operations link here. */
export function renderErrors(document: ApiDocument, rows: readonly ErrorRow[]): Html {
  const shapes = shapesOf(document);
  const statuses = [
    ...new Set([...rows.map(({ status }) => String(status)), ...shapes.flatMap((one) => one.statuses)]),
  ];
  return html`<section class="reference-section" aria-labelledby="errors">
<div class="section-head"><h2 id="errors">Errors</h2>
<p>An error is a sentence that says what is wrong, where, and what would be right. The header <code>Elnav-Error</code> has its code, which does not change. Use the code in programs.</p></div>
<div class="operation"><div class="operation-text">
${statuses.toSorted().map((status) => {
  const own = rows.filter((row) => String(row.status) === status);
  return html`<details class="inner" id="${`error-${status}`}"><summary><code class="status">${status}</code> ${own.length === 0 ? null : html`<span class="property-type">${own.length === 1 ? '1 code' : `${own.length} codes`}</span>`}</summary>
<ul class="properties">${own.map(
    ({ code: name, title, retry }) =>
      html`<li class="property"><div class="property-head"><code class="property-name">${name}</code></div><p>${title}</p><p class="limits">${RETRY[retry]}</p></li>`,
  )}</ul></details>`;
})}
</div><div class="operation-code">
${shapes.map(
  ({
    schema,
    statuses: of,
  }) => html`${code({ title: `Body of ${listOf(of)}`, text: json(exampleOf(schema)) })}
<details class="inner"><summary>Fields</summary>${tree(schema, 'answered')}</details>`,
)}
</div></div>
</section>`;
}

interface Shape {
  readonly schema: Schema;
  readonly statuses: readonly string[];
}

/** The different error bodies, each with its statuses. */
function shapesOf(document: ApiDocument): readonly Shape[] {
  const shapes = new Map<string, { schema: Schema; statuses: Set<string> }>();
  for (const { operations } of sectionsOf(document)) {
    for (const { status, content } of operations.flatMap(({ answers }) => answers)) {
      const schema = content?.['application/json']?.schema;
      // The response of an unhealthy service is not an error of this shape.
      if (Number(status) < 400 || schema === undefined || schema.properties?.status !== undefined) continue;
      const { description, ...shape } = schema;
      const key = JSON.stringify(shape);
      const entry = shapes.get(key) ?? { schema: shape, statuses: new Set() };
      entry.statuses.add(status);
      shapes.set(key, entry);
    }
  }
  return [...shapes.values()].map(({ schema, statuses }) => ({ schema, statuses: [...statuses].toSorted() }));
}

const listOf = (statuses: readonly string[]): string =>
  statuses.length < 2 ? statuses.join('') : `${statuses.slice(0, -1).join(', ')} and ${statuses.at(-1)}`;

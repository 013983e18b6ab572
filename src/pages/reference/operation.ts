import { STATUS_CODES } from 'node:http';
import { type Html, html } from '../html.ts';
import { code } from './code.ts';
import { curlOf } from './curl.ts';
import type { Access, Operation } from './document.ts';
import { exampleOf } from './example.ts';
import { property, tree, typeOf } from './schema.ts';
import { json, paragraphs, pathText } from './text.ts';
import { tryOut } from './try-out.ts';

const CALLERS: Readonly<Record<Access, string>> = {
  'nobody asked': 'No API key needed.',
  'key optional': 'An API key is optional. Calls without one share lower limits.',
  key: 'Needs an API key',
  'admin token': 'Needs the admin token.',
  session: 'Needs a session: sign in with this browser first.',
};

const PLACES: Readonly<Record<string, string>> = {
  path: 'Path parameters',
  query: 'Query parameters',
  header: 'Headers',
};

/** The description of a response that has none. */
const UNSAID = 'Default Response';

interface OperationOptions {
  readonly operation: Operation;
  /** Of the service, without a trailing slash. */
  readonly address: string;
  /** Warning shown before the operation is tried. */
  readonly warning: string | undefined;
}

/** An operation: description on the left, call and response on the right. */
export function renderOperation({ operation, address, warning }: OperationOptions): Html {
  const { id, method, path, summary, description, body } = operation;
  const good = operation.answers.filter(({ status }) => Number(status) < 400);
  const bad = operation.answers.filter(({ status }) => Number(status) >= 400);
  return html`<article class="operation" id="${id}" aria-labelledby="${`${id}-title`}">
<div class="operation-text">
<h3 id="${`${id}-title`}">${summary} <a class="permalink" href="${`#${id}`}" aria-label="${`Link to: ${summary}`}">#</a></h3>
<p class="endpoint">${badge(method)} <code>${pathText(path)}</code></p>
${paragraphs(description)}
<p class="caller">${callerOf(operation)}</p>
${parameters(operation)}
${body === undefined ? null : html`<h4>Request body <span class="property-type">${body.types.join(' or ')}</span></h4>${tree(body.schema, 'sent') ?? whole(typeOf(body.schema))}`}
${good.length === 0 ? null : html`<h4>Response</h4>${good.map(goodAnswer)}`}
${bad.length === 0 ? null : html`<h4>Errors</h4><ul class="errors">${bad.map(badAnswer)}</ul>`}
</div>
<div class="operation-code">
${code({ title: 'Request', text: curlOf(operation, address), isCommand: true })}
${tryOut({ operation, warning })}
${good.map(exampleAnswer)}
</div>
</article>`;
}

/** A method as text; its colour is only decoration. */
export const badge = (method: string): Html =>
  html`<span class="${`method method-${method.toLowerCase()}`}">${method}</span>`;

function callerOf({ access, scope }: Operation): Html {
  if (access !== 'key') return html`${CALLERS[access]}`;
  if (scope === undefined) return html`${CALLERS.key}.`;
  return html`${CALLERS.key} with the scope <code>${scope}</code>.`;
}

function parameters({ parameters: all }: Operation): readonly Html[] {
  const places = [...new Set(all.map((parameter) => parameter.in))];
  return places.map(
    (place) => html`<h4>${PLACES[place] ?? place}</h4>
<ul class="properties">${all
      .filter((parameter) => parameter.in === place)
      .map(({ name, schema = {}, description, required }) =>
        property({
          name,
          schema,
          description: description ?? schema.description,
          mark: required === true ? 'required' : undefined,
        }),
      )}</ul>`,
  );
}

const whole = (type: string): Html => html`<p class="limits">${type}</p>`;

/** Meaning of a response: its description, else the phrase of its status. */
function meaningOf({ status, description }: Operation['answers'][number]): string {
  const said = description === undefined || description === UNSAID ? undefined : description;
  return said ?? STATUS_CODES[status] ?? '';
}

function goodAnswer(answer: Operation['answers'][number]): Html {
  const media = Object.entries(answer.content ?? {});
  return html`<div class="answer">
<p><code class="status">${answer.status}</code> ${meaningOf(answer)}</p>
${media.map(([type, { schema = {} }]) => {
  const inside = tree(schema, 'answered');
  const head = html`<span class="property-type">${type === 'application/json' ? typeOf(schema) : type}</span>`;
  if (inside === null)
    return html`<p class="limits">${head}${schema.description === undefined ? null : html` · ${schema.description}`}</p>`;
  return html`<details class="inner"><summary>Fields ${head}</summary>${inside}</details>`;
})}
</div>`;
}

const badAnswer = (answer: Operation['answers'][number]): Html =>
  html`<li><a class="status" href="${`#error-${answer.status}`}"><code>${answer.status}</code></a> <span>${meaningOf(answer)}</span></li>`;

function exampleAnswer({ status, content = {} }: Operation['answers'][number]): Html | null {
  const schema = content['application/json']?.schema;
  if (schema === undefined) return null;
  return code({ title: `Response ${status}`, text: json(exampleOf(schema)) });
}

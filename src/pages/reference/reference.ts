import { type Html, html, type Part } from '../html.ts';
import type { NavigationLink } from '../page.ts';
import { code } from './code.ts';
import { curlOf } from './curl.ts';
import { type ApiDocument, type Operation, type Section, sectionsOf } from './document.ts';
import { type ErrorRow, renderErrors } from './errors.ts';
import { badge, renderOperation } from './operation.ts';
import { inline, paragraphs, pathText } from './text.ts';

interface ReferenceOptions {
  readonly document: ApiDocument;
  /** Of the service, without a trailing slash. */
  readonly address: string;
  /** Documentation of this and the other service. */
  readonly services: readonly NavigationLink[];
  readonly errors: readonly ErrorRow[];
  /** First steps, and the first operations to call, by method and path. */
  readonly start: { readonly steps: readonly StartStep[]; readonly calls: readonly string[] };
  /** Warnings shown before an operation is tried, by method and path. */
  readonly warnings?: Readonly<Record<string, string>>;
}

/** A part of the section on getting started; code and links in it are Markdown. */
export interface StartStep {
  readonly title: string;
  readonly text: string;
}

/** The page of an OpenAPI document: all text is in it; its script makes calls. */
export function renderReference(options: ReferenceOptions): Html {
  const { document, address, services, errors, start, warnings = {} } = options;
  const sections = sectionsOf(document);
  const named = new Map(
    sections.flatMap(({ operations }) => operations).map((operation) => [nameOf(operation), operation]),
  );
  const stray = [...Object.keys(warnings), ...start.calls].find((name) => !named.has(name));
  if (stray !== undefined) throw new TypeError(`${stray} is not in the document`);
  const calls = start.calls.flatMap((name) => named.get(name) ?? []);
  const hasAdmin = document.components?.securitySchemes?.adminToken !== undefined;
  return html`<div class="reference">
${contents({ sections, services })}
<div class="reference-body">
${introduction(document, address)}
${gettingStarted(start.steps, calls, address)}
${authentication(document)}
${renderErrors(document, errors)}
${sections.map(
  ({ id, name, description, operations }) => html`<section class="reference-section" aria-labelledby="${id}">
<div class="section-head"><h2 id="${id}">${name}</h2>${paragraphs(description)}</div>
${operations.map((operation) => renderOperation({ operation, address, warning: warnings[nameOf(operation)] }))}
</section>`,
)}
</div>
</div>
${keys(hasAdmin)}`;
}

const nameOf = ({ method, path }: { readonly method: string; readonly path: string }): string =>
  `${method} ${path}`;

interface Contents {
  readonly sections: readonly Section[];
  readonly services: readonly NavigationLink[];
}

function contents({ sections, services }: Contents): Html {
  return html`<div class="contents">
<details><summary>Contents</summary>
<nav class="contents-in" aria-label="Contents">
${
  services.length < 2
    ? null
    : html`<ul class="services">${services.map(
        ({ href, text, isHere }) =>
          html`<li>${isHere === true ? html`<a href="${href}" aria-current="page">${text}</a>` : html`<a href="${href}">${text}</a>`}</li>`,
      )}</ul>`
}
<div class="contents-tools" hidden>
<button class="button button-small button-wide open-keys" type="button">Your key</button>
<label class="try-field"><span>Search operations</span><input type="search" class="find" autocomplete="off" spellcheck="false" aria-describedby="found"></label>
<p id="found" class="hint" role="status"></p>
</div>
<ul class="contents-list"><li><a href="#introduction">Introduction</a></li><li><a href="#getting-started">Getting started</a></li><li><a href="#authentication">Authentication</a></li><li><a href="#errors">Errors</a></li></ul>
${sections.map(
  ({
    id,
    name,
    operations,
  }) => html`<div class="contents-section"><a class="contents-title" href="${`#${id}`}">${name}</a>
<ul class="contents-list">${operations.map(
    (operation) =>
      html`<li><a href="${`#${operation.id}`}">${badge(operation.method)} <span>${pathText(operation.path)}</span></a></li>`,
  )}</ul></div>`,
)}
</nav>
</details>
</div>`;
}

function introduction({ info }: ApiDocument, address: string): Html {
  return html`<section class="reference-section" aria-labelledby="introduction">
<div class="section-head">
<h1 id="introduction">${info.title} <span class="version">${info.version}</span></h1>
<div class="lead stack-small">${paragraphs(info.description)}</div>
</div>
<div class="operation"><div class="operation-text">
<p>Each operation has its parameters, its response and a request to copy. The same as an OpenAPI 3.1 document for programs: <a href="/openapi.json">openapi.json</a>.</p>
<p class="hint without-scripts">With JavaScript, you can try operations on this page with your own key, and see requests in JavaScript and Python as well.</p>
</div><div class="operation-code">${code({ title: 'Base URL', text: address, isCommand: true })}</div></div>
</section>`;
}

function gettingStarted(steps: readonly StartStep[], calls: readonly Operation[], address: string): Html {
  return html`<section class="reference-section" aria-labelledby="getting-started">
<div class="section-head"><h2 id="getting-started">Getting started</h2></div>
<div class="operation"><div class="operation-text">
${steps.map(({ title, text }) => html`<h3 class="minor">${title}</h3>${paragraphs(text)}`)}
</div><div class="operation-code">
${calls.map((operation) => code({ title: operation.summary, text: curlOf(operation, address), isCommand: true }))}
</div></div>
</section>`;
}

const HEADERS: readonly [string, string][] = [
  ['X-Request-Id', 'Id of the request, as in the log of the service. If you send one, it is kept.'],
  ['RateLimit, RateLimit-Policy', 'What is left of your rate limits, and what they are.'],
  ['Retry-After', 'Seconds to wait before a retry.'],
  ['Elnav-Error', 'Code of the error.'],
];

function authentication({ components }: ApiDocument): Html {
  const schemes = Object.values(components?.securitySchemes ?? {});
  const carried = (scheme: (typeof schemes)[number]): Part =>
    scheme.type === 'http'
      ? html`<code>Authorization: Bearer …</code>`
      : html`<code>${scheme.in === 'cookie' ? `Cookie: ${scheme.name}=…` : `${scheme.name}: …`}</code>`;
  return html`<section class="reference-section" aria-labelledby="authentication">
<div class="section-head"><h2 id="authentication">Authentication</h2></div>
<div class="operation"><div class="operation-text">
<ul class="properties">${schemes.map(
    (scheme) =>
      html`<li class="property"><div class="property-head">${carried(scheme)}</div>${scheme.description === undefined ? null : html`<p>${inline(scheme.description)}</p>`}</li>`,
  )}</ul>
<h3 class="minor">Response headers</h3>
<ul class="properties">${HEADERS.map(
    ([name, meaning]) =>
      html`<li class="property"><div class="property-head"><code class="property-name">${name}</code></div><p>${meaning}</p></li>`,
  )}</ul>
</div>
<div class="operation-code"><div class="card contents-tools" hidden><p>To try operations on this page, enter your key once. It stays in the memory of the page and is gone when you close or reload it.</p><button class="button button-primary open-keys" type="button">Your key</button></div></div>
</div></section>`;
}

/** The form in which the user enters the API key. */
function keys(hasAdmin: boolean): Html {
  return html`<dialog id="keys" class="keys" aria-labelledby="keys-title">
<form method="dialog" class="stack" autocomplete="off">
<h2 id="keys-title">Your key</h2>
<p class="hint">Kept only in the memory of this page, and sent only to this service. It is gone when you close or reload the page.</p>
<label class="try-field"><span>API key</span><input type="password" name="key" autocomplete="off" spellcheck="false" placeholder="elnav_…"></label>
${hasAdmin ? html`<label class="try-field"><span>Admin token</span><input type="password" name="admin" autocomplete="off" spellcheck="false"></label>` : null}
<div class="row"><button class="button button-primary" value="keep">Use</button><button class="button" value="forget">Forget</button><button class="button" value="">Cancel</button></div>
</form>
</dialog>`;
}

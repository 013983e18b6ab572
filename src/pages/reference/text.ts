import { type Html, html, type Part } from '../html.ts';

/** A piece of a paragraph: code between backticks, a link, or text. */
const PIECES = /`([^`]+)`|\[([^\]]+)\]\(([^()\s]+)\)/g;

/** Paragraphs of text; of Markdown only code spans and links are supported. */
export function paragraphs(text: string | undefined): readonly Html[] {
  return (text ?? '')
    .split(/\n\s*\n/)
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map((one) => html`<p>${inline(one)}</p>`);
}

export function inline(text: string): readonly Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (const match of text.matchAll(PIECES)) {
    const [all, code, label, href] = match;
    parts.push(text.slice(at, match.index));
    parts.push(code === undefined ? html`<a href="${href}">${label}</a>` : html`<code>${code}</code>`);
    at = match.index + all.length;
  }
  return [...parts, text.slice(at)];
}

/** A path that may break after its slashes, with its parameters marked. */
export function pathText(path: string): readonly Html[] {
  return path
    .split(/(?<=\/)/)
    .map((step) =>
      step.includes('{') ? html`<span class="path-parameter">${step}</span><wbr>` : html`${step}<wbr>`,
    );
}

/** Names, texts and figures of a JSON text. */
const TOKENS = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*|true|false|null)/g;

/** An example as JSON, with tokens marked for colouring. */
export function json(value: unknown): Html {
  const text = JSON.stringify(value, null, 2);
  const parts: Part[] = [];
  let at = 0;
  for (const match of text.matchAll(TOKENS)) {
    const [all, quoted, colon, other] = match;
    parts.push(text.slice(at, match.index));
    if (quoted === undefined) parts.push(html`<span class="t-figure">${other}</span>`);
    else if (colon === undefined) parts.push(html`<span class="t-text">${quoted}</span>`);
    else parts.push(html`<span class="t-name">${quoted}</span>${colon}`);
    at = match.index + all.length;
  }
  return html`${parts}${text.slice(at)}`;
}

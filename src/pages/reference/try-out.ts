import { flag, type Html, html } from '../html.ts';
import { kindOf, type Operation, type Parameter } from './document.ts';
import { exampleOf } from './example.ts';

interface TryOptions {
  readonly operation: Operation;
  readonly warning: string | undefined;
}

/** The form to try an operation; hidden until the page's script shows it. */
export function tryOut({ operation, warning }: TryOptions): Html {
  const { id, method, path, access, parameters, summary } = operation;
  return html`<details class="try" hidden><summary aria-label="${`Try it: ${summary}`}">Try it</summary>
<form class="try-form" autocomplete="off" aria-label="${`Try: ${summary}`}" data-operation="${id}" data-method="${method}" data-path="${path}" data-access="${access}" data-kind="${kindOf(operation)}">
<p class="try-key"></p>
${parameters.map(field)}
${bodyField(operation)}
${
  warning === undefined
    ? null
    : html`<label class="check notice notice-note try-warning"><input type="checkbox" name="warning" required> <span>${warning}</span></label>`
}
<div class="row"><button class="button button-primary" type="submit">Send</button><button class="button" type="button" name="stop" hidden>Stop</button></div>
</form>
<div class="try-answer" role="status"></div>
</details>`;
}

function bodyField({ body }: Operation): Html | null {
  if (body === undefined) return null;
  const text = JSON.stringify(exampleOf(body.schema, { onlyRequired: true }), null, 2);
  const rows = Math.min(Math.max(text.split('\n').length + 1, 4), 18);
  return html`<label class="try-field"><span>Body <span class="property-type">${body.type}</span></span><textarea name="body" rows="${rows}" spellcheck="false" data-in="body" data-type="${body.type}">
${text}</textarea></label>`;
}

function field({ name, in: place, required, schema = {} }: Parameter): Html {
  const needed = required === true;
  const label = html`<span><code>${name}</code>${needed ? html` <span class="mark mark-required">required</span>` : null}</span>`;
  const choices =
    schema.type === 'boolean' ? ['true', 'false'] : schema.enum?.filter((value) => value !== '');
  if (choices !== undefined) {
    const filled = needed ? exampleOf(schema) : undefined;
    return html`<label class="try-field">${label}<select name="${name}" data-in="${place}"><option value="">not sent</option>${choices.map(
      (value) =>
        html`<option value="${String(value)}" ${flag('selected', value === filled)}>${String(value)}</option>`,
    )}</select></label>`;
  }
  const value = needed || schema.examples !== undefined ? startOf(schema) : '';
  return html`<label class="try-field">${label}<input type="text" name="${name}" value="${value}" spellcheck="false" data-in="${place}" ${flag('required', place === 'path')}></label>`;
}

/** Initial value of a field: an example from the document; generated ones are not used. */
const startOf = (schema: Parameter['schema']): string => {
  const [example] = schema?.examples ?? [];
  return example === undefined ? '' : String(example);
};

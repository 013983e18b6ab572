import { flag, type Html, html } from '../../../pages/html.ts';

/* What fields of forms are made of, where a form is sent back with what is wrong beside them. */

/** What was wrong with the fields of a form, by their names. */
export type Faults = Readonly<Record<string, string>>;

/** What was wrong with one field. */
export interface FieldFault {
  readonly fault?: string | undefined;
  /** Whether the page begins at an earlier field. */
  readonly isFurther?: boolean;
}

/** What was wrong with each field of a form. The page begins at the first of them, in the order of the form. */
export function faultsIn(faults: Faults, order: readonly string[]): (name: string) => FieldFault {
  const first = order.find((name) => faults[name] !== undefined);
  return (name) => ({ fault: faults[name], isFurther: name !== first });
}

/** Marks a field where something was wrong with it, and begins the page there. */
export const mark = ({ fault, isFurther = false }: FieldFault): Html | null =>
  fault === undefined ? null : html`aria-invalid="true" ${flag('autofocus', !isFurther)}`;

export function faultText(id: string, fault: string | undefined): Html | null {
  return fault === undefined ? null : html`<p class="fault" id="${`${id}-fault`}">${fault}</p>`;
}

/** The ids of what describes a field: its fault first. '' where it has neither. */
export function describedBy(
  id: string,
  { fault, hint }: { readonly fault: string | undefined; readonly hint: string | undefined },
): string {
  return [fault === undefined ? '' : `${id}-fault`, hint === undefined ? '' : `${id}-hint`]
    .filter((name) => name !== '')
    .join(' ');
}

interface Section {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly body: Html;
}

/** A part of the page: on wide screens its heading stands to the left of its body. */
export function section({ id, title, text, body }: Section): Html {
  return html`<section class="part" aria-labelledby="${id}">
<div class="part-head stack-small"><h2 id="${id}">${title}</h2><p class="soft">${text}</p></div>
<div class="part-body stack">${body}</div>
</section>`;
}

interface TextField extends FieldFault {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly type?: 'text' | 'password' | 'url';
  readonly value?: string;
  readonly autocomplete?: string;
  readonly longest?: number;
  /** The text behind the label of an optional field. */
  readonly optional?: string;
}

/** A text field with its label, its hint and its fault. It shows the sent value. */
export function textField(field: TextField): Html {
  const {
    id,
    name,
    label,
    hint,
    fault,
    type = 'text',
    value = '',
    autocomplete = 'off',
    longest = 1_024,
    optional,
  } = field;
  return html`<div class="field"><label for="${id}">${label}${optional === undefined ? null : html` <span class="soft">(${optional})</span>`}</label>
${hint === undefined ? null : html`<p class="hint" id="${`${id}-hint`}">${hint}</p>`}
${faultText(id, fault)}
<input id="${id}" name="${name}" type="${type}" value="${value}" autocomplete="${autocomplete}" maxlength="${longest}" aria-describedby="${describedBy(id, { fault, hint })}" ${flag('required', optional === undefined)} ${mark(field)}></div>`;
}

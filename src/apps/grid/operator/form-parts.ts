import { flag, type Html, html } from '../../../pages/html.ts';
import { describedBy, type FieldFault, faultText, mark } from '../pages/form-parts.ts';

/* Fields of the operator's forms besides lines of text. */

interface NumberField extends FieldFault {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly value: string;
}

/** A whole number; it shows what was sent. */
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

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

import { ValidationError } from '../../../http/errors.ts';
import { Form } from '../../../http/forms.ts';

/** What was sent as a form, or the same as JSON: texts, lists of texts, and `true` for what is ticked. */
export function sentFields(body: unknown): Form {
  if (body instanceof Form) return body;
  const fields = new URLSearchParams();
  if (typeof body !== 'object' || body === null) return new Form(fields);
  for (const [name, value] of Object.entries(body)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (typeof one === 'string') fields.append(name, one);
      else if (one === true) fields.append(name, '1');
      else if (one !== null && one !== false) throw notText(name);
    }
  }
  return new Form(fields);
}

function notText(name: string): ValidationError {
  return new ValidationError([
    { type: 'string_type', loc: ['body', name], msg: 'Input should be a valid string' },
  ]);
}

import { type Html, html, type Part } from '../html.ts';
import { membersOf, type Schema } from './document.ts';
import { inline } from './text.ts';

/** Direction of a value. Sent ones are marked with required fields, returned ones with optional fields. */
type Direction = 'sent' | 'answered';

/** The type of a value in words. */
export function typeOf(schema: Schema): string {
  const members = membersOf(schema);
  const names = [...new Set(members.map(nameOf))];
  const isNullable = (schema.anyOf ?? schema.oneOf)?.some(({ type }) => type === 'null') === true;
  return [...names, ...(isNullable ? ['null'] : [])].join(' or ');
}

function nameOf(schema: Schema): string {
  if (schema.type === 'array') {
    const of = typeOf(schema.items ?? {});
    return of === 'anything' ? 'array' : `array of ${of}`;
  }
  if (schema.type !== undefined)
    return schema.format === undefined ? schema.type : `${schema.type}, ${schema.format}`;
  const first = choicesOf(schema)[0];
  if (first !== undefined) return typeof first;
  return schema.properties === undefined ? 'anything' : 'object';
}

/** The values of an enum or const. */
function choicesOf(schema: Schema): readonly unknown[] {
  if (schema.const !== undefined) return [schema.const];
  return (schema.enum ?? []).filter((value) => value !== '');
}

/** Constraints on a value besides its type. */
export function limitsOf(schema: Schema): readonly Part[] {
  const of = membersOf(schema).find(({ type }) => type !== undefined) ?? schema;
  const choices = membersOf(schema).flatMap(choicesOf);
  const facts: Part[] = [];
  if (choices.length > 0) {
    const codes = choices.map((value, index) => html`${index === 0 ? '' : ', '}<code>${text(value)}</code>`);
    facts.push(html`${choices.length === 1 ? 'always' : 'one of'} ${codes}`);
  }
  facts.push(range(of.minimum, of.maximum, ''));
  facts.push(range(of.minLength, of.maxLength, 'characters'));
  facts.push(range(of.minItems, of.maxItems, 'items'));
  if (of.pattern !== undefined) facts.push(html`matches <code>${of.pattern}</code>`);
  if (schema.default !== undefined && schema.default !== '')
    facts.push(html`default <code>${text(schema.default)}</code>`);
  return facts.filter((fact) => fact !== null);
}

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** A range in words; the limits of safe integers are not shown. */
function range(least: number | undefined, most: number | undefined, unit: string): string | null {
  const from = least === undefined || least <= Number.MIN_SAFE_INTEGER ? undefined : least;
  const to = most === undefined || most >= Number.MAX_SAFE_INTEGER ? undefined : most;
  const words = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: 20 });
  const end = unit === '' ? '' : ` ${unit}`;
  if (from !== undefined && to !== undefined)
    return from === to ? `exactly ${words(from)}${end}` : `${words(from)} to ${words(to)}${end}`;
  if (from !== undefined) return unit !== '' && from === 0 ? null : `at least ${words(from)}${end}`;
  return to === undefined ? null : `at most ${words(to)}${end}`;
}

interface PropertyOptions {
  readonly name: string;
  readonly schema: Schema;
  readonly description?: string | undefined;
  /** A word beside the type: required, optional. */
  readonly mark: string | undefined;
  readonly inside?: Part;
}

/** A named value: name, type, limits and description. */
export function property({
  name,
  schema,
  description = schema.description,
  mark,
  inside,
}: PropertyOptions): Html {
  const limits = limitsOf(schema);
  return html`<li class="property">
<div class="property-head"><code class="property-name">${name}</code> <span class="property-type">${typeOf(schema)}</span>${
    mark === undefined
      ? null
      : html` <span class="${mark === 'required' ? 'mark mark-required' : 'mark'}">${mark}</span>`
  }</div>
${description === undefined ? null : html`<p>${inline(description)}</p>`}
${limits.length === 0 ? null : html`<p class="limits">${limits.map((limit, index) => html`${index === 0 ? '' : ' · '}${limit}`)}</p>`}
${inside}
</li>`;
}

/** The inner structure of a value: properties of an object or of an array's objects, or variants; null if none. */
export function tree(schema: Schema, direction: Direction): Html | null {
  const members = membersOf(schema).map((member) =>
    member.type === 'array' ? (member.items ?? {}) : member,
  );
  const objects = members
    .flatMap(membersOf)
    .filter(({ properties }) => Object.keys(properties ?? {}).length > 0);
  const [only, ...others] = objects;
  if (only === undefined) return null;
  if (others.length === 0) return properties(only, direction);
  return html`<div class="variants"><p class="limits">One of ${objects.length}:</p>${objects.map(
    (object) =>
      html`<details class="variant"><summary>${labelOf(object)}</summary>${properties(object, direction)}</details>`,
  )}</div>`;
}

function properties({ properties: all = {}, required = [] }: Schema, direction: Direction): Html {
  return html`<ul class="properties">${Object.entries(all).map(([name, schema]) => {
    const isRequired = required.includes(name);
    const marks = {
      sent: isRequired ? 'required' : undefined,
      answered: isRequired ? undefined : 'optional',
    };
    const inside = tree(schema, direction);
    return property({
      name,
      schema,
      mark: marks[direction],
      inside:
        inside === null
          ? null
          : html`<details class="inner"><summary>Fields of <code>${name}</code></summary>${inside}</details>`,
    });
  })}</ul>`;
}

/** Label of a variant: its title, or the values that only it has. */
function labelOf({ title, properties: all = {} }: Schema): Part {
  if (title !== undefined) return title;
  const fixed = Object.entries(all).filter(([, schema]) => choicesOf(schema).length === 1);
  const [first] = fixed;
  if (first === undefined)
    return html`with ${Object.keys(all).map((name, index) => html`${index === 0 ? '' : ', '}<code>${name}</code>`)}`;
  return html`<code>${first[0]}: ${text(choicesOf(first[1])[0])}</code>`;
}

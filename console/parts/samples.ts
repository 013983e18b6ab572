const KEPT = 'elnav.docs.language';

/** The chosen language of the examples; curl by default. */
export const chosenLanguage = (): LanguageName => chosen;

/** Adds a choice of language to every request of an operation; `changed` is called to show all of them in the new one. */
export function makeLanguagesChoosable(changed: () => void): void {
  const choices: HTMLSelectElement[] = [];
  for (const title of document.querySelectorAll(
    '.operation:has(.try-form) figure:has(.command) figcaption',
  )) {
    const choice = document.createElement('select');
    choice.className = 'language';
    choice.setAttribute('aria-label', 'Language of the examples');
    for (const name of Object.keys(LANGUAGES)) choice.append(new Option(name, name));
    choice.value = chosen;
    choice.addEventListener('change', () => {
      chosen = choice.value as LanguageName;
      for (const other of choices) other.value = chosen;
      remember(chosen);
      changed();
    });
    choices.push(choice);
    title.insertBefore(choice, title.querySelector('.copy'));
  }
  if (chosen !== 'curl') changed();
}

function remembered(): LanguageName {
  try {
    const name = localStorage.getItem(KEPT) ?? '';
    return Object.hasOwn(LANGUAGES, name) ? (name as LanguageName) : 'curl';
  } catch {
    // A browser may forbid storage.
    return 'curl';
  }
}

function remember(name: LanguageName): void {
  try {
    localStorage.setItem(KEPT, name);
  } catch {
    // Then the choice applies to this page only.
  }
}

/** A call as a sample to copy. */
export interface Sample {
  readonly method: string;
  readonly url: string;
  /** Without secret ones. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Headers whose values are environment variables, as they are secret. */
  readonly secrets: readonly (readonly [name: string, variable: string])[];
  /** The text of the body, and whether it is JSON. */
  readonly body: { readonly text: string; readonly isJson: boolean } | undefined;
  /** How the response is read. */
  readonly kind: 'json' | 'text' | 'stream';
}

/** Quotes text as one shell word. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function curl({ method, url, headers, secrets, body, kind }: Sample): string {
  return [
    `curl ${kind === 'stream' ? '-N ' : ''}${method === 'GET' ? '' : `-X ${method} `}${quoted(url)}`,
    ...secrets.map(([name, variable]) => `-H "${name}: $${variable}"`),
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(body.text)}`]),
  ].join(' \\\n  ');
}

function javascript({ method, url, headers, secrets, body, kind }: Sample): string {
  const json = jsonIn(body);
  const fields = [
    ...secrets.map(([name, variable]) => `${JSON.stringify(name)}: process.env.${variable}`),
    ...headers.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`method: ${JSON.stringify(method)}`]),
    ...(fields.length === 0 ? [] : [`headers: {\n    ${fields.join(',\n    ')}\n  }`]),
    ...(body === undefined
      ? []
      : json === undefined
        ? [`body: ${JSON.stringify(body.text)}`]
        : [`body: JSON.stringify(${indented(JSON.stringify(json.value, null, 2), 2)})`]),
  ];
  const call = `const response = await fetch(${JSON.stringify(url)}${options.length === 0 ? '' : `, {\n  ${options.join(',\n  ')}\n}`});`;
  const shown = {
    json: 'console.log(response.status, await response.json());',
    text: 'console.log(response.status, await response.text());',
    stream: 'for await (const text of response.body.pipeThrough(new TextDecoderStream())) console.log(text);',
  };
  return `${call}\n${shown[kind]}`;
}

function python({ method, url, headers, secrets, body, kind }: Sample): string {
  const json = jsonIn(body);
  const fields = [
    ...secrets.map(([name, variable]) => `${JSON.stringify(name)}: os.environ["${variable}"]`),
    // `json=` sends the content type.
    ...headers
      .filter(([name]) => json === undefined || name !== 'content-type')
      .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`),
  ];
  const given = [
    JSON.stringify(url),
    ...(fields.length === 0 ? [] : [`headers={${fields.join(', ')}}`]),
    ...(body === undefined
      ? []
      : [
          json === undefined
            ? `data=${JSON.stringify(body.text)}`
            : `json=${indented(pythonOf(json.value), 4)}`,
        ]),
    ...(kind === 'stream' ? ['stream=True'] : []),
  ];
  const call = `requests.${method.toLowerCase()}(\n    ${given.join(',\n    ')},\n)`;
  const imports = `${secrets.length === 0 ? '' : 'import os\n\n'}import requests\n\n`;
  if (kind === 'stream')
    return `${imports}response = ${call}\nfor line in response.iter_lines(decode_unicode=True):\n    print(line)`;
  return `${imports}response = ${call}\nprint(response.status_code, response.${kind === 'json' ? 'json()' : 'text'})`;
}

/** A JSON value as a Python literal. */
function pythonOf(value: unknown, depth = 0): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  const [outer, inner] = ['    '.repeat(depth), '    '.repeat(depth + 1)];
  const block = (open: string, items: readonly string[], close: string) =>
    items.length === 0
      ? `${open}${close}`
      : `${open}\n${items.map((item) => `${inner}${item},\n`).join('')}${outer}${close}`;
  if (Array.isArray(value))
    return block(
      '[',
      value.map((item) => pythonOf(item, depth + 1)),
      ']',
    );
  if (typeof value === 'object')
    return block(
      '{',
      Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${pythonOf(item, depth + 1)}`),
      '}',
    );
  return JSON.stringify(value);
}

/** The parsed JSON body; undefined while it is not valid JSON. */
function jsonIn(body: Sample['body']): { readonly value: unknown } | undefined {
  if (body?.isJson !== true) return undefined;
  try {
    return { value: JSON.parse(body.text) };
  } catch {
    return undefined;
  }
}

const indented = (text: string, spaces: number): string => text.replaceAll('\n', `\n${' '.repeat(spaces)}`);

/** In the order of the menu. */
export const LANGUAGES = { curl, JavaScript: javascript, Python: python } as const;
type LanguageName = keyof typeof LANGUAGES;

// Below the languages: they are looked up when the module is loaded.
let chosen: LanguageName = remembered();

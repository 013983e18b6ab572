/**
 * Formats JSON with one line per value. The text is rearranged, not parsed: parsed numbers would lose digits.
 */
function indentJson(text: string): string {
  let depth = 0;
  let written = '';
  const line = () => `\n${'  '.repeat(depth)}`;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{[]\s*[}\]]|[{}[\],:]|[^\s{}[\],:"]+/g)) {
    if (token === '{' || token === '[') {
      depth += 1;
      written += token + line();
    } else if (token === '}' || token === ']') {
      depth -= 1;
      written += line() + token;
    } else if (token === ',') written += token + line();
    else if (token === ':') written += ': ';
    else written += token.length > 1 && /^[{[]/.test(token) ? `${token[0]}${token.at(-1)}` : token;
  }
  return written;
}

/** Characters of a response that are shown. */
const SHOWN = 200 * 1024;

interface Read {
  readonly text: string;
  /** Whether there was more. */
  readonly isCut: boolean;
}

/** Reads the start of a body and drops the rest; `onText` gets all text received so far. */
export async function readBeginning(
  { body }: Response,
  onText: (text: string) => void = () => {},
): Promise<Read> {
  if (body === null) return { text: '', isCut: false };
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { text: text + decoder.decode(), isCut: false };
      text += decoder.decode(value, { stream: true });
      if (text.length > SHOWN) return { text: text.slice(0, SHOWN), isCut: true };
      onText(text);
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** Response headers to show; the others only concern the browser. */
const SHOWN_HEADERS = [
  'elnav-error',
  'content-type',
  'retry-after',
  'ratelimit',
  'ratelimit-policy',
  'idempotent-replayed',
  'link',
  'location',
  'etag',
  'x-request-id',
];

/** An element with text or elements in it. Text is never interpreted as markup. */
export function element(name: string, className: string, ...inside: (Node | string)[]): HTMLElement {
  const made = document.createElement(name);
  made.className = className;
  made.append(...inside);
  return made;
}

interface ReceivedResponse {
  readonly response: Response;
  readonly read: Read;
  readonly milliseconds: number;
}

/** Elements that show a response. */
export function answerParts({ response, read, milliseconds }: ReceivedResponse): HTMLElement[] {
  const { status, statusText, headers } = response;
  const headerParts = SHOWN_HEADERS.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [element('dt', '', name), element('dd', '', value)];
  });
  const isJson = headers.get('content-type')?.includes('json') === true;
  const length = new TextEncoder().encode(read.text).length;
  const line = element(
    'p',
    'answer-line',
    element('strong', response.ok ? 'is-good' : 'is-bad', `${status} ${statusText}`.trim()),
    element('span', 'number', `${Math.round(milliseconds)} ms`),
    element('span', 'number', read.isCut ? `more than ${kilobytes(SHOWN)}` : kilobytes(length)),
  );
  return [
    line,
    ...(response.ok ? [] : faultParts(response, read.text)),
    ...(read.text === ''
      ? [element('p', 'hint', 'The response has no body.')]
      : [codeOf(isJson ? indentJson(read.text) : read.text)]),
    ...(read.isCut
      ? [
          element(
            'p',
            'hint',
            `Only the first ${kilobytes(SHOWN)} are shown. The request above the form returns all of it.`,
          ),
        ]
      : []),
    element(
      'details',
      'inner',
      element('summary', '', 'Headers'),
      element('dl', 'answer-headers', ...headerParts),
    ),
  ];
}

const kilobytes = (bytes: number): string =>
  bytes < 1024 ? `${bytes} bytes` : `${Math.round(bytes / 1024)} KB`;

/** A body as text, scrollable by keyboard. */
export function codeOf(text: string): HTMLElement {
  const pre = element('pre', 'answer-body', element('code', '', text));
  pre.tabIndex = 0;
  pre.setAttribute('role', 'group');
  pre.setAttribute('aria-label', 'Response body');
  return pre;
}

/** The sentence of an error, with a hint if the page has one. */
function faultParts({ status, headers }: Response, text: string): HTMLElement[] {
  const code = headers.get('elnav-error') ?? '';
  const sentence = sentenceIn(text);
  const wait = headers.get('retry-after');
  const advice = ['key.missing', 'key.invalid', 'admin.token_invalid'].includes(code)
    ? 'Enter a valid one with the button Your key.'
    : code === 'key.scope_missing'
      ? 'Use a key with the scope.'
      : wait !== null
        ? `Retry in ${wait} seconds.`
        : status >= 500
          ? 'This is not caused by your request. Retry later.'
          : '';
  return [
    element(
      'div',
      'notice notice-bad',
      element('p', '', sentence === '' ? 'The service refused the request.' : sentence),
      ...(advice === '' ? [] : [element('p', 'small', advice)]),
    ),
  ];
}

/** The error sentence in a body of either service. */
function sentenceIn(text: string): string {
  try {
    const { error, detail } = JSON.parse(text) as { error?: unknown; detail?: unknown };
    const said = error ?? detail;
    if (typeof said === 'string') return said;
    if (!Array.isArray(said)) return '';
    return said
      .map(({ loc, msg }: { loc?: unknown[]; msg?: unknown }) => `${loc?.slice(1).join('.')}: ${msg}`)
      .join('; ');
  } catch {
    return '';
  }
}

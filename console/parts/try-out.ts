import { fieldsOf, keySentence, listenForKeys, newIdempotencyKey, readCall, readSample } from './call.ts';
import { chosenLanguage, LANGUAGES, makeLanguagesChoosable } from './samples.ts';
import { answerParts, codeOf, element, readBeginning } from './show-answer.ts';

/** Longest time that a stream is read. */
const STREAM_MS = 120_000;

/** Shows the forms for trying operations and makes them work. */
export function makeCallable(): void {
  const forms = [...document.querySelectorAll<HTMLFormElement>('.try-form')];
  for (const form of forms) prepare(form);
  listenForKeys(() => forms.forEach(showKeySentence));
  makeLanguagesChoosable(() => forms.forEach(showSample));
}

function prepare(form: HTMLFormElement): void {
  const panel = form.closest<HTMLDetailsElement>('.try');
  if (panel !== null) panel.hidden = false;
  const update = () => showSample(form);
  renewIdempotencyKey(form);
  showKeySentence(form);
  // The sample follows the form once it is opened; before that it has the page's examples.
  panel?.addEventListener('toggle', () => {
    if (panel.open) update();
  });
  form.addEventListener('input', ({ target }) => {
    if (target instanceof HTMLElement && target.dataset.in === 'header') target.dataset.typed = 'yes';
    update();
  });
  form.addEventListener('keys', update);
  let sending: AbortController | undefined;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (sending !== undefined) return;
    sending = new AbortController();
    const done = () => {
      sending = undefined;
      update();
    };
    send(form, sending).then(done, done);
  });
  button(form, 'stop')?.addEventListener('click', () => sending?.abort());
}

/** Shows the call of a form in the chosen language. */
function showSample(form: HTMLFormElement): void {
  const sample = form.closest('.operation')?.querySelector('code.command');
  if (sample instanceof HTMLElement) sample.textContent = LANGUAGES[chosenLanguage()](readSample(form));
}

/** Shows above the form which credentials are sent. */
function showKeySentence(form: HTMLFormElement): void {
  const { text, canEnter } = keySentence(form.dataset.access ?? '');
  const line = form.querySelector('.try-key');
  if (line === null) return;
  line.replaceChildren(text);
  if (canEnter) {
    const open = element('button', 'button button-small open-keys', 'Your key');
    open.setAttribute('type', 'button');
    line.append(' ', open);
  }
  if (form.closest<HTMLDetailsElement>('.try')?.open === true) form.dispatchEvent(new Event('keys'));
}

const button = (form: HTMLFormElement, name: string): HTMLButtonElement | null =>
  form.querySelector<HTMLButtonElement>(`button[name="${name}"]`);

const idempotencyOf = (form: HTMLFormElement) =>
  fieldsOf(form).find(({ name }) => name.toLowerCase() === 'idempotency-key');

/** After a response the next call gets a new key, unless the user chose one. */
function renewIdempotencyKey(form: HTMLFormElement): void {
  const field = idempotencyOf(form);
  if (field !== undefined && field.dataset.typed === undefined) field.value = newIdempotencyKey();
}

async function send(form: HTMLFormElement, sending: AbortController): Promise<void> {
  const out = form.parentElement?.querySelector('.try-answer');
  if (out === null || out === undefined) return;
  const submit = form.querySelector<HTMLButtonElement>('button[type="submit"]');
  const stop = button(form, 'stop');
  const { method, target, headers, body, withSession, isStream } = readCall(form);
  out.replaceChildren(element('p', 'hint', isStream ? 'Listening…' : 'Sending…'));
  submit?.setAttribute('aria-disabled', 'true');
  if (stop !== null) stop.hidden = false;
  const begin = performance.now();
  const timer = isStream ? setTimeout(() => sending.abort(), STREAM_MS) : undefined;
  let heard = '';
  try {
    const response = await fetch(target, {
      method,
      headers: [...headers],
      ...(body === undefined ? {} : { body }),
      credentials: withSession ? 'same-origin' : 'omit',
      cache: 'no-store',
      redirect: 'manual',
      signal: sending.signal,
    });
    const milliseconds = performance.now() - begin;
    if (response.type === 'opaqueredirect') {
      out.replaceChildren(
        notice(
          'The response redirects to another page. Scripts cannot see it: open the operation in the browser itself.',
        ),
      );
      return;
    }
    const read = await readBeginning(response, (text) => {
      heard = text;
      if (isStream) out.replaceChildren(element('p', 'hint', 'Listening… Stop ends it.'), codeOf(text));
    });
    out.replaceChildren(...answerParts({ response, read, milliseconds }));
    renewIdempotencyKey(form);
  } catch {
    out.replaceChildren(
      ...(sending.signal.aborted
        ? [element('p', 'hint', 'Stopped.')]
        : [
            notice(
              'The service did not respond. It may have stopped, or the connection was lost. It is unknown whether the request arrived.',
            ),
          ]),
      ...(heard === '' ? [] : [codeOf(heard)]),
    );
  } finally {
    clearTimeout(timer);
    submit?.removeAttribute('aria-disabled');
    if (stop !== null) {
      if (document.activeElement === stop) submit?.focus();
      stop.hidden = true;
    }
    // Every irreversible call must be confirmed again.
    const warning = form.querySelector<HTMLInputElement>('input[name="warning"]');
    if (warning !== null) warning.checked = false;
  }
}

const notice = (text: string): HTMLElement => element('div', 'notice notice-bad', element('p', '', text));

/* Makes the pages of linking quicker; all of them work without it. */

/** Shorter prefixes match too many brands. */
const SHORTEST_BRAND = 3;

/** Filters vendors while the user types, like the server's search. */
function searchAtOnce(input: HTMLInputElement): void {
  const status = document.querySelector<HTMLElement>('[data-found]');
  if (status === null) return;
  for (const replaced of document.querySelectorAll<HTMLElement>('[data-replaced]')) replaced.hidden = true;
  input.form?.addEventListener('submit', (event) => event.preventDefault());
  input.addEventListener('input', () => {
    const typed = input.value.toLowerCase();
    const brandWords = typed.split(/\s+/).filter(Boolean);
    const words = typed.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
    let matches = 0;
    for (const line of document.querySelectorAll<HTMLElement>('[data-brand]'))
      line.hidden = !brandWords.some(
        (word) => word.length >= SHORTEST_BRAND && ` ${line.dataset.brand}`.includes(` ${word}`),
      );
    for (const item of document.querySelectorAll<HTMLElement>('[data-words]')) {
      const isMeant = words.every((word) => ` ${item.dataset.words}`.includes(` ${word}`));
      item.hidden = !isMeant;
      if (isMeant) matches += 1;
    }
    status.textContent =
      matches === 0
        ? (status.dataset.nothing ?? '')
        : (status.dataset.found ?? '').replace('0', String(matches));
  });
}

/** Lets the user show the password, which is hard to type on a phone. */
function showOnDemand(input: HTMLInputElement): void {
  const { show = '', hide = '' } = input.dataset;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'button';
  const label = (): void => {
    const isShown = input.type === 'text';
    button.textContent = isShown ? hide : show;
    button.setAttribute('aria-pressed', String(isShown));
  };
  button.setAttribute('aria-controls', input.id);
  button.addEventListener('click', () => {
    input.type = input.type === 'text' ? 'password' : 'text';
    label();
  });
  label();
  input.after(button);
}

/** Prevents a second submission, as the vendor may respond slowly. */
function sendOnce(form: HTMLFormElement): void {
  const button = form.querySelector<HTMLButtonElement>('.button-primary');
  const text = form.querySelector<HTMLElement>('[data-busy-text]');
  const set = (isBusy: boolean): void => {
    if (button !== null) button.disabled = isBusy;
    if (text !== null) text.textContent = isBusy ? (form.dataset.busy ?? '') : '';
  };
  form.addEventListener('submit', () => {
    for (const input of form.querySelectorAll<HTMLInputElement>('.secret input')) input.type = 'password';
    set(true);
  });
  // The back button may restore the page in its last state.
  window.addEventListener('pageshow', () => set(false));
}

/** Polls until the awaited event has happened, then reloads the page. */
function pollForChange(waiting: HTMLElement): void {
  const everyMs = Number(waiting.dataset.pollForChange) * 1000;
  const look = async (): Promise<void> => {
    const answer = await fetch(location.href, { headers: { accept: 'text/html' } }).catch(() => undefined);
    const page = new DOMParser().parseFromString((await answer?.text()) ?? '', 'text/html');
    const isStillWaiting = answer?.ok !== true || page.querySelector('[data-look-again]') !== null;
    if (isStillWaiting) setTimeout(look, everyMs);
    else location.reload();
  };
  setTimeout(look, everyMs);
}

function copyOnDemand(line: HTMLElement): void {
  const code = line.querySelector('code');
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'button';
  button.textContent = line.dataset.copy ?? '';
  button.setAttribute('aria-live', 'polite');
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code?.textContent ?? '');
    button.textContent = line.dataset.copied ?? '';
  });
  line.append(button);
}

for (const input of document.querySelectorAll<HTMLInputElement>('[data-search]')) searchAtOnce(input);
for (const input of document.querySelectorAll<HTMLInputElement>('[data-show]')) showOnDemand(input);
for (const form of document.querySelectorAll<HTMLFormElement>('[data-busy]')) sendOnce(form);
for (const line of document.querySelectorAll<HTMLElement>('[data-copy]')) copyOnDemand(line);
for (const waiting of document.querySelectorAll<HTMLElement>('[data-look-again]')) pollForChange(waiting);
document.querySelector<HTMLElement>('[data-focus]')?.focus();

export {};

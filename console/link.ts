/* Makes the pages of linking quicker; all of them work without it. */

/** Between two keystrokes of somebody who types on. */
const PAUSE_MS = 120;

/** Searches while the user types, and shows what the service found. */
function searchAtOnce(form: HTMLFormElement): void {
  const input = form.querySelector<HTMLInputElement>('input[name=q]');
  if (input === null) return;
  for (const replaced of document.querySelectorAll<HTMLElement>('[data-replaced]')) replaced.hidden = true;
  let asking = new AbortController();
  let pause = 0;
  let hasFailed = false;

  const ask = async (): Promise<void> => {
    clearTimeout(pause);
    asking.abort();
    asking = new AbortController();
    const { signal } = asking;
    try {
      const query = new URLSearchParams({ q: input.value });
      const answer = await fetch(`${form.action}?${query}`, { headers: { accept: 'text/html' }, signal });
      hasFailed = !show(await answer.text());
    } catch {
      hasFailed = !signal.aborted;
    }
  };

  input.addEventListener('input', () => {
    clearTimeout(pause);
    pause = setTimeout(ask, PAUSE_MS);
  });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    await ask();
    // The page that the browser loads instead says what is wrong.
    if (hasFailed) form.submit();
  });
}

/** Replaces what was found before; false where a page without results came. */
function show(markup: string): boolean {
  const next = new DOMParser().parseFromString(markup, 'text/html');
  const [found, count] = [next.querySelector('#found'), next.querySelector('#count')];
  if (found === null || count === null) return false;
  document.querySelector('#found')?.replaceChildren(...found.childNodes);
  // Only its text: a live region that is replaced is not announced.
  const status = document.querySelector('#count');
  if (status !== null && status.textContent !== count.textContent) status.textContent = count.textContent;
  return true;
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
  const everyMs = Number(waiting.dataset.lookAgain) * 1000;
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

for (const form of document.querySelectorAll<HTMLFormElement>('[data-search]')) searchAtOnce(form);
for (const input of document.querySelectorAll<HTMLInputElement>('[data-show]')) showOnDemand(input);
for (const form of document.querySelectorAll<HTMLFormElement>('[data-busy]')) sendOnce(form);
for (const line of document.querySelectorAll<HTMLElement>('[data-copy]')) copyOnDemand(line);
for (const waiting of document.querySelectorAll<HTMLElement>('[data-look-again]')) pollForChange(waiting);
document.querySelector<HTMLElement>('[data-focus]')?.focus();

export {};

/** Shows look-up results without leaving the page, and offers the browser's position. */
export function answerInPlace(): void {
  const form = document.querySelector<HTMLFormElement>('#lookup');
  const input = form?.querySelector<HTMLInputElement>('input[name=q]') ?? null;
  const locate = document.querySelector<HTMLButtonElement>('#locate');
  if (form === null || input === null || locate === null) return;
  let asking = new AbortController();

  const ask = async (): Promise<void> => {
    asking.abort();
    asking = new AbortController();
    const { signal } = asking;
    const query = new URLSearchParams({ q: input.value, part: 'answer' });
    try {
      const answer = await fetch(`${form.action}?${query}`, { headers: { accept: 'text/html' }, signal });
      if (!show(await answer.text())) throw new Error('no answer');
    } catch {
      if (!signal.aborted) say(form.dataset.failed ?? '');
    }
  };

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void ask();
  });
  document.addEventListener('click', (event) => {
    // Suggested names are looked up in place too.
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('.near a') : null;
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    input.value = link.textContent;
    input.focus();
    void ask();
  });

  if (!('geolocation' in navigator)) return;
  locate.hidden = false;
  locate.addEventListener('click', () => {
    say(form.dataset.locating ?? '');
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        input.value = `${coords.latitude.toFixed(4)}, ${coords.longitude.toFixed(4)}`;
        void ask();
      },
      () => say(form.dataset.refused ?? ''),
      { maximumAge: 60_000, timeout: 20_000 },
    );
  });
}

/** Replaces the previous result by one that the service rendered. */
function show(markup: string): boolean {
  const next = new DOMParser().parseFromString(markup, 'text/html').querySelector<HTMLElement>('#answer');
  const answer = document.querySelector<HTMLElement>('#answer');
  if (next === null || answer === null) return false;
  answer.replaceChildren(...next.childNodes);
  answer.dataset.pin = next.dataset.pin ?? '';
  pinMap();
  return true;
}

function say(text: string): void {
  const answer = document.querySelector<HTMLElement>('#answer');
  const line = document.createElement('p');
  line.textContent = text;
  answer?.replaceChildren(line);
}

/** Marks the result on the map. */
export function pinMap(): void {
  const place = document.querySelector<HTMLElement>('#answer')?.dataset.pin ?? '';
  const pin = document.querySelector('.map-pin');
  pin?.toggleAttribute('hidden', place === '');
  if (place !== '') pin?.setAttribute('transform', `translate(${place})`);
}

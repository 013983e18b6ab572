/** Adds a copy button to every block of code. */
export function makeCopyable(): void {
  for (const figure of document.querySelectorAll('.code')) {
    const code = figure.querySelector('code');
    const title = figure.querySelector('figcaption');
    if (code === null || title === null || navigator.clipboard === undefined) continue;
    const copy = document.createElement('button');
    copy.type = 'button';
    copy.className = 'copy';
    copy.textContent = 'Copy';
    copy.setAttribute('aria-label', `Copy: ${title.textContent}`);
    const said = document.createElement('span');
    said.className = 'hidden-visually';
    said.setAttribute('role', 'status');
    copy.addEventListener('click', () => {
      navigator.clipboard.writeText(code.textContent).then(
        () => showResult(copy, said, 'Copied'),
        () => showResult(copy, said, 'Not copied'),
      );
    });
    title.append(copy, said);
  }
}

function showResult(copy: HTMLElement, said: HTMLElement, word: string): void {
  copy.textContent = word;
  said.textContent = word;
  setTimeout(() => {
    copy.textContent = 'Copy';
    said.textContent = '';
  }, 2_000);
}

/** What people search for, and what the reference calls it: any of these is as good as the word itself. */
const OTHER_WORDS: Readonly<Record<string, readonly string[]>> = {
  disconnect: ['unlink'],
  connect: ['link'],
  connection: ['link'],
  login: ['sign in', 'sign-in'],
  logout: ['sign out'],
  register: ['sign-up', 'create an account'],
  token: ['key', 'admin token'],
  tenant: ['account'],
  customer: ['user'],
  car: ['vehicle', 'device'],
  cars: ['vehicle', 'device'],
  ev: ['vehicle'],
  turn: ['command'],
  control: ['command'],
  schedule: ['plan'],
  optimise: ['plan', 'optimize'],
  webhook: ['subscription', 'webhook'],
  callback: ['subscription', 'callback'],
  sse: ['stream'],
  websocket: ['stream', 'websocket'],
  zip: ['postal'],
  postcode: ['postal'],
  vat: ['tax', 'vat'],
  tariff: ['price'],
  chargepoint: ['station'],
  'charge-point': ['station'],
  delete: ['delete', 'remove', 'unlink', 'revoke', 'forget'],
  remove: ['remove', 'delete', 'unlink', 'revoke', 'forget'],
  gdpr: ['forget'],
};

/** Whether a text, in lower case, has a word or what the reference calls it. */
function hasWord(text: string, word: string): boolean {
  if (text.includes(word)) return true;
  return (Object.hasOwn(OTHER_WORDS, word) ? (OTHER_WORDS[word] ?? []) : []).some((other) =>
    text.includes(other),
  );
}

/** Makes the table of contents follow the scroll position, search operations, and collapse on narrow screens. */
export function makeContents(): void {
  const contents = document.querySelector<HTMLElement>('.contents');
  const fold = contents?.querySelector('details');
  if (contents === null || fold === null || fold === undefined) return;
  foldOnNarrow(contents, fold);
  followReader(contents);
  findOperations(contents);
}

function foldOnNarrow(contents: HTMLElement, fold: HTMLDetailsElement): void {
  const wide = matchMedia('(min-width: 64rem)');
  const follow = () => {
    fold.open = wide.matches;
  };
  wide.addEventListener('change', follow);
  follow();
  contents.addEventListener('click', ({ target }) => {
    const leads = target instanceof Element && target.closest('a, .open-keys') !== null;
    if (leads && !wide.matches) fold.open = false;
  });
  fold.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || wide.matches || !fold.open) return;
    fold.open = false;
    fold.querySelector('summary')?.focus();
  });
}

/** Marks the operation in view. */
function followReader(contents: HTMLElement): void {
  const links = new Map(
    [...contents.querySelectorAll<HTMLAnchorElement>('.contents-list a')].map((link) => [
      link.hash.slice(1),
      link,
    ]),
  );
  let marked: HTMLAnchorElement | undefined;
  const observer = new IntersectionObserver(
    (entries) => {
      const link = links.get(entries.find(({ isIntersecting }) => isIntersecting)?.target.id ?? '');
      if (link === undefined || link === marked) return;
      marked?.removeAttribute('aria-current');
      link.setAttribute('aria-current', 'true');
      marked = link;
      // Scroll only the list; scrollIntoView would scroll the page too.
      const list = contents.querySelector('.contents-in');
      if (list === null || contents.contains(document.activeElement)) return;
      const [of, within] = [link.getBoundingClientRect(), list.getBoundingClientRect()];
      if (of.top < within.top || of.bottom > within.bottom)
        list.scrollTop += of.top - within.top - within.height / 2;
    },
    { rootMargin: '-15% 0px -75% 0px' },
  );
  for (const id of links.keys()) {
    const target = document.getElementById(id);
    if (target !== null) observer.observe(target);
  }
}

function findOperations(contents: HTMLElement): void {
  const find = contents.querySelector<HTMLInputElement>('.find');
  const found = contents.querySelector('#found');
  if (find === null) return;
  const items = [...contents.querySelectorAll<HTMLElement>('.contents-section li')];
  const sections = [...contents.querySelectorAll<HTMLElement>('.contents-section')];
  const texts = new Map<HTMLElement, string>();
  const matching = () => items.filter((item) => !item.hidden);
  find.addEventListener('input', () => {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const item of items) {
      const text = texts.get(item) ?? textOf(item);
      texts.set(item, text);
      item.hidden = !words.every((word) => hasWord(text, word));
    }
    for (const section of sections) section.hidden = section.querySelector('li:not([hidden])') === null;
    const count = matching().length;
    if (found !== null)
      found.textContent =
        words.length === 0
          ? ''
          : count === 0
            ? 'No matching operation'
            : `${count} of ${items.length} operations`;
  });
  find.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') matching()[0]?.querySelector('a')?.click();
    if (event.key !== 'Escape' || find.value === '') return;
    event.stopPropagation();
    find.value = '';
    find.dispatchEvent(new Event('input'));
  });
}

/** Searchable text of an operation: method and path, summary, description, and names of its variants and fields. */
function textOf(item: HTMLElement): string {
  const operation = document.getElementById(item.querySelector('a')?.hash.slice(1) ?? '');
  const parts =
    operation?.querySelectorAll('.operation-text > :is(h3, p), .variant > summary, .property-name') ?? [];
  return [item, ...parts]
    .map(({ textContent }) => textContent)
    .join(' ')
    .toLowerCase();
}

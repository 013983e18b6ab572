import { LANGUAGES, type LanguageName } from './samples.ts';

const KEPT = 'elnav.docs.language';

let chosen: LanguageName = remembered();

/** The language of the examples that the reader chose; curl until then. */
export const chosenLanguage = (): LanguageName => chosen;

/** Adds a choice of language to every request of an operation; `changed` shows them all in another one. */
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
    // A browser may forbid a page to keep anything.
    return 'curl';
  }
}

function remember(name: LanguageName): void {
  try {
    localStorage.setItem(KEPT, name);
  } catch {
    // It holds for this page then.
  }
}

import { LANGUAGES, type LanguageName } from './samples.ts';

const KEPT = 'elnav.docs.language';

let chosen: LanguageName = remembered();

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

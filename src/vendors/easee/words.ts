import type { WordsFor } from '../../adapter/words.ts';

/** How end users are asked for their Easee account. */
export const words = {
  en: {
    username: {
      label: 'Easee account email',
      hint: 'The one you use in the Easee app. A phone number with its country code works too: +46 70 123 45 67.',
      fault: 'Enter an email address, or a phone number that starts with + and the country code.',
    },
    password: { label: 'Easee password', hint: 'The one you use in the Easee app.' },
  },
  sv: {
    username: {
      label: 'E-postadress till ditt Easee-konto',
      hint: 'Den som du använder i Easee-appen. Det går också bra med telefonnummer och landskod: +46 70 123 45 67.',
      fault: 'Skriv en e-postadress, eller ett telefonnummer som börjar med + och landskoden.',
    },
    password: { label: 'Lösenord till ditt Easee-konto', hint: 'Det som du använder i Easee-appen.' },
  },
} satisfies WordsFor<'username' | 'password'>;

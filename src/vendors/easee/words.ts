import type { WordsFor } from '../../adapter/words.ts';

/** How end users are asked for their Easee account. */
export const words = {
  en: {
    username: {
      label: 'E-mail address at Easee',
      hint: 'The one you use in the Easee app. A phone number with its country code works too: +46 70 123 45 67.',
      fault: 'Write an e-mail address, or a phone number that begins with + and the country code.',
    },
    password: { label: 'Password at Easee', hint: 'The one you use in the Easee app.' },
  },
  sv: {
    username: {
      label: 'E-postadress hos Easee',
      hint: 'Den som du använder i Easee-appen. Det går också bra med telefonnummer och landskod: +46 70 123 45 67.',
      fault: 'Skriv en e-postadress, eller ett telefonnummer som börjar med + och landskoden.',
    },
    password: { label: 'Lösenord hos Easee', hint: 'Det som du använder i Easee-appen.' },
  },
} satisfies WordsFor<'username' | 'password'>;

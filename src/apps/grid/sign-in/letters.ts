import { type Language, translated } from '../../../core/language.ts';
import type { Letter } from '../../../domain/access/people/index.ts';
import { html } from '../../../pages/html.ts';

/** A letter in the words of its reader. */
export interface WrittenLetter {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Only known addresses get sign-in links; the others are sent to whomever is named. */
  readonly isCounted: boolean;
  /** False for one that goes to nobody. */
  readonly isMailed: boolean;
}

const WORDS = translated<
  Readonly<Record<Letter['kind'], Record<'subject' | 'why' | 'how' | 'link' | 'otherwise', string>>>
>({
  en: {
    sign_in: {
      subject: 'Sign in to elnav',
      why: 'You asked for a link to sign in to elnav.',
      how: 'Open it and press the button. It works once, within 15 minutes:',
      link: 'Sign in to elnav',
      otherwise: 'If you did not ask for it, you need do nothing: nobody can sign in without this letter.',
    },
    sign_up: {
      subject: 'Your account at elnav',
      why: 'You signed up for elnav with this address.',
      how: 'Open the link and press the button to finish. It works once, within 15 minutes:',
      link: 'Finish signing up',
      otherwise: 'If you did not sign up, you need do nothing: without the link no account is made.',
    },
    known: {
      subject: 'You have an account at elnav already',
      why: 'Somebody signed up for elnav with this address, which has an account already. Nothing was changed.',
      how: 'If it was you, open the link and press the button to sign in. It works once, within 15 minutes:',
      link: 'Sign in to elnav',
      otherwise: 'If it was not you, you need do nothing.',
    },
  },
  sv: {
    sign_in: {
      subject: 'Logga in på elnav',
      why: 'Du bad om en länk för att logga in på elnav.',
      how: 'Öppna den och tryck på knappen. Den fungerar en gång, inom 15 minuter:',
      link: 'Logga in på elnav',
      otherwise: 'Om du inte bad om den behöver du inte göra något: ingen kan logga in utan det här brevet.',
    },
    sign_up: {
      subject: 'Ditt konto hos elnav',
      why: 'Du registrerade dig hos elnav med den här adressen.',
      how: 'Öppna länken och tryck på knappen för att bli klar. Den fungerar en gång, inom 15 minuter:',
      link: 'Slutför registreringen',
      otherwise: 'Om du inte har registrerat dig behöver du inte göra något: utan länken skapas inget konto.',
    },
    known: {
      subject: 'Du har redan ett konto hos elnav',
      why: 'Någon registrerade sig hos elnav med den här adressen, som redan har ett konto. Inget har ändrats.',
      how: 'Om det var du: öppna länken och tryck på knappen för att logga in. Den fungerar en gång, inom 15 minuter:',
      link: 'Logga in på elnav',
      otherwise: 'Om det inte var du behöver du inte göra något.',
    },
  },
});

/** Writes a letter; `url` is the whole address of its link. */
export function writeLetter(letter: Letter, url: string, language: Language): WrittenLetter {
  const { subject, why, how, link, otherwise } = WORDS[language][letter.kind];
  const markup = html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><title>${subject}</title></head>
<body>
<p>${why}</p>
<p>${how}</p>
<p><a href="${url}">${link}</a></p>
<p>${url}</p>
<p>${otherwise}</p>
</body></html>
`;
  return {
    to: letter.to,
    subject,
    text: `${why}\n\n${how}\n\n${url}\n\n${otherwise}\n`,
    html: markup.toString(),
    isCounted: letter.kind !== 'sign_in',
    isMailed: letter.isMailed,
  };
}

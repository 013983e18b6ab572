import type { Language, Words } from '../../../core/language.ts';
import { type Html, html } from '../../../pages/html.ts';

const WORDS = {
  en: {
    text: 'is one API for cars, chargers, thermostats, home batteries and solar panels of several brands. It works out the cheapest time to charge, and has Swedish price areas, prices and energy tax.',
    docs: 'API reference',
    quickStart: 'Quick start',
    signUp: 'Create an account',
    signIn: 'Sign in',
  },
  sv: {
    text: 'är ett API för bilar, laddboxar, termostater, hembatterier och solceller av flera märken. Det räknar ut när det är billigast att ladda, och har svenska elområden, priser och energiskatt.',
    docs: 'API-referens (på engelska)',
    quickStart: 'Kom igång',
    signUp: 'Skapa ett konto',
    signIn: 'Logga in',
  },
} satisfies Words<object>;

export interface IntroParts {
  /** Where Connect is reached, which has the devices; undefined where that is not known here. */
  readonly connectUrl: () => string | undefined;
  /** Whether anybody may make an account. */
  readonly isSignUpOpen: boolean;
}

/** What elnav is, for who has not heard of it. */
export function intro({ connectUrl, isSignUpOpen }: IntroParts, language: Language): Html {
  const words = WORDS[language];
  const connect = connectUrl();
  const links = [
    { href: `${connect ?? ''}/docs`, text: words.docs },
    ...(connect === undefined ? [] : [{ href: `${connect}/#quick-start`, text: words.quickStart }]),
    isSignUpOpen ? { href: '/auth/signup', text: words.signUp } : { href: '/auth/login', text: words.signIn },
  ];
  return html`<section class="intro" aria-label="elnav"><p><strong>elnav</strong> ${words.text}</p>
<ul class="intro-links">${links.map(({ href, text }) => html`<li><a href="${href}">${text}</a></li>`)}</ul></section>`;
}

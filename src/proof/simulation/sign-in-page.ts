import type { SimulatedAnswer } from '../../adapter/simulator.ts';
import type { Language, Words } from '../../core/language.ts';

/** How the page looks; a security policy lets this text in by its hash. */
export const SIGN_IN_STYLE = `
:root { color-scheme: light dark; --ink: #1d2126; --soft: #535a63; --paper: #fff; --line: #767d86; --note: #fbf3d9; --bad: #a3211f; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #eceef0; --soft: #b3bac2; --paper: #16191c; --line: #868e97; --note: #2b2408; --bad: #ff9c94; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 26rem; margin: 0 auto; padding: 2rem 1rem; }
h1 { margin: 0 0 1rem; font-size: 1.6rem; line-height: 1.2; }
.note { padding: .75rem 1rem; border-left: 4px solid var(--line); border-radius: .5rem; background: var(--note); }
.fault { color: var(--bad); font-weight: 600; }
label { display: block; margin: 1rem 0 .25rem; font-weight: 600; }
input, button { width: 100%; min-height: 2.75rem; padding: .5rem .75rem; border: 1px solid var(--line); border-radius: .5rem; background: none; color: inherit; font: inherit; }
button { margin-top: .75rem; font-weight: 600; cursor: pointer; }
.go { margin-top: 1.5rem; border-color: var(--ink); background: var(--ink); color: var(--paper); }
:focus-visible { outline: 3px solid #4a90e2; outline-offset: 2px; }
.users, ul { margin: 1.5rem 0 0; padding: 0; color: var(--soft); font-size: .875rem; }
ul { margin: .25rem 0 0; columns: 2 13rem; list-style: none; }
`;

const WORDS = {
  en: {
    title: (vendor: string) => `Simulated ${vendor} sign-in`,
    note: (vendor: string) =>
      `This is a simulator inside elnav, not ${vendor}. Any device behind it is made up.`,
    failed: 'Wrong user name or password.',
    user: 'User name',
    password: 'Password',
    signIn: 'Sign in',
    cancel: 'Cancel',
    users: 'Users of this simulator, each with a password:',
    with: 'with',
  },
  sv: {
    title: (vendor: string) => `Simulerad inloggning hos ${vendor}`,
    note: (vendor: string) =>
      `Det här är en simulator i elnav, inte ${vendor}. Alla enheter bakom den är påhittade.`,
    failed: 'Fel användarnamn eller lösenord.',
    user: 'Användarnamn',
    password: 'Lösenord',
    signIn: 'Logga in',
    cancel: 'Avbryt',
    users: 'Simulatorns användare, med varsitt lösenord:',
    with: 'med',
  },
} satisfies Words<object>;

interface SignInPage {
  readonly vendor: string;
  readonly language: Language;
  /** Its users with their passwords. */
  readonly users: ReadonlyMap<string, string>;
  /** The try before was not taken. */
  readonly hasFailed: boolean;
}

/** The page on which a simulated vendor asks who its user is. Nothing of the request is repeated on it. */
export function signInPage({
  vendor,
  language,
  users,
  hasFailed,
}: SignInPage): Required<Pick<SimulatedAnswer, 'headers' | 'text'>> {
  const words = WORDS[language];
  const rows = [...users].map(
    ([user, password]) => `<li><code>${user}</code> ${words.with} <code>${password}</code></li>`,
  );
  return {
    headers: { 'content-type': 'text/html; charset=utf-8', vary: 'accept-language' },
    text: `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${words.title(vendor)}</title>
<style>${SIGN_IN_STYLE}</style></head>
<body><main>
<h1>${words.title(vendor)}</h1>
<p class="note">${words.note(vendor)}</p>
${hasFailed ? `<p class="fault" role="alert">${words.failed}</p>` : ''}
<form method="post">
<label for="username">${words.user}</label>
<input id="username" name="username" autocomplete="off" autocapitalize="none" spellcheck="false" required>
<label for="password">${words.password}</label>
<input id="password" name="password" type="password" autocomplete="off" required>
<button class="go">${words.signIn}</button>
<button name="cancel" value="1" formnovalidate>${words.cancel}</button>
</form>
<p class="users">${words.users}</p>
<ul>${rows.join('')}</ul>
</main></body></html>`,
  };
}

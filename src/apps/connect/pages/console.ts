import { type Language, translated } from '../../../core/language.ts';
import type { Profile } from '../../../domain/access/accounts/index.ts';
import type { Assets } from '../../../pages/assets.ts';
import { OWN_COLORS } from '../../../pages/brand-color.ts';
import { html } from '../../../pages/html.ts';
import { connectPage } from './frame.ts';

const WORDS = translated({
  en: {
    title: 'Console',
    loading: 'The console is loading.',
    script: 'The console needs JavaScript. Turn it on for this site, or use the API.',
    unbuilt: 'The scripts of the console are not built. Run npm run build on the server, and start it again.',
    noGrid: 'Nobody can sign in to the console',
    noGridText:
      'People sign in to Grid, and its address is not known here. Set ELNAV_GRID_URL, or start both services in one process.',
    notEntered: 'The sign-in did not arrive',
    notEnteredText:
      'It is good once, for a minute, in the browser that asked for it, and needs cookies. Try again; if it fails again, permit cookies for this site.',
    again: 'Try again',
    docs: 'API reference',
  },
  sv: {
    title: 'Konsol',
    loading: 'Konsolen laddas.',
    script: 'Konsolen behöver JavaScript. Slå på det för den här webbplatsen, eller använd API:et.',
    unbuilt: 'Konsolens skript är inte byggda. Kör npm run build på servern och starta om den.',
    noGrid: 'Det går inte att logga in i konsolen',
    noGridText:
      'Inloggningen sker i Grid, vars adress inte är känd här. Ange ELNAV_GRID_URL, eller starta båda tjänsterna i samma process.',
    notEntered: 'Inloggningen kom inte fram',
    notEnteredText:
      'Den gäller en gång, i en minut, i den webbläsare som bad om den, och kräver kakor. Försök igen. Tillåt kakor för webbplatsen om det inte går.',
    again: 'Försök igen',
    docs: 'API-referens',
  },
});

interface ConsoleReader {
  readonly assets: Assets;
  readonly language: Language;
  readonly gridUrl: string | undefined;
}

interface SignedInReader extends ConsoleReader {
  /** Of the page, for the switch of languages. */
  readonly path: string;
  readonly profile: Profile;
  /** The price area that was chosen elsewhere; may be empty. */
  readonly area: string;
}

/** The page that all of the console runs in; its script reads who is signed in from the element. */
export function consolePage({ assets, language, gridUrl, path, profile, area }: SignedInReader): string {
  const words = WORDS[language];
  const isBuilt = assets.script('console') !== undefined;
  const main = html`<div id="console" data-account="${profile.id}" data-email="${profile.email}" data-name="${profile.name}" data-grid="${gridUrl ?? ''}" data-area="${area}" data-own-colors="${Object.values(OWN_COLORS).join(' ')}">
<h1>${words.title}</h1>
<p>${isBuilt ? words.loading : words.unbuilt}</p>
<noscript><p>${words.script} <a href="/docs">${words.docs}</a></p></noscript>
</div>`;
  return connectPage(assets, {
    ...{ language, path, main, gridUrl },
    title: words.title,
    styles: ['console'],
    scripts: ['console'],
    width: 'wide',
    here: 'console',
  });
}

/** Where Grid is not known: nobody can sign in. */
export function noGridPage({ assets, language, gridUrl }: ConsoleReader): string {
  const words = WORDS[language];
  const main = html`<h1>${words.noGrid}</h1>
<p class="lead">${words.noGridText}</p>
<p><a class="button" href="/docs">${words.docs}</a></p>`;
  return connectPage(assets, { language, title: words.noGrid, main, gridUrl, here: 'console' });
}

/** Where the code is used, too old, or of another browser. */
export function notEnteredPage({ assets, language, gridUrl }: ConsoleReader): string {
  const words = WORDS[language];
  const main = html`<h1>${words.notEntered}</h1>
<p class="lead">${words.notEnteredText}</p>
<p><a class="button button-primary" href="/console">${words.again}</a></p>`;
  return connectPage(assets, { language, title: words.notEntered, main, gridUrl, here: 'console' });
}

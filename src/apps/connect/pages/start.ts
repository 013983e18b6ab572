import { type Language, translated } from '../../../core/language.ts';
import type { Assets } from '../../../pages/assets.ts';
import { html } from '../../../pages/html.ts';
import { connectPage } from './frame.ts';

const WORDS = translated({
  en: {
    title: 'Connect: one API for energy devices',
    heading: 'elnav Connect',
    lead: 'One API for energy devices of several brands: your users link their cars, chargers, thermostats, home batteries and solar panels, and your program reads and controls all of them in the same words.',
    docs: 'API reference',
    key: 'Get an API key',
    runs: 'What runs here',
    version: 'Version',
    status: 'Status',
    statusText: 'Running.',
    vendors: 'Brands',
    vendorsText: '(JSON)',
    grid: 'Prices and accounts',
    quickStart: 'Quick start',
    quickStartLead:
      'The sandbox has a simulated device of every type. Put your key into the second line, paste all of them into a terminal, and the charger goes down to 8 A:',
    yourKey: 'your key',
  },
  sv: {
    title: 'Connect: ett API för energienheter',
    heading: 'elnav Connect',
    lead: 'Ett API för energienheter av flera märken: dina användare ansluter sina bilar, laddboxar, termostater, hembatterier och solceller, och ditt program läser av och styr dem alla på samma sätt.',
    docs: 'API-referens (på engelska)',
    key: 'Skaffa en API-nyckel',
    runs: 'Det här körs här',
    version: 'Version',
    status: 'Driftstatus',
    statusText: 'I gång.',
    vendors: 'Märken',
    vendorsText: '(JSON)',
    grid: 'Priser och konton',
    quickStart: 'Kom igång',
    quickStartLead:
      'Sandlådan har en simulerad enhet av varje sort. Skriv in din nyckel på andra raden, klistra in alla rader i en terminal, så går laddboxen ner till 8 A:',
    yourKey: 'din nyckel',
  },
});

interface StartPage {
  readonly assets: Assets;
  readonly language: Language;
  readonly version: string;
  /** Where the services are reached; undefined where Grid is not known here. */
  readonly connectUrl: string;
  readonly gridUrl: string | undefined;
}

/** What stands at the address of Connect itself: what it is, what runs here, and how to begin. */
export function startPage({ assets, language, version, connectUrl, gridUrl }: StartPage): string {
  const words = WORDS[language];
  const main = html`<div class="stack"><h1>${words.heading}</h1>
<p class="lead">${words.lead}</p>
<p class="row"><a class="button button-primary" href="/docs">${words.docs}</a>${gridUrl === undefined ? null : html`<a class="button" href="/console/keys">${words.key}</a>`}</p></div>
<section class="stack" aria-labelledby="runs"><h2 id="runs">${words.runs}</h2>
<dl class="facts">
<dt>${words.version}</dt><dd>${version}</dd>
<dt>${words.status}</dt><dd>${words.statusText} <a href="/healthz">/healthz</a></dd>
<dt>${words.vendors}</dt><dd><a href="/vendors">/vendors</a> ${words.vendorsText}</dd>
${gridUrl === undefined ? null : html`<dt>${words.grid}</dt><dd><a href="${`${gridUrl}/`}">${gridUrl}</a></dd>`}
</dl></section>
<section class="stack" aria-labelledby="quick-start"><h2 id="quick-start">${words.quickStart}</h2>
<p>${words.quickStartLead}</p>
<pre tabindex="0" role="group" aria-labelledby="quick-start"><code>${quickStart(connectUrl, words.yourKey)}</code></pre></section>`;
  return connectPage(assets, {
    language,
    path: '/',
    title: words.title,
    description: words.lead,
    here: 'connect',
    gridUrl,
    width: 'wide',
    main,
  });
}

/** Lines of a shell. The id of a device of the sandbox follows from the user_ref, so it is the same for everybody. */
function quickStart(connectUrl: string, yourKey: string): string {
  const json = `-H "X-Api-Key: $KEY" -H 'content-type: application/json'`;
  return `CONNECT=${connectUrl}
KEY='elnav_…'   # ${yourKey}
curl $CONNECT/link ${json} \\
  -d '{"vendor": "sandbox", "user_ref": "anna", "credentials": {}}'
curl $CONNECT/devices -H "X-Api-Key: $KEY"
curl $CONNECT/devices/charger-u2vsdkcko5/command ${json} \\
  -d '{"type": "set_current", "current_a": 8}'`;
}

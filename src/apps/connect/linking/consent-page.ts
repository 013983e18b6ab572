import type { Adapter } from '../../../adapter/adapter.ts';
import { translated } from '../../../core/language.ts';
import { type Html, html } from '../../../pages/html.ts';
import { appOf, backTo, type LinkStep, linkPage, type Reader, steps, whoOf } from './frame.ts';
import { markOf } from './mark.ts';
import type { OtherWay } from './other-ways.ts';
import { canControl, readsAndControls } from './reads-and-controls.ts';
import { callName, isMadeUp, nameWithin } from './vendors.ts';

const WORDS = translated({
  en: {
    title: (vendor: string) => `Connect ${vendor}`,
    controls: (who: string, vendor: string) =>
      `${who} wants to read and control the devices in your ${vendor} account.`,
    reads: (who: string, vendor: string) => `${who} wants to read the devices in your ${vendor} account.`,
    behind: (name: string, domain: string) => `The account behind the name ${name} belongs to ${domain}.`,
    controlsThis: (who: string) => `${who} wants to read and control your device.`,
    controlsLocal: (who: string, vendor: string) =>
      `${who} wants to read and control your devices from ${vendor}.`,
    readsLocal: (who: string, vendor: string) => `${who} wants to read your devices from ${vendor}.`,
    trust: 'Continue only if you came here from an app that you know.',
    what: (app: string) => `What ${app} gets access to`,
    privacy: (name: string) => `How ${name} handles your data`,
    terms: (name: string) => `Terms of ${name}`,
    password: (vendor: string, app: string) =>
      `You sign in at ${vendor}. Your password stays there: neither ${app} nor we see it.`,
    end: (vendor: string) => `You can end the access at any time in your ${vendor} account.`,
    through: (brand: string, vendor: string) =>
      `${brand} is connected through ${vendor}, where you sign in with the account of your ${brand} app.`,
    by: (brand: string, vendor: string) =>
      `${brand} is connected with ${vendor}: sign in with the account of the ${vendor} app.`,
    go: (vendor: string) => `Continue to ${vendor}`,
    madeUp: 'This is a simulation for testing. The devices are made up, and nothing in your home is touched.',
    failed: 'Your account was not connected. Please try again.',
    another: 'Choose another brand',
  },
  sv: {
    title: (vendor: string) => `Anslut ${vendor}`,
    controls: (who: string, vendor: string) =>
      `${who} vill läsa av och styra enheterna i ditt ${vendor}-konto.`,
    reads: (who: string, vendor: string) => `${who} vill läsa av enheterna i ditt ${vendor}-konto.`,
    behind: (name: string, domain: string) => `Kontot bakom namnet ${name} hör till ${domain}.`,
    controlsThis: (who: string) => `${who} vill läsa av och styra din enhet.`,
    controlsLocal: (who: string, vendor: string) =>
      `${who} vill läsa av och styra dina enheter från ${vendor}.`,
    readsLocal: (who: string, vendor: string) => `${who} vill läsa av dina enheter från ${vendor}.`,
    trust: 'Fortsätt bara om du kom hit från en app som du känner till.',
    what: (app: string) => `Det här får ${app} tillgång till`,
    privacy: (name: string) => `Så hanterar ${name} dina uppgifter`,
    terms: (name: string) => `Villkor för ${name}`,
    password: (vendor: string, app: string) =>
      `Du loggar in hos ${vendor}. Lösenordet stannar där: varken ${app} eller vi ser det.`,
    end: (vendor: string) => `Du kan när som helst avsluta åtkomsten i ditt ${vendor}-konto.`,
    through: (brand: string, vendor: string) =>
      `${brand} ansluts via ${vendor}, där du loggar in med kontot i ${brand}-appen.`,
    by: (brand: string, vendor: string) =>
      `${brand} ansluts med ${vendor}: logga in med kontot i ${vendor}-appen.`,
    go: (vendor: string) => `Fortsätt till ${vendor}`,
    madeUp: 'Det här är en simulering för test. Enheterna är påhittade och ingenting i ditt hem påverkas.',
    failed: 'Ditt konto anslöts inte. Försök en gång till.',
    another: 'Välj ett annat märke',
  },
});

interface ConsentPage {
  readonly adapter: Adapter;
  /** The brand that the user chose, where the vendor connects it. */
  readonly way: OtherWay | null;
  readonly isSimulated: (vendor: string) => boolean;
  readonly steps: readonly LinkStep[];
  /** The user comes from a try that failed. */
  readonly hasFailed: boolean;
  /** Where the button leads. */
  readonly href: string;
  /** Where another vendor can be chosen; null where there is no choice. */
  readonly chooseHref: string | null;
  readonly cancelHref: string | null;
}

/** Who wants what, before the vendor's own sign-in page is opened: that page names us, not the app that asks. */
export function consentPage(reader: Reader, page: ConsentPage): string {
  const { adapter, way, href, chooseHref, cancelHref } = page;
  const words = WORDS[reader.language];
  const name = callName(adapter, reader.language);
  const title = words.title(way?.brand ?? nameWithin(adapter, reader.language));
  const account = way?.account === 'brand' ? way.brand : name;
  return linkPage(reader, {
    title,
    main: html`${steps(reader, page.steps, 'sign_in')}
<div class="vendor-head">${markOf(adapter)}<h1>${title}</h1></div>
${page.hasFailed ? html`<div class="notice notice-bad" role="alert"><p>${words.failed}</p></div>` : null}
<div class="columns"><div class="stack">${whoWantsWhat(reader, adapter, account)}</div>
<div class="stack">
${way === null ? null : html`<p class="small">${(way.account === 'brand' ? words.through : words.by)(way.brand, name)}</p>`}
${isMadeUp(adapter, page.isSimulated) ? html`<div class="notice notice-note"><p>${words.madeUp}</p></div>` : null}
<p class="small">${words.password(name, appOf(reader))} ${words.end(account)}</p>
<form method="post" action="${href}"><button class="button button-primary button-wide">${words.go(name)}</button></form>
<ul class="ways">
${chooseHref === null ? null : html`<li><a href="${chooseHref}">${words.another}</a></li>`}
${cancelHref === null ? null : html`<li><a href="${cancelHref}">${backTo(reader)}</a></li>`}
</ul></div></div>`,
  });
}

/** What the app says itself of what it does with what it gets. In another tab: the form keeps what was filled in. */
function rights({ brand, language }: Reader): Html | null {
  if (brand === null) return null;
  const { name, privacy_url, terms_url } = brand;
  const links = [
    { href: privacy_url, text: WORDS[language].privacy(name) },
    { href: terms_url, text: WORDS[language].terms(name) },
  ].filter(({ href }) => href !== null);
  if (links.length === 0) return null;
  return html`<ul class="ways small">${links.map(
    ({ href, text }) => html`<li><a href="${href}" target="_blank" rel="noopener">${text}</a></li>`,
  )}</ul>`;
}

/** Who asks, and for what: also above the forms of vendors that are signed in to here. */
export function whoWantsWhat(
  reader: Reader,
  adapter: Adapter,
  account = callName(adapter, reader.language),
): Html {
  const words = WORDS[reader.language];
  const { brand, domain } = reader;
  // What is no brand has no account either: a charger that dials in, say. Nor has what is in the user's own network.
  const [controls, reads] =
    adapter.isLocal === true ? [words.controlsLocal, words.readsLocal] : [words.controls, words.reads];
  const asked =
    adapter.calledIn !== undefined
      ? words.controlsThis(whoOf(reader))
      : (canControl(adapter) ? controls : reads)(whoOf(reader), account);
  return html`<p class="lead">${asked}</p>
<section class="card access-card" aria-labelledby="access"><h2 id="access">${words.what(appOf(reader))}</h2>${readsAndControls(adapter, reader.language)}${rights(reader)}</section>
<p class="soft small">${brand === null || domain === null ? null : `${words.behind(brand.name, domain)} `}${words.trust}</p>`;
}

import type { Language } from '../../../core/language.ts';
import { SAMPLE } from '../../../domain/market/prices/index.ts';
import type { Assets } from '../../../pages/assets.ts';
import { type Html, html } from '../../../pages/html.ts';
import { formatIn } from '../front/format.ts';
import { sourceName } from '../front/source-names.ts';
import { gridPage } from '../pages/frame.ts';
import type { Status } from './shapes.ts';
import { wordsIn } from './words.ts';

const NOTICES = { ok: 'notice-good', trouble: 'notice-note', down: 'notice-bad' } satisfies Record<
  Status['state'],
  string
>;

/** The status as a page for everybody. */
export function statusPage(assets: Assets, status: Status, language: Language): string {
  const words = wordsIn(language);
  const format = formatIn(language);
  const { services, database, mail } = status;
  const works = (part: keyof typeof words.parts, state: keyof typeof words.works) =>
    html`<dt>${words.parts[part]}</dt><dd>${words.works[state]}${part === 'connect' && state === 'unknown' ? `: ${words.connectUnknown}` : null}</dd>`;
  const main = html`<div class="stack"><h1>${words.title}</h1>
<p class="${`notice ${NOTICES[status.state]}`}"><strong>${words.states[status.state]}</strong></p>
<p class="soft">${words.checked(format.time(Date.parse(status.checked_at)))}</p></div>
<section class="stack" aria-labelledby="service"><h2 id="service">${words.service}</h2>
<dl class="facts">${works('grid', services.grid)}${works('connect', services.connect)}${works('database', database)}${works('mail', mail)}</dl></section>
${figures(status, language)}
<section class="stack" aria-labelledby="vendors"><h2 id="vendors">${words.vendors}</h2>
<p class="soft">${words.vendorsLead}</p>
<dl class="facts">${status.vendors.map(({ name, state }) => html`<dt>${name}</dt><dd>${words.vendorStates[state]}</dd>`)}</dl></section>`;
  const { title, description } = words;
  return gridPage(assets, { language, path: '/status', title, description, width: 'wide', main });
}

function figures({ prices, production }: Status, language: Language): Html {
  const words = wordsIn(language);
  const format = formatIn(language);
  const moment = (at: string | null) =>
    at === null ? words.missing : words.until(format.shortDay(Date.parse(at) - 1), timeOf(Date.parse(at)));
  /** The midnight that ends a day is 24:00 of it. */
  const timeOf = (at: number) => (format.time(at) === '00:00' ? '24:00' : format.time(at));
  const source = (slug: string | null) =>
    slug === null ? '–' : slug === SAMPLE ? words.sample : sourceName(slug).name;
  const isOff = prices.state === 'off' || production.state === 'off';
  return html`<section class="stack" aria-labelledby="figures"><h2 id="figures">${words.figures}</h2>
${isOff ? html`<p>${words.fetchingOff}</p>` : null}
<div class="table-scroll" tabindex="0" role="group" aria-labelledby="figures"><table>
<thead><tr><th scope="col">${words.area}</th><th scope="col">${words.prices}</th><th scope="col">${words.source}</th><th scope="col">${words.production}</th></tr></thead>
<tbody>${prices.areas.map(
    (one, index) =>
      html`<tr><th scope="row">${one.area}</th><td>${moment(one.until)}</td><td>${source(one.source)}</td><td>${moment(production.areas[index]?.until ?? null)}</td></tr>`,
  )}</tbody></table></div></section>`;
}

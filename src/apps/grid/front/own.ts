import { dayAt } from '../../../core/swedish-days.ts';
import { Temporal } from '../../../core/temporal.ts';
import type { PricedDay } from '../../../domain/market/prices/index.ts';
import { type Html, html } from '../../../pages/html.ts';
import { stepOf } from '../../../pages/plot/price-steps.ts';
import { PRICE_AREA_FACTS } from '../../../sources/contract/market.ts';
import { type Choice, choosing, FORGETTING } from './choice.ts';
import { type AreaFigures, type DayFigures, figuresOfDay, type Hour, type Level } from './figures.ts';
import { formatIn } from './format.ts';
import { ownWordsIn } from './own-words.ts';
import type { ShownPrices } from './shown-prices.ts';
import type { Situation } from './situation.ts';
import { wordsIn } from './words.ts';

const MARKS: Readonly<Record<Level, string>> = { low: '▼', normal: '●', high: '▲' };

/** What the front page is about, and its prices. */
export interface Own {
  readonly choice: Choice;
  /** Whether somebody chose it, or it is what everybody sees. */
  readonly isChosen: boolean;
  readonly shown: ShownPrices;
}

/** `SE3 Stockholm`, or a municipality with its area: `Sundsvall (SE2)`. */
export const placeOf = ({ area, kommun }: Choice): string =>
  kommun === null ? `${area} ${PRICE_AREA_FACTS[area].name}` : `${kommun.name} (${area})`;

/** What the shown prices contain. */
export function containedText({ choice }: Own, { language }: Pick<Situation, 'language'>): string {
  const { contains } = ownWordsIn(language);
  if (choice.hasTax) return choice.hasVat ? contains.both : contains.tax;
  return choice.hasVat ? contains.vat : contains.none;
}

/** What a bill adds to the shown prices. */
export function onTheBill({ choice }: Own, { language }: Pick<Situation, 'language'>): string {
  const { bill } = ownWordsIn(language);
  if (choice.hasTax) return choice.hasVat ? bill.both : bill.tax;
  return choice.hasVat ? bill.vat : bill.none;
}

/** The price of the chosen area now, with the figures of today and tomorrow. */
export function ownCard(figures: readonly AreaFigures[], own: Own, situation: Situation): Html {
  const { language, now, days } = situation;
  const { choice, shown } = own;
  const words = wordsIn(language);
  const format = formatIn(language);
  const price = figures.find(({ area }) => area === choice.area);
  const now_ = price?.now ?? null;
  const mine = days.filter(({ area }) => area === choice.area);
  const summary = ownSummary(mine, own, situation);
  if (now_ === null)
    return html`<div class="own card"><p class="area-none">${words.noPrice}</p>${summary}</div>`;
  const level = price?.level ?? null;
  return html`<div class="${`own card step-${stepOf(Number(now_))}`}">
<div class="own-now"><p class="own-price"><span class="number">${format.ore(shown.price(now_, dayAt(now)))}</span> <span class="unit">${words.unit}</span></p>
${level === null ? null : html`<p class="${`level level-${level}`}"><span aria-hidden="true">${MARKS[level]}</span> ${words.levels[level]}</p>`}</div>
${summary}</div>`;
}

/** Mean, cheapest and dearest hour of the days that are known; null without one. */
function ownSummary(days: readonly PricedDay[], { shown }: Own, { language, now }: Situation): Html | null {
  const words = ownWordsIn(language);
  const format = formatIn(language);
  const known = days.flatMap((day) => {
    const figures = figuresOfDay(day);
    return figures === null ? [] : [{ day, figures }];
  });
  if (known.length === 0) return null;
  const row = (name: string, cell: (figures: DayFigures, day: PricedDay) => Html) =>
    html`<tr><th scope="row">${name}</th>${known.map(({ day, figures }) => html`<td>${cell(figures, day)}</td>`)}</tr>`;
  const hour = (of: Hour, { day }: PricedDay) =>
    html`<span class="number">${format.ore(shown.price(of.price, day))}</span> <span class="soft number">${format.hour(of.start)}</span>`;
  return html`<table class="own-days"><thead><tr><td></td>${known.map(
    ({ day }) => html`<th scope="col">${day.start <= now ? words.today : words.tomorrow}</th>`,
  )}</tr></thead><tbody>${row(
    words.mean,
    ({ mean }, { day }) => html`<span class="number">${format.ore(shown.price(mean, day))}</span>`,
  )}${row(words.cheapest, ({ cheapest }, day) => hour(cheapest, day))}${row(words.dearest, ({ dearest }, day) => hour(dearest, day))}</tbody></table>`;
}

/** The four areas with their spot prices now; a click on one chooses it. */
export function areaChooser(
  figures: readonly AreaFigures[],
  choice: Choice | null,
  { language }: Pick<Situation, 'language'>,
): Html {
  const words = ownWordsIn(language);
  const { unit } = wordsIn(language);
  const format = formatIn(language);
  const switches = { hasVat: choice?.hasVat ?? false, hasTax: choice?.hasTax ?? false };
  return html`<nav class="chooser" aria-label="${words.chooserLead}"><ul class="areas">${figures.map(
    ({ area, name, now }) => {
      const isOwn = area === choice?.area;
      // Who has chosen a municipality keeps it when clicking its area.
      const kommun = isOwn ? (choice?.kommun ?? null) : null;
      const href = choosing({ area, kommun, ...switches });
      const content = html`<span class="area-code">${area}</span> <span class="area-name">${name}</span>${
        now === null
          ? null
          : html` <span class="area-price"><span class="number">${format.ore(now)}</span> <span class="hidden-visually">${unit}</span></span>`
      }`;
      const look = `area${now === null ? '' : ` step-${stepOf(Number(now))}`}`;
      return html`<li>${isOwn ? html`<a class="${look}" href="${href}" rel="nofollow" aria-current="true">${content}</a>` : html`<a class="${look}" href="${href}" rel="nofollow">${content}</a>`}</li>`;
    },
  )}</ul></nav>${switches.hasVat || switches.hasTax ? html`<p class="small soft">${words.tiles}</p>` : null}`;
}

/** VAT and energy tax, each without or with, as links. */
export function switches(own: Own, { language, now }: Pick<Situation, 'language' | 'now'>): Html {
  const { choice } = own;
  const words = ownWordsIn(language);
  const one = (name: string, isOn: boolean, to: (isOn: boolean) => Choice, withIt: string) =>
    html`<div class="switch" role="group" aria-label="${name}"><span class="switch-name" aria-hidden="true">${name}</span>${[
      false,
      true,
    ].map((on) => {
      const text = on ? withIt : words.without;
      const href = choosing(to(on));
      return on === isOn
        ? html`<a href="${href}" rel="nofollow" aria-current="true">${text}</a>`
        : html`<a href="${href}" rel="nofollow">${text}</a>`;
    })}</div>`;
  return html`<div class="switches" role="group" aria-label="${words.switches}">
${one(words.vat, choice.hasVat, (hasVat) => ({ ...choice, hasVat }), words.withVat)}
${one(words.tax, choice.hasTax, (hasTax) => ({ ...choice, hasTax }), words.withTax)}
</div>${choice.hasTax ? taxText(own, { language, now }) : null}`;
}

/** Which energy tax is in the prices, and since when. */
function taxText({ choice, shown }: Own, { language, now }: Pick<Situation, 'language' | 'now'>): Html {
  const words = ownWordsIn(language);
  const format = formatIn(language);
  const today = dayAt(now);
  const chosen = shown.taxOn(today);
  if (chosen === null) return html`<p class="small soft">${words.noTax}</p>`;
  const { tax, rest, isForecast } = chosen;
  const nextDay = Temporal.PlainDate.from(today).add({ days: 1 }).toString();
  const tomorrow = shown.taxOn(nextDay);
  const unknownDay = isForecast ? today : tomorrow?.isForecast === true ? nextDay : null;
  const place = choice.kommun?.name ?? (rest === null ? choice.area : words.mostOf(choice.area));
  const rate = format.decimal(tax.rate_ore_per_kwh);
  return html`<p class="small soft">${words.taxOf(place, rate, format.date(tax.valid_from))}${choice.hasVat ? words.taxWithVat(format.decimal(tax.rate_ore_per_kwh_incl_vat)) : null}${tax.reduced ? words.reduced : null}.${
    rest === null
      ? null
      : ` ${words.rest(rest.other_count, rest.count, format.decimal(rest.other.rate_ore_per_kwh))}`
  }${
    tomorrow === null || tomorrow.tax.rate_ore_per_kwh === tax.rate_ore_per_kwh
      ? null
      : ` ${words.taxTomorrow(format.decimal(tomorrow.tax.rate_ore_per_kwh))}`
  }${unknownDay === null ? null : ` ${words.forecast(unknownDay.slice(0, 4))}`}</p>`;
}

/** What is remembered, and how to share or forget it. */
export function rememberedText(
  { isChosen, choice }: Own,
  address: string,
  { language }: Pick<Situation, 'language'>,
): Html {
  const words = ownWordsIn(language);
  return html`<p class="small soft">${isChosen ? null : html`<strong>${words.guess(placeOf(choice))}</strong> `}${words.remembered} ${isChosen ? html`<a href="${FORGETTING}" rel="nofollow">${words.forget}</a> · ` : null}<a href="${address}">${words.share}</a></p>`;
}

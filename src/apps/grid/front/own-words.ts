import { type Language, translated } from '../../../core/language.ts';
import { VAT_PERCENT } from '../../../domain/market/tax/index.ts';

const PERCENT = `${VAT_PERCENT}\u00a0%`;

/** The texts about a chosen area. */
const OWN_WORDS = translated({
  en: {
    heading: (place: string) => `Electricity price in ${place} now`,
    title: (place: string) => `Electricity price in ${place}, today and tomorrow`,
    description: (place: string) =>
      `The spot price of electricity in ${place} now, today and tomorrow, as bars and in a table, with or without VAT and energy tax.`,
    contains: {
      none: 'Spot price without VAT, energy tax and grid fees.',
      vat: `Spot price with ${VAT_PERCENT}% VAT, without energy tax and grid fees.`,
      tax: 'Spot price with energy tax, without VAT and grid fees.',
      both: `Spot price with energy tax and ${VAT_PERCENT}% VAT, without grid fees.`,
    },
    bill: {
      none: 'Your bill adds the supplier’s markup, grid fees, energy tax and VAT.',
      vat: 'Your bill adds the supplier’s markup, grid fees and energy tax, with VAT on them.',
      tax: 'Your bill adds the supplier’s markup, grid fees and VAT.',
      both: 'Your bill adds the supplier’s markup and grid fees, with VAT on them.',
    },
    chooserLead: 'Choose your price area',
    guess: (place: string) => `${place} is shown until you choose your own area.`,
    remembered:
      'The area you choose is kept in a cookie (elnav_area) in this browser for a year, and used for this page and the planner of the console only.',
    forget: 'Forget my choice',
    share: 'Link to this page',
    switches: 'What the price contains',
    vat: 'VAT',
    tax: 'Energy tax',
    without: 'Without',
    withVat: `With, ${VAT_PERCENT}%`,
    withTax: 'With',
    mostOf: (area: string) => `most of ${area}`,
    taxOf: (place: string, rate: string, since: string) =>
      `Energy tax in ${place}: ${rate} öre/kWh since ${since}`,
    taxWithVat: (rate: string) => `, ${rate} with VAT`,
    reduced: ' (reduced rate)',
    rest: (count: number, all: number, rate: string) =>
      `In ${count} of the area’s ${all} municipalities it is ${rate}: look up your place to get your own.`,
    taxTomorrow: (rate: string) => `From tomorrow it is ${rate} öre/kWh.`,
    forecast: (year: string) => `The rate of ${year} is not known yet.`,
    noTax: 'The energy tax is not known, so it is not added.',
    today: 'Today',
    tomorrow: 'Tomorrow',
    mean: 'Average',
    cheapest: 'Cheapest hour',
    dearest: 'Most expensive hour',
    tiles: 'The prices beside the areas are spot prices without VAT and energy tax.',
    spotOnly: 'Spot prices without VAT and energy tax.',
  },
  sv: {
    heading: (place) => `Elpriset i ${place} just nu`,
    title: (place) => `Elpriset i ${place} i dag och i morgon`,
    description: (place) =>
      `Spotpriset på el i ${place} just nu, i dag och i morgon, i diagram och tabell, med eller utan moms och energiskatt.`,
    contains: {
      none: 'Spotpris utan moms, energiskatt och nätavgift.',
      vat: `Spotpris med ${PERCENT} moms, utan energiskatt och nätavgift.`,
      tax: 'Spotpris med energiskatt, utan moms och nätavgift.',
      both: `Spotpris med energiskatt och ${PERCENT} moms, utan nätavgift.`,
    },
    bill: {
      none: 'På räkningen tillkommer elhandlarens påslag, nätavgift, energiskatt och moms.',
      vat: 'På räkningen tillkommer elhandlarens påslag, nätavgift och energiskatt, och moms på dem.',
      tax: 'På räkningen tillkommer elhandlarens påslag, nätavgift och moms.',
      both: 'På räkningen tillkommer elhandlarens påslag och nätavgift, och moms på dem.',
    },
    chooserLead: 'Välj elområde',
    guess: (place) => `Här visas ${place} tills du har valt ditt eget elområde.`,
    remembered:
      'Det elområde du väljer sparas i en kaka (elnav_area) i webbläsaren i ett år och används bara för den här sidan och för planeraren i konsolen.',
    forget: 'Glöm mitt val',
    share: 'Länk till den här sidan',
    switches: 'Vad priset innehåller',
    vat: 'Moms',
    tax: 'Energiskatt',
    without: 'Utan',
    withVat: `Med, ${PERCENT}`,
    withTax: 'Med',
    mostOf: (area) => `större delen av ${area}`,
    taxOf: (place, rate, since) => `Energiskatten i ${place} är ${rate} öre/kWh sedan den ${since}`,
    taxWithVat: (rate) => `, ${rate} med moms`,
    reduced: ' (nedsatt)',
    rest: (count, all, rate) =>
      `I ${count} av områdets ${all} kommuner är den ${rate} öre. Slå upp din ort så räknar vi med rätt skatt.`,
    taxTomorrow: (rate) => `Från och med i morgon är den ${rate} öre/kWh.`,
    forecast: (year) => `Skattesatsen för ${year} är inte känd än.`,
    noTax: 'Energiskatten är inte känd och räknas därför inte med.',
    today: 'I dag',
    tomorrow: 'I morgon',
    mean: 'Snittpris',
    cheapest: 'Billigaste timmen',
    dearest: 'Dyraste timmen',
    tiles: 'Priserna vid elområdena är spotpris utan moms och energiskatt.',
    spotOnly: 'Spotpris utan moms och energiskatt.',
  },
});

export const ownWordsIn = (language: Language): (typeof OWN_WORDS)['en'] => OWN_WORDS[language];

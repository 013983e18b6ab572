import type { Language, Words } from '../../../core/language.ts';
import type { SourceOutcome } from '../../../domain/prices/index.ts';
import type { ProductionType } from '../../../sources/contract/market.ts';
import type { Level } from './figures.ts';

/** The texts of the front page but for those of the look-up. */
export interface FrontWords {
  readonly title: string;
  readonly description: string;
  /** Of a page that is about no area. */
  readonly heading: string;
  /** The day, and the span that the prices hold for. */
  lead(day: string, span: string | null): string;
  readonly unit: string;
  readonly levels: Readonly<Record<Level, string>>;
  readonly noPrice: string;
  readonly days: {
    /** By how many minutes the shortest price holds for. */
    heading(minutes: number): string;
    readonly headingYesterday: string;
    /** What a chart shows, in a sentence, for who cannot see it. */
    label(place: string, day: string): string;
    readonly today: string;
    readonly tomorrow: string;
    readonly yesterday: string;
    readonly now: string;
    readonly expected: string;
    readonly late: string;
    /** Beside the time and the price of the cheapest and the dearest slot. */
    readonly least: string;
    readonly most: string;
    table(place: string): string;
    readonly tableOfAll: string;
    noneOf(place: string): string;
    readonly hour: string;
    readonly read: string;
    readonly note: string;
    source(names: string): string;
    readonly converted: string;
  };
  readonly sample: {
    readonly title: string;
    readonly text: string;
    readonly plot: string;
    /** Beside a price that stands by itself. */
    readonly tag: string;
  };
  /** No source is asked, by the operator's setting. */
  readonly switchedOff: string;
  readonly none: {
    readonly title: string;
    readonly text: string;
    stale(day: string): string;
    readonly notAsked: string;
    tried(source: string, time: string, outcome: string): string;
    next(time: string): string;
    readonly noNext: string;
  };
  readonly partial: (areas: string) => string;
  readonly outcomes: Readonly<Record<SourceOutcome, string>>;
  readonly production: {
    readonly heading: string;
    lead(time: string): string;
    readonly late: string;
    readonly label: string;
    readonly table: string;
    readonly area: string;
    readonly total: string;
    readonly all: string;
    readonly time: string;
    readonly kinds: Readonly<Record<ProductionType, string>>;
    readonly none: string;
    next(time: string): string;
    readonly source: string;
  };
  readonly map: { readonly label: string; readonly legend: string };
  readonly api: {
    readonly heading: string;
    readonly lead: string;
    readonly label: string;
    readonly docs: string;
    readonly signUp: string;
    readonly signIn: string;
    readonly quota: string;
  };
}

const en: FrontWords = {
  title: 'Electricity prices, and one API for energy devices',
  description:
    'elnav: one API for energy devices of several brands. Spot prices of electricity in the Swedish price areas SE1 to SE4 now, today and tomorrow, production, and which price area a place is in.',
  heading: 'Electricity prices now',
  lead: (day, span) => `${day}${span === null ? '' : `, ${span}`}.`,
  unit: 'öre/kWh',
  levels: { low: 'Low for the day', normal: 'Normal for the day', high: 'High for the day' },
  noPrice: 'No price yet',
  days: {
    heading: (minutes) => (minutes < 60 ? 'Prices for every quarter hour' : 'Prices hour by hour'),
    headingYesterday: 'Yesterday’s prices',
    label: (place, day) =>
      `Bars of the prices in ${place} in öre per kWh. ${day}. The table below has the same figures.`,
    today: 'Today',
    tomorrow: 'Tomorrow',
    yesterday: 'Yesterday',
    now: 'Now',
    expected: 'Tomorrow’s prices are published at about 13:00 and appear here then.',
    late: 'Tomorrow’s prices should be here by now. We keep asking until they are.',
    least: 'Lowest',
    most: 'Highest',
    table: (place) => `All prices in ${place} in a table`,
    tableOfAll: 'The four price areas in a table: spot prices, hourly averages',
    noneOf: (place) => `There are no prices for ${place}.`,
    hour: 'Hour',
    read: 'The price at a chosen time',
    note: 'One hundred öre make one krona.',
    source: (names) => `Prices: ${names}.`,
    converted: 'Converted from euros, because the source gives no prices in kronor.',
  },
  switchedOff: 'The operator of this service has turned off fetching of prices (ELNAV_FETCH=off).',
  sample: {
    title: 'These prices are a sample, not real',
    text: 'No real prices have been fetched yet. A made-up day shows what the page looks like.',
    plot: 'Sample, not real prices.',
    tag: 'sample',
  },
  none: {
    title: 'Today’s prices are missing',
    text: 'We have no price for right now, and we do not guess.',
    stale: (day) => `The latest prices we have are yesterday’s, ${day}. They are shown below.`,
    notAsked: 'No source has been asked yet.',
    tried: (source, time, outcome) => `${source}, asked at ${time}: ${outcome}.`,
    next: (time) => `The next attempt is at ${time}.`,
    noNext: 'No next attempt is planned here yet.',
  },
  partial: (areas) => `Today’s prices are missing for ${areas}.`,
  outcomes: {
    ok: 'it answered',
    not_published: 'it has not published them yet',
    refused: 'its figures cannot be right',
    quarantined: 'its figures are unlikely, and no other source has confirmed them yet',
    unreachable: 'it could not be reached',
    timeout: 'it did not answer in time',
    rate_limited: 'it limits how often we may ask',
    http_refused: 'it refused to answer',
    server_error: 'it has a fault of its own',
    answer_invalid: 'its answer could not be read',
    no_rate: 'it gives euros only, and no exchange rate is known',
  },
  production: {
    heading: 'Where the electricity came from',
    lead: (time) => `Average production ${time}, the latest settled figures.`,
    late: 'Figures are settled about a day later and may be corrected after that.',
    label: 'Production in the four price areas by type, in megawatts. The table below has the same figures.',
    table: 'The production in a table, MW',
    area: 'Price area',
    total: 'Total',
    all: 'All areas',
    time: 'Time',
    kinds: {
      hydro: 'Hydro',
      nuclear: 'Nuclear',
      wind: 'Wind',
      solar: 'Solar',
      thermal: 'Thermal',
      other: 'Other and storage',
    },
    none: 'No production figures yet.',
    next: (time) => `The next attempt to fetch them from eSett is at ${time}.`,
    source: 'Production:',
  },
  map: {
    label: 'Map of the four price areas with the price now. The list has the same figures.',
    legend: 'Spot price now, öre/kWh without VAT and energy tax',
  },
  api: {
    heading: 'Get the same data from the API',
    lead: 'Everything on this page is available as JSON. Try it in a terminal:',
    label: 'Three calls of the API',
    docs: 'Read the documentation',
    signUp: 'Create an account',
    signIn: 'Sign in',
    quota: 'Look-ups without a key are limited per day. With an account you get a key and more look-ups.',
  },
};

const sv: FrontWords = {
  title: 'Elpriser, och ett API för energienheter',
  description:
    'elnav: ett API för energienheter av flera märken. Elens spotpris i elområde SE1 till SE4 just nu, i dag och i morgon, elproduktionen, och vilket elområde en ort hör till.',
  heading: 'Elpriserna just nu',
  lead: (day, span) => `${day}${span === null ? '' : `, kl.\u00a0${span}`}.`,
  unit: 'öre/kWh',
  levels: { low: 'Lågt för dagen', normal: 'Normalt för dagen', high: 'Högt för dagen' },
  noPrice: 'Inget pris än',
  days: {
    heading: (minutes) => (minutes < 60 ? 'Priset kvart för kvart' : 'Priset timme för timme'),
    headingYesterday: 'Gårdagens priser',
    label: (place, day) =>
      `Stapeldiagram över priset i ${place} i öre per kWh. ${day}. Tabellen nedanför visar samma siffror.`,
    today: 'I dag',
    tomorrow: 'I morgon',
    yesterday: 'I går',
    now: 'Nu',
    expected: 'Morgondagens priser publiceras omkring kl. 13 och visas då här.',
    late: 'Morgondagens priser borde ha kommit vid det här laget. Vi frågar efter dem tills de finns.',
    least: 'Lägst',
    most: 'Högst',
    table: (place) => `Alla priser i ${place} i en tabell`,
    tableOfAll: 'De fyra elområdena i en tabell: spotpris, snitt per timme',
    noneOf: (place) => `Det finns inga priser för ${place}.`,
    hour: 'Timme',
    read: 'Priset vid en vald tid',
    note: 'Hundra öre är en krona.',
    source: (names) => `Priser: ${names}.`,
    converted: 'Omräknade från euro, eftersom källan inte anger kronor.',
  },
  switchedOff: 'Den som driver tjänsten har stängt av hämtningen av siffror (ELNAV_FETCH=off).',
  sample: {
    title: 'Priserna är ett exempel, inte verkliga',
    text: 'Inga verkliga priser är kända här än. En påhittad dag visar hur sidan ser ut så länge.',
    plot: 'Exempel, inte verkliga priser.',
    tag: 'exempel',
  },
  none: {
    title: 'Dagens priser saknas',
    text: 'Vi har inget pris som gäller just nu, och vi gissar inte.',
    stale: (day) => `De senaste priser vi har är gårdagens, ${day}. De visas nedanför.`,
    notAsked: 'Ingen källa har tillfrågats än.',
    tried: (source, time, outcome) => `${source}, tillfrågad kl. ${time}: ${outcome}.`,
    next: (time) => `Nästa försök görs kl. ${time}.`,
    noNext: 'Inget nytt försök är planerat här än.',
  },
  partial: (areas) => `Dagens priser saknas för ${areas}.`,
  outcomes: {
    ok: 'svarade',
    not_published: 'har inte publicerat dem',
    refused: 'gav siffror som inte kan stämma',
    quarantined: 'gav siffror som knappast stämmer, och ingen annan källa har bekräftat dem än',
    unreachable: 'gick inte att nå',
    timeout: 'svarade inte i tid',
    rate_limited: 'vill få färre frågor',
    http_refused: 'ville inte svara',
    server_error: 'har ett fel hos sig',
    answer_invalid: 'gav ett svar som inte gick att läsa',
    no_rate: 'anger bara euro, och ingen växelkurs är känd',
  },
  production: {
    heading: 'Så producerades elen',
    lead: (time) => `Genomsnittlig produktion ${time}, de senaste avräknade siffrorna.`,
    late: 'Siffrorna avräknas ungefär ett dygn i efterhand och kan rättas senare.',
    label:
      'Elproduktionen i de fyra elområdena per kraftslag, i megawatt. Tabellen nedanför visar samma siffror.',
    table: 'Produktionen i en tabell, MW',
    area: 'Elområde',
    total: 'Totalt',
    all: 'Alla områden',
    time: 'Tid',
    kinds: {
      hydro: 'Vattenkraft',
      nuclear: 'Kärnkraft',
      wind: 'Vindkraft',
      solar: 'Solkraft',
      thermal: 'Värmekraft',
      other: 'Övrigt och lagring',
    },
    none: 'Det finns inga produktionssiffror än.',
    next: (time) => `Nästa försök att hämta dem från eSett görs kl. ${time}.`,
    source: 'Produktion:',
  },
  map: {
    label: 'Karta över de fyra elområdena med priset just nu. Listan visar samma siffror.',
    legend: 'Spotpris just nu, öre/kWh utan moms och energiskatt',
  },
  api: {
    heading: 'Hämta samma data från API:et',
    lead: 'Allt på den här sidan finns öppet som JSON. Prova i en terminal:',
    label: 'Tre anrop till API:et',
    docs: 'Läs dokumentationen (på engelska)',
    signUp: 'Skapa ett konto',
    signIn: 'Logga in',
    quota:
      'Uppslag utan nyckel är begränsade till ett visst antal om dagen. Med ett konto får du en nyckel och fler uppslag.',
  },
};

const FRONT_WORDS: Words<FrontWords> = { en, sv };

export const wordsIn = (language: Language): FrontWords => FRONT_WORDS[language];

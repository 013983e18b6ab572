import type { Adapter } from '../../../adapter/adapter.ts';
import type { DeviceType } from '../../../adapter/device.ts';
import { DEVICE_WORDS } from '../../../adapter/login.ts';
import { LANGUAGES } from '../../../core/language.ts';
import { isOwnBrand, type OtherWay, otherWays } from './other-ways.ts';
import { namesIn, type Sought, search, wordsIn } from './search.ts';
import { typesOf } from './vendors.ts';

/** What people look for besides the names of the types, in Swedish and English. */
const HOUSEHOLD_WORDS = {
  vehicle: 'elbil elbilar laddhybrid hybrid fordon ev electric car vehicle plug-in',
  charger:
    'laddare laddstation laddstolpe elbilsladdare billaddare elbilsladdning hemmaladdning wallbox evse charging station point ev charger',
  heat_pump:
    'värme luftvärmepump luftvatten bergvärmepump bergvärme jordvärme frånluftsvärmepump uppvärmning varmvatten varmvattenberedare luftkonditionering heating hot water heater air conditioner conditioning aircondition ac',
  thermostat:
    'element elementtermostat radiator radiatortermostat golvvärme uppvärmning värme heating underfloor valve',
  solar_inverter: 'solceller solpaneler solpanel solel växelriktare pv solar inverter photovoltaic',
  battery:
    'batteri batterilager hembatteri hemmabatteri solbatteri husbatteri energilager home battery storage',
  smart_home_appliance:
    'vitvaror diskmaskin tvättmaskin torktumlare ugn spishäll häll fläkt kyl kylskåp frys kaffemaskin robotdammsugare white goods dishwasher washing machine washer tumble dryer oven hob cooker hood fridge refrigerator freezer coffee maker robot vacuum eluttag uttag smart plug plugg relä relay elmätare energimätare meter',
  light: 'belysning ljus glödlampa ledlampa armatur light lights lighting light bulb',
  elevator: 'elevator lift hissar',
  industrial: 'industri fabrik process industry industrial factory plant',
} satisfies Record<DeviceType, string>;

/** The same in Norwegian, Danish and Finnish, in which the pages are not written. */
const NEIGHBOURS_WORDS = {
  vehicle: 'elbiler ladbar hybridbil sähköauto sähköautot hybridiauto auto',
  charger:
    'lader ladeboks ladestander ladestasjon elbillader hjemmelader elbilladning elbillading latausasema kotilatausasema latauslaite autolaturi laturi',
  heat_pump:
    'varmepumpe varmepumper bergvarme jordvarme oppvarming opvarmning varmtvann varmtvand varmtvannsbereder lämpöpumppu ilmalämpöpumppu maalämpö maalämpöpumppu vesilämpöpumppu lämmitys lämminvesivaraaja',
  thermostat:
    'panelovn varmeovn gulvvarme varmekabler oppvarming opvarmning termostaatti patteri lattialämmitys lämmitys',
  solar_inverter:
    'solcelle solcelleanlegg solcelleanlæg solcellepanel vekselretter aurinkopaneeli aurinkopaneelit aurinkosähkö invertteri',
  battery: 'hjemmebatteri boligbatteri batteripakke akku kotiakku aurinkoakku energiavarasto sähkövarasto',
  smart_home_appliance:
    'hvitevarer hvidevarer oppvaskmaskin opvaskemaskine vaskemaskin vaskemaskine tørketrommel tørretumbler stekeovn komfyr kjøleskap køleskab fryser stikkontakt strømmåler elmåler kodinkoneet astianpesukone pesukone kuivausrumpu uuni liesi jääkaappi pakastin pistorasia sähkömittari',
  light: 'lampe lamper lys lyspære elpære lamppu lamput valo valot valaistus',
  elevator: 'heis heiser elevatorer hissi hissit',
  industrial: 'industrianlegg industrianlæg fabrikk teollisuus tehdas',
} satisfies Record<DeviceType, string>;

/** What people look for who want made-up devices. */
const TESTING_WORDS = 'test testing demo simulated simulerad simulator påhittad';

/** A way to connect something, which a user can choose. */
export interface Choice extends Sought {
  readonly vendor: Adapter;
  /** The brand that the vendor connects; null for the vendor's own tile. */
  readonly way: OtherWay | null;
}

/** What a query finds, by name; all vendors without a query. */
export function choicesFor(vendors: readonly Adapter[], query: string): Choice[] {
  const ways = otherWays(vendors).flatMap((way) =>
    vendors.filter(({ slug }) => slug === way.vendor).map((vendor) => brandChoice(vendor, way)),
  );
  // Equal names stay in this order: first the vendor of that name, then the other ways.
  return search([...vendors.map(vendorChoice), ...ways], query).toSorted((a, b) =>
    nameOf(a).localeCompare(nameOf(b), 'sv'),
  );
}

/** The found choices that connect the same brand as this one, itself included. */
export function waysOfBrand(choice: Choice, found: readonly Choice[]): readonly Choice[] {
  const isOf = (brand: string, { vendor, way }: Choice) =>
    way === null ? isOwnBrand(vendor, brand) : way.brand === brand;
  const brand =
    choice.way?.brand ?? found.find(({ way }) => way !== null && isOf(way.brand, choice))?.way?.brand;
  return brand === undefined ? [choice] : found.filter((one) => isOf(brand, one));
}

/** The brands that a vendor connects and that are no vendors themselves, in the order of the table. */
export const brandsOf = (vendor: Adapter, vendors: readonly Adapter[]): readonly string[] =>
  otherWays([vendor])
    .map(({ brand }) => brand)
    .filter((brand) => !vendors.some((one) => isOwnBrand(one, brand)));

const nameOf = ({ vendor, way }: Choice): string => way?.brand ?? vendor.name;

function vendorChoice(vendor: Adapter): Choice {
  const { slug, name, calledIn, conditions } = vendor;
  // What is no proper name is made of common words.
  const names = calledIn === undefined ? namesIn(slug, name) : namesIn(slug);
  const called = wordsIn([name, ...Object.values(calledIn ?? {})].join(' '));
  // Made-up devices are of every kind: a word for a kind does not ask for them.
  const words = conditions === undefined ? kindWords(vendor) : wordsIn(TESTING_WORDS);
  return { vendor, way: null, names, words: [...called, ...words], isByNameOnly: false };
}

function brandChoice(vendor: Adapter, way: OtherWay): Choice {
  const names = namesIn(way.brand, ...(way.also ?? []));
  return { vendor, way, names, words: kindWords(vendor), isByNameOnly: true };
}

/** What the kinds of a vendor are called, in the languages of the pages and of the neighbours. */
const kindWords = (vendor: Adapter): string[] =>
  typesOf(vendor).flatMap((type) =>
    wordsIn(
      [
        ...LANGUAGES.flatMap((language) => Object.values(DEVICE_WORDS[language][type])),
        HOUSEHOLD_WORDS[type],
        NEIGHBOURS_WORDS[type],
      ].join(' '),
    ),
  );

import type { Adapter } from '../../../adapter/adapter.ts';
import { wordsIn } from './search.ts';

/** A brand that people look for, and that another vendor connects. */
export interface OtherWay {
  readonly brand: string;
  /** How else it is written. */
  readonly also?: readonly string[];
  /** The slug of the vendor. */
  readonly vendor: string;
  /** Whose account the user signs in with, where the vendor has sign-ins: the vendor's own unless it says otherwise. */
  readonly account?: 'brand';
}

/** Some names of one vendor, the ones that most homes have first: the choice lists the first of them. */
const by = (vendor: string, brands: string, account?: 'brand'): OtherWay[] =>
  brands.split(', ').map((brand) => ({ brand, vendor, ...(account === undefined ? {} : { account }) }));

const OTHER_WAYS: readonly OtherWay[] = [
  // Makers that offer OCPP 1.6J or 2.0.1.
  ...by('ocpp', 'Garo, Wallbox, CTEK, ABB Terra, Schneider EVlink, KEBA, go-e, Alfen, Webasto'),
  // The same of makers that are vendors too: their chargers are either in their maker's cloud or connect to us.
  ...by('ocpp', 'Zaptec, Easee, Charge Amps'),
  // Makers whose cars Smartcar connects in Europe (smartcar.com/docs/help/frequencies). Users sign in with the account of their car.
  { brand: 'Volkswagen', also: ['VW'], vendor: 'smartcar', account: 'brand' },
  ...by('smartcar', 'Audi, Škoda, BMW, Kia, Polestar, Hyundai', 'brand'),
  { brand: 'Mercedes-Benz', also: ['Mercedes'], vendor: 'smartcar', account: 'brand' },
  ...by('smartcar', 'Nissan, MG, Peugeot, Renault, Ford, Opel, Cupra, BYD, MINI, Porsche, Mazda', 'brand'),
  ...by('smartcar', 'Citroën, Fiat, DS, Jeep, Jaguar, Land Rover, Dacia, Alfa Romeo', 'brand'),
  // Their own vendors too.
  ...by('smartcar', 'Tesla, Volvo', 'brand'),
  ...by('myuplink', 'NIBE, CTC, Høiax'),
  ...by('homeconnect', 'Bosch, Siemens, Neff, Gaggenau'),
  ...by('tesla', 'Powerwall'),
];

/** The brands that some of these vendors connect. */
export const otherWays = (vendors: readonly Adapter[]): readonly OtherWay[] =>
  OTHER_WAYS.filter(({ vendor }) => vendors.some(({ slug }) => slug === vendor));

/** Whether a brand is this vendor's own, so that it has two ways at least. */
export function isOwnBrand({ name, slug }: Pick<Adapter, 'name' | 'slug'>, brand: string): boolean {
  const words = wordsIn(brand);
  return slug === words.join('') || wordsIn(name).slice(0, words.length).join() === words.join();
}

/** How a vendor connects a brand that was chosen by name; null where it does not. */
export const wayOf = ({ slug }: Pick<Adapter, 'slug'>, brand: unknown): OtherWay | null =>
  OTHER_WAYS.find((way) => way.vendor === slug && way.brand === brand) ?? null;

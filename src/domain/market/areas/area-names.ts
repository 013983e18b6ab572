import { fold } from './places.ts';

/** The part of a place that a grid area covers, according to the area's name. */
export type Extent = 'whole' | 'town' | 'country' | 'site';

/** A folded place name found in a grid area's name, and the extent it stands for. */
interface PlaceNameInArea {
  readonly name: string;
  readonly extent: Extent;
  /** Names that a compound may stand for, used only if a municipality has them: Pitebygden, Älvsbybygden. */
  readonly guesses: readonly string[];
}

const TOWN = new Set(['tatort', 'stad', 'koping']);
const COUNTRY = new Set([
  'landsbygd',
  'omnejd',
  'med',
  'norra',
  'sodra',
  'ostra',
  'vastra',
  'ovre',
  'nedre',
  'mellersta',
  'nordost',
]);
const NEUTRAL = new Set(['lokal', 'lokalnat', 'region', 'bruk']);
/** A mine's or factory's own network, which serves almost none of the place in its name. */
const SITE = new Set(['lkab', 'fabriksomrade']);
/** "Byggden": the register's spelling of one of them. */
const COMPOUND = /^(.{2,}?)(?:bygden|byggden|orten|kusten)$/;
const ISLANDS = /^(.{2,})oarna$/;

/**
 * The place names in a grid area's name. "Varbergsorten Norra" means the country around Varberg, "Malmö-Burlöv" two
 * places, "Sundsvall tätort" a town, "Ekeröarna" Ekerö.
 */
export function placeNamesIn(areaName: string): PlaceNameInArea[] {
  return areaName.split(/[-–/]/).flatMap((part): PlaceNameInArea[] => {
    const words = fold(part).split(' ');
    const kept = words.filter((word) => ![TOWN, COUNTRY, NEUTRAL, SITE].some((set) => set.has(word)));
    if (kept.length === 0) return [];
    const says = (set: ReadonlySet<string>) => words.some((word) => set.has(word));
    const extent: Extent = says(SITE) ? 'site' : says(COUNTRY) ? 'country' : says(TOWN) ? 'town' : 'whole';
    const name = kept.join(' ');
    const compound = COMPOUND.exec(name)?.[1];
    if (compound !== undefined) {
      // The linking s may belong to the name: Kalixbygden, Ängelholmsbygden, Åsbygden.
      const names = compound.endsWith('s') ? [compound, compound.slice(0, -1)] : [compound];
      const last = names.at(-1) ?? compound;
      return names.map((one) => ({
        name: one,
        extent: 'country',
        guesses: one === last ? [`${last}a`, `${last}n`] : [],
      }));
    }
    const island = ISLANDS.exec(name)?.[1];
    if (island !== undefined) return [{ name: `${island}o`, extent: 'whole', guesses: [] }];
    // "Skyllbergs bruk" is at Skyllberg.
    const genitive = kept.length < words.length && name.endsWith('s') ? [name.slice(0, -1)] : [];
    return [name, ...genitive].map((one) => ({ name: one, extent, guesses: [] }));
  });
}

/** A company's name without its legal form, so that names from different registers compare equal. */
export function companyKey(name: string): string {
  return fold(name)
    .replaceAll(/\b(?:ab|aktiebolag|ekonomisk forening|ek for|upa|publ)\b/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

import { fold } from './fold.ts';

/** Which part of what it is named after a grid area covers, as far as its name tells. */
export type Extent = 'whole' | 'town' | 'country' | 'site';

/** A name that a grid area bears, folded, and how it bears it. */
export interface Borne {
  readonly name: string;
  readonly extent: Extent;
  /** Names that the compound may stand for but that are only believed of municipalities: Pitebygden, Älvsbybygden. */
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
/** A mine's or a factory's own network, which serves next to nobody of the place that it is named after. */
const SITE = new Set(['lkab', 'fabriksomrade']);
/** "Byggden" is how the register spells one of them. */
const COMPOUND = /^(.{2,}?)(?:bygden|byggden|orten|kusten)$/;
const ISLANDS = /^(.{2,})oarna$/;

/**
 * The names in a grid area's name. "Varbergsorten Norra" bears Varberg's country, "Malmö-Burlöv" two names, "Sundsvall
 * tätort" a town, "Ekeröarna" Ekerö.
 */
export function namesBorne(areaName: string): Borne[] {
  return areaName.split(/[-–/]/).flatMap((part): Borne[] => {
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
    // "Skyllbergs bruk" stands at Skyllberg.
    const genitive = kept.length < words.length && name.endsWith('s') ? [name.slice(0, -1)] : [];
    return [name, ...genitive].map((one) => ({ name: one, extent, guesses: [] }));
  });
}

/** A company's name without its legal form, so that registers which write it differently agree. */
export function companyKey(name: string): string {
  return fold(name)
    .replaceAll(/\b(?:ab|aktiebolag|ekonomisk forening|ek for|upa|publ)\b/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

import { OperatorError } from '../core/errors.ts';
import type { AreaTables, TableSource } from '../domain/market/areas/index.ts';
import type { Location, Original } from './arguments.ts';
import type { Originals } from './compile/index.ts';
import { type Fetched, type HttpFor, read } from './fetch.ts';
import { EI, findConcessionsLink, parseConcessions } from './originals/ei.ts';
import { ESETT_REGISTERS, parseGridAreas, parseOperators } from './originals/esett.ts';
import { GEONAMES, parseGeonames } from './originals/geonames.ts';
import {
  findBordersLink,
  POSTAL_MUNICIPALITIES,
  parseMunicipalities,
  parseMunicipalityBorders,
  parsePostalMunicipalities,
  SCB,
  SCB_BORDERS,
} from './originals/scb.ts';

import { parseReducedTax, parseTaxRates, parseZones, TAX, ZONES } from './originals/tax-and-zones.ts';

interface Facts {
  readonly name: string;
  readonly licence: string;
}

const FACTS: { readonly [O in Original]: Facts } = {
  municipalities: SCB,
  'municipality-shapes': SCB_BORDERS,
  zones: ZONES,
  'grid-areas': ESETT_REGISTERS,
  operators: ESETT_REGISTERS,
  'postal-codes': GEONAMES,
  'postal-municipalities': POSTAL_MUNICIPALITIES,
  concessions: EI,
  'tax-rates': TAX,
  'reduced-tax': TAX,
};

const url = ({ baseUrl, path }: { readonly baseUrl: string; readonly path: string }) => `${baseUrl}${path}`;

/** Default addresses of each original, one per part. */
const ADDRESSES: { readonly [O in Original]: readonly string[] } = {
  municipalities: [url(SCB)],
  'municipality-shapes': [url(SCB_BORDERS)],
  zones: ZONES.paths.map((path) => `${ZONES.baseUrl}${path}`),
  'grid-areas': [`${ESETT_REGISTERS.baseUrl}${ESETT_REGISTERS.gridAreasPath}`],
  operators: [`${ESETT_REGISTERS.baseUrl}${ESETT_REGISTERS.operatorsPath}?country=SE`],
  'postal-codes': [url(GEONAMES)],
  'postal-municipalities': [url(POSTAL_MUNICIPALITIES)],
  concessions: [url(EI)],
  'tax-rates': [],
  'reduced-tax': [],
};

/** For originals whose address is a page: finds the link to the file on it. */
const LINKS: { readonly [O in Original]?: (html: string, pageUrl: string) => string } = {
  'municipality-shapes': findBordersLink,
  concessions: findConcessionsLink,
};

/** Reads and parses all named originals; other inputs of a table come from the current tables. */
export async function readOriginals(
  locations: readonly Location[],
  { current, httpFor }: { current: AreaTables; httpFor: HttpFor },
): Promise<Originals> {
  const parts = new Map<Original, Fetched[]>();
  for (const location of locations) {
    const fetched = await fetchOriginal(location, httpFor);
    parts.set(location.original, [...(parts.get(location.original) ?? []), ...fetched]);
  }
  const parse = <T>(original: Original, parser: (bytes: Uint8Array, file: string) => T): T[] | undefined =>
    parts.get(original)?.map(({ bytes, file }) => parser(bytes, file));
  const sources = (...originals: readonly Original[]) =>
    locations
      .filter(({ original }) => originals.includes(original))
      .map(({ original, asOf }) => ({ ...pick(FACTS[original]), as_of: asOf }))
      .filter((one, index, all) => all.findIndex((other) => isSame(one, other)) === index)
      .toSorted((a, b) => (a.as_of < b.as_of ? 1 : a.as_of > b.as_of ? -1 : 0));

  const municipalities = parse('municipalities', parseMunicipalities)?.[0];
  const zones = parse('zones', parseZones)?.flat();
  const registers = parse('grid-areas', parseGridAreas);
  const operators = parse('operators', parseOperators);
  const positioned = parse('postal-codes', parseGeonames)?.[0];
  const stated = parse('postal-municipalities', parsePostalMunicipalities)?.[0];
  const rates = parse('tax-rates', parseTaxRates)?.[0];
  const reduced = parse('reduced-tax', parseReducedTax)?.[0];
  const concessions = parts.get('concessions')?.[0];
  const borders = parts.get('municipality-shapes')?.[0];
  return {
    ...(municipalities && {
      municipalities: {
        municipalities: municipalities.municipalities,
        counties: municipalities.counties,
        sources: sources('municipalities').map((source) => ({ ...source, ...municipalities.source })),
      },
    }),
    ...(zones && { zones: { shapes: zones, sources: sources('zones') } }),
    ...((registers !== undefined || operators !== undefined) && {
      gridAreas: {
        registers: registers ?? [current.grid_areas],
        operators:
          registers === undefined
            ? [current.operators, ...(operators ?? [])]
            : (operators ?? [current.operators]),
        sources: sources('grid-areas', 'operators'),
      },
    }),
    ...((positioned !== undefined || stated !== undefined) && {
      postalCodes: {
        positioned: positioned ?? presentPositions(current),
        stated: stated ?? presentMunicipalities(current, positioned ?? []),
        sources: [
          ...sources('postal-codes', 'postal-municipalities'),
          ...(positioned === undefined ? presentSources(current, GEONAMES) : []),
          ...(stated === undefined ? presentSources(current, POSTAL_MUNICIPALITIES) : []),
        ],
      },
    }),
    ...(borders && {
      municipalityShapes: await parseMunicipalityBorders(borders.bytes, borders.file).then(
        ({ shapes, source }) => ({
          shapes,
          sources: sources('municipality-shapes').map((one) => ({ ...one, ...source })),
        }),
      ),
    }),
    ...(concessions && {
      concessions: {
        shapes: await parseConcessions(concessions.bytes, concessions.file),
        sources: sources('concessions'),
      },
    }),
    ...((rates !== undefined || reduced !== undefined) && {
      tax: {
        ...(rates && { rates }),
        ...(reduced && { reduced }),
        sources: sources('tax-rates', 'reduced-tax'),
      },
    }),
  };
}

const pick = ({ name, licence }: Facts): Facts => ({ name, licence });

const isSame = (a: Omit<TableSource, 'table'>, b: Omit<TableSource, 'table'>) =>
  a.name === b.name && a.as_of === b.as_of;

async function fetchOriginal({ original, at }: Location, httpFor: HttpFor): Promise<Fetched[]> {
  const places = at === undefined ? ADDRESSES[original] : [at];
  if (places.length === 0) throw new OperatorError(`${original} has no address of its own; name a file.`);
  const fetched: Fetched[] = [];
  for (const place of places) fetched.push(await read(place, httpFor));
  const [page] = fetched;
  const findLink = LINKS[original];
  if (findLink === undefined || at !== undefined || page === undefined) return fetched;
  return [await read(findLink(new TextDecoder().decode(page.bytes), page.file), httpFor)];
}

function presentPositions({ postal_codes }: AreaTables) {
  return postal_codes.flatMap(({ code, place, municipality, municipality_basis, lat, lon }) =>
    lat === null || lon === null
      ? []
      : [{ code, place, municipality: municipality_basis === 'stated' ? municipality : null, lat, lon }],
  );
}

/** The stated municipalities, without codes that the source of positions has dropped. */
function presentMunicipalities(
  { postal_codes }: AreaTables,
  positioned: readonly { readonly code: string }[],
) {
  const still = new Set(positioned.map(({ code }) => code));
  return postal_codes.filter(
    ({ code, lat, municipality_basis }) =>
      municipality_basis === 'stated' && (lat === null || still.has(code)),
  );
}

function presentSources({ sources }: AreaTables, { name }: Facts) {
  return sources
    .filter((source) => source.table === 'postal_codes' && source.name === name)
    .map(({ licence, as_of }) => ({ name, licence, as_of }));
}

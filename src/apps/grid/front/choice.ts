import type { Areas, Coded } from '../../../domain/market/areas/index.ts';
import { PRICE_AREAS, type PriceArea } from '../../../sources/contract/market.ts';

/** Whose prices the front page is about, and what is added to them. All of it is in the page's address. */
export interface Choice {
  readonly area: PriceArea;
  /** A municipality of the area, for its energy tax; null when it is not known. */
  readonly kommun: Coded | null;
  readonly hasVat: boolean;
  readonly hasTax: boolean;
}

/** Shown until somebody chooses: most people in Sweden live there. */
export const DEFAULT_CHOICE: Choice = { area: 'SE3', kommun: null, hasVat: false, hasTax: false };

type Query = Readonly<Record<string, unknown>>;

/** Reads a choice of an address. What is not understood is left out, so that an old link still works. */
export function readChoice(areas: Pick<Areas, 'region'>, area: PriceArea, query: Query): Choice {
  const kommun = typeof query.kommun === 'string' ? municipalityOf(areas, area, query.kommun) : null;
  return { area, kommun, hasVat: query.vat === 'on', hasTax: query.tax === 'on' };
}

function municipalityOf(areas: Pick<Areas, 'region'>, area: PriceArea, code: string): Coded | null {
  if (!/^\d{4}$/.test(code)) return null;
  const region = areas.region(code);
  if (region?.kind !== 'municipality' || !region.elomraden.includes(area)) return null;
  return { code, name: region.name };
}

/** The area of a path, in any case; undefined for another text. */
export const areaOf = (text: string): PriceArea | undefined =>
  PRICE_AREAS.find((area) => area === text.toUpperCase());

/** `SE3?vat=on`: the address of a choice after its slash, and the value of its cookie. */
export function textOfChoice({ area, kommun, hasVat, hasTax }: Choice): string {
  const query = new URLSearchParams({
    ...(kommun === null ? {} : { kommun: kommun.code }),
    ...(hasVat ? { vat: 'on' } : {}),
    ...(hasTax ? { tax: 'on' } : {}),
  }).toString();
  return query === '' ? area : `${area}?${query}`;
}

/** Reads the value of a cookie; undefined without one, or when others wrote it. */
export function choiceOfText(areas: Pick<Areas, 'region'>, text: string | undefined): Choice | undefined {
  const [, code = '', query = ''] = /^(SE[1-4])(?:\?([\w=&]{0,60}))?$/.exec(text ?? '') ?? [];
  const area = areaOf(code);
  return area === undefined
    ? undefined
    : readChoice(areas, area, Object.fromEntries(new URLSearchParams(query)));
}

/** Where a link leads that has a choice remembered. */
export const choosing = (choice: Choice): string => `/area/${textOfChoice(choice)}`;

/** Where a link leads that has the remembered choice forgotten. */
export const FORGETTING = '/area/forget';

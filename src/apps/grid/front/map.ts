import type { Language } from '../../../core/language.ts';
import type { Areas, Outline } from '../../../domain/market/areas/index.ts';
import type { CurrentPrices } from '../../../domain/market/prices/index.ts';
import { flag, type Html, html } from '../../../pages/html.ts';
import { stepOf } from '../../../pages/plot/price-steps.ts';
import { PRICE_AREA_FACTS, type PriceArea } from '../../../sources/contract/market.ts';
import { type Choice, choosing, DEFAULT_CHOICE } from './choice.ts';
import { formatIn } from './format.ts';
import { wordsIn } from './words.ts';

/** Units of the drawing; it is shown at half of them or less, so that whole units are exact enough. */
const WIDTH = 600;
const EDGE = 8;
/** The meridian of SWEREF 99 TM, by which all maps of Sweden stand upright. */
const MERIDIAN = 15;
const RADIANS = Math.PI / 180;

/** Where the name of an area stands: latitude and longitude of a roomy place in it. */
const NAME_AT: Readonly<Record<PriceArea, readonly [number, number]>> = {
  SE1: [66.75, 20.1],
  SE2: [63.75, 15.9],
  SE3: [59.75, 15.4],
  SE4: [56.75, 14.35],
};

export interface Point {
  readonly x: number;
  readonly y: number;
}

interface Drawn {
  readonly area: PriceArea;
  readonly path: string;
  readonly name: Point;
}

interface MapOptions {
  readonly language: Language;
  /** What is chosen; null: nothing. */
  readonly choice: Choice | null;
  readonly pin?: Point | undefined;
}

export interface SwedenMap {
  /** Where a place is on the drawing. */
  pointOf(lat: number, lon: number): Point;
  /** In the colours of the prices that hold now, with a mark where `pin` is; a click on an area chooses it. */
  draw(current: CurrentPrices | null, options: MapOptions): Html;
}

/** The map of the price areas. Its shapes are made when it is drawn first, and kept. */
export function createMap(areas: Pick<Areas, 'outlines'>): SwedenMap {
  let shapes: ReturnType<typeof shapesOf> | undefined;
  const known = () => {
    shapes ??= shapesOf(areas.outlines());
    return shapes;
  };
  return {
    pointOf: (lat, lon) => known().pointOf(lat, lon),
    draw(current, { language, choice, pin }) {
      const { drawn, height } = known();
      const words = wordsIn(language);
      const format = formatIn(language);
      return html`<svg class="map" viewBox="${`0 0 ${WIDTH} ${height}`}" role="group" aria-label="${words.map.label}">
${drawn.map(({ area, path, name }) => {
  const spot = current?.now[area] ?? null;
  const price = spot === null ? null : format.ore(spot);
  // It begins with what is seen, so that who speaks to the browser can say it.
  const label = `${area}${price === null ? '' : ` ${price} ${words.unit}`}, ${PRICE_AREA_FACTS[area].name}`;
  const shape = html`<path d="${path}"/><text class="map-name" x="${name.x}" y="${name.y}">${area}</text>${
    price === null ? null : html` <text class="map-price" x="${name.x}" y="${name.y + 42}">${price}</text>`
  }`;
  const own = area === choice?.area ? ' map-own' : '';
  const look = `map-area${spot === null ? '' : ` step-${stepOf(Number(spot))}`}${own}`;
  const kommun = own === '' ? null : (choice?.kommun ?? null);
  const href = choosing({ ...(choice ?? DEFAULT_CHOICE), area, kommun });
  return html`<a href="${href}" rel="nofollow" class="${look}" aria-label="${label}">${shape}</a>`;
})}
<g class="map-pin" transform="${`translate(${pin?.x ?? 0} ${pin?.y ?? 0})`}" aria-hidden="true" ${flag('hidden', pin === undefined)}><circle r="26"/><circle r="11"/></g>
</svg>`;
    },
  };
}

function shapesOf(outlines: readonly Outline[]) {
  const flat = outlines.flatMap(({ rings }) =>
    rings.flatMap(({ lon, lat }) => [...lon].map((one, index) => projected(lat[index] ?? 0, one))),
  );
  const [west, east] = [Math.min(...flat.map(({ x }) => x)), Math.max(...flat.map(({ x }) => x))];
  const [south, north] = [Math.min(...flat.map(({ y }) => y)), Math.max(...flat.map(({ y }) => y))];
  const scale = (WIDTH - 2 * EDGE) / (east - west);
  const pointOf = (lat: number, lon: number): Point => {
    const { x, y } = projected(lat, lon);
    return { x: Math.round(EDGE + (x - west) * scale), y: Math.round(EDGE + (north - y) * scale) };
  };
  const drawn = outlines.map(({ elomrade, rings }): Drawn => {
    const paths = rings.map(({ lon, lat }) => pathOf([...lon].map((one, i) => pointOf(lat[i] ?? 0, one))));
    const [nameLat, nameLon] = NAME_AT[elomrade];
    return { area: elomrade, path: paths.join(''), name: pointOf(nameLat, nameLon) };
  });
  return { drawn, pointOf, height: Math.round((north - south) * scale + 2 * EDGE) };
}

/** Transverse Mercator on a sphere. */
function projected(lat: number, lon: number): Point {
  const [phi, lambda] = [lat * RADIANS, (lon - MERIDIAN) * RADIANS];
  return {
    x: Math.atanh(Math.cos(phi) * Math.sin(lambda)),
    y: Math.atan2(Math.tan(phi), Math.cos(lambda)),
  };
}

/** Steps from point to point, which are shorter than the points. */
function pathOf(points: readonly Point[]): string {
  let path = '';
  let last: Point | undefined;
  for (const { x, y } of points) {
    if (last === undefined) path += `M${x} ${y}l`;
    else if (x !== last.x || y !== last.y) path += `${x - last.x} ${y - last.y} `;
    last = { x, y };
  }
  return `${path.trimEnd()}z`;
}

/** Bounding box of Sweden with the outermost skerries and 25 km of sea. */
const BOX = { south: 55.0, north: 69.3, west: 10.2, east: 24.6 } as const;

/** North of this latitude Sweden borders on land, with Norway in the west and Finland in the east. */
const NORWAY_FROM_LAT = 59.0;
const FINLAND_FROM_LAT = 65.78;
/** Latitude at which the coast ends and the Torne river, the border with Finland, begins. */
const COAST_UNTIL_LAT = 66.0;
const TORNE_FROM_LON = 23.9;

/**
 * The middle of the Sound from north to south, rounded (the border of 1932 and 1984 runs there): latitude, longitude.
 * Ven is Swedish, Saltholm Danish.
 */
const SOUND: readonly (readonly [number, number])[] = [
  [56.4, 12.1],
  [56.2, 12.4],
  [56.1, 12.58],
  [56.0, 12.65],
  [55.9, 12.65],
  [55.75, 12.74],
  [55.6, 12.83],
  [55.45, 12.77],
  [55.2, 12.6],
];

export function isNearSweden(lat: number, lon: number): boolean {
  return lat >= BOX.south && lat <= BOX.north && lon >= BOX.west && lon <= BOX.east;
}

/**
 * Whether a point outside every price area lies on a neighbouring country's side. It is then not Swedish, however near a
 * polygon is. In the open sea the nearest polygon counts.
 */
export function isForeignSide(lat: number, lon: number): boolean {
  if (lat >= COAST_UNTIL_LAT || (lat >= FINLAND_FROM_LAT && lon >= TORNE_FROM_LON)) return true;
  // Between the Norwegian border and the Baltic; the skerries of Strömstad lie south of it.
  if (lat >= NORWAY_FROM_LAT) return lon < 14 + (lat - NORWAY_FROM_LAT) * 0.6;
  const next = SOUND.findIndex(([south]) => south <= lat);
  const [before, after] = [SOUND[next - 1], SOUND[next]];
  if (before === undefined || after === undefined) return false;
  const share = (before[0] - lat) / (before[0] - after[0]);
  return lon < before[1] + share * (after[1] - before[1]);
}

/** Mean radius of the earth, metres. */
const RADIUS = 6_371_008.8;
const RADIANS = Math.PI / 180;

/** Metres in a degree at a latitude, on a sphere; within 0.5 % in Sweden. */
export function metresPerDegree(lat: number): { readonly lat: number; readonly lon: number } {
  const north = RADIUS * RADIANS;
  return { lat: north, lon: north * Math.cos(lat * RADIANS) };
}

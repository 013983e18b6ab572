/* Exact sums of prices and costs, which come as plain decimals. */

/** A whole number of 10^−places. */
interface Scaled {
  readonly units: bigint;
  readonly places: number;
}

function scaledOf(text: string): Scaled {
  const [whole = '0', fraction = ''] = text.split('.');
  return { units: BigInt(whole + fraction), places: fraction.length };
}

const unitsAt = ({ units, places }: Scaled, wanted: number): bigint => units * 10n ** BigInt(wanted - places);

/** Σ price × energy / 1000, where prices are per kWh and energies whole Wh, as the planner computes it. */
export function costOf(priced: readonly { readonly price: string; readonly wh: number }[]): string {
  const terms = priced.map(({ price, wh }) => {
    const { units, places } = scaledOf(price);
    return { units: units * BigInt(wh), places };
  });
  const places = Math.max(0, ...terms.map((term) => term.places));
  const sum = terms.reduce((total, term) => total + unitsAt(term, places), 0n);
  return plain({ units: sum, places: places + 3 });
}

/** One decimal less another. */
export function difference(from: string, less: string): string {
  const [a, b] = [scaledOf(from), scaledOf(less)];
  const places = Math.max(a.places, b.places);
  return plain({ units: unitsAt(a, places) - unitsAt(b, places), places });
}

/** A decimal without zeros at its end. */
function plain({ units, places }: Scaled): string {
  const digits = (units < 0n ? -units : units).toString().padStart(places + 1, '0');
  const text =
    places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, '');
  return units < 0n ? `-${text}` : text;
}

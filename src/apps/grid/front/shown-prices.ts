import type { Areas, AreaTax } from '../../../domain/market/areas/index.ts';
import { type EnergyTax, priceWith } from '../../../domain/market/tax/index.ts';
import type { Choice } from './choice.ts';

/** The energy tax that a choice has on a day. */
interface ChosenTax {
  readonly tax: EnergyTax;
  readonly isForecast: boolean;
  /** When the municipality is not known: what the rest of the area has; null when all of it has the same. */
  readonly rest: (Pick<AreaTax, 'other_count' | 'count'> & { readonly other: EnergyTax }) | null;
}

/** The prices of a choice, from spot prices. */
export interface ShownPrices {
  /** Of a calendar day; null when its rate is not known. */
  taxOn(day: string): ChosenTax | null;
  /** The price that is shown for a spot price of a day, SEK per kWh as exact decimal text. */
  price(spot: string, day: string): string;
}

export function shownPrices(areas: Pick<Areas, 'areaTax' | 'tax'>, choice: Choice): ShownPrices {
  const { hasVat, hasTax } = choice;
  const days = new Map<string, ChosenTax | null>();
  const taxOn = (day: string): ChosenTax | null => {
    let tax = days.get(day);
    if (tax === undefined) {
      tax = readTax(areas, choice, day);
      days.set(day, tax);
    }
    return tax;
  };
  return {
    taxOn,
    price(spot, day) {
      const energyTax = hasTax ? (taxOn(day)?.tax.rate_ore_per_kwh ?? null) : null;
      return priceWith(spot, { energyTax, hasVat });
    },
  };
}

function readTax(
  areas: Pick<Areas, 'areaTax' | 'tax'>,
  { area, kommun }: Choice,
  day: string,
): ChosenTax | null {
  const ofArea = areas.areaTax(area, day);
  if (ofArea === null) return null;
  const { energy_tax, is_forecast, other, other_count, count } = ofArea;
  if (kommun !== null) {
    const { energy_tax: own, is_forecast: isForecast } = areas.tax({ kommun: kommun.code }, day);
    return { tax: own, isForecast, rest: null };
  }
  const rest = other === null ? null : { other, other_count, count };
  return { tax: energy_tax, isForecast: is_forecast, rest };
}

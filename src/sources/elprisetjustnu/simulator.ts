import { HOUR_MS } from '../../core/durations.ts';
import { swedishTime } from '../../core/swedish-days.ts';
import { PRICE_AREAS, type Simulate, type SimulatedMarket, type SimulatedSlot } from '../contract/market.ts';

const PATH = /^\/api\/v1\/prices\/(\d{4})\/(\d{2})-(\d{2})_(SE[1-4])\.json$/;

/** The files as the site serves them, with the wrong `time_end` of autumn nights and tiny numbers in Python's spelling. */
export function simulateElprisetjustnu(market: SimulatedMarket): Simulate {
  return ({ path }) => {
    const broken = market.broken();
    if (broken !== undefined) return broken;
    const [, year, month, date, named] = PATH.exec(path) ?? [];
    const area = PRICE_AREAS.find((one) => one === named);
    const slots = area === undefined ? null : market.shown(area, `${year}-${month}-${date}`);
    if (slots === null)
      return { status: 404, headers: { 'content-type': 'text/html' }, text: '<h1>404</h1>' };
    const rows = slots.map((slot) => rowOf(slot, market.rate));
    return { status: 200, headers: { 'content-type': 'application/json' }, text: `[${rows.join(',')}]` };
  };
}

function rowOf({ start, end, eurPerMwh }: SimulatedSlot, rate: number): string {
  const eur = Math.round(eurPerMwh * 100) / 100_000;
  const sek = Math.round(eur * rate * 100_000) / 100_000;
  // Summer time ends within this slot; the site writes the end with the new offset but the old local time.
  const late = offsetOf(start) === offsetOf(end) ? 0 : HOUR_MS;
  const wrongEnd = offsetOf(start) > offsetOf(end) ? end + late : end;
  return `{"SEK_per_kWh":${spelt(sek)},"EUR_per_kWh":${spelt(eur)},"EXR":${rate},"time_start":"${localText(start)}","time_end":"${localText(wrongEnd)}"}`;
}

/** 0.00001 is written 1e-05. */
function spelt(value: number): string {
  return value !== 0 && Math.abs(value) < 0.0001
    ? value.toExponential().replace(/e-(\d)$/, 'e-0$1')
    : String(value);
}

function offsetOf(at: number): number {
  return swedishTime(at).offsetNanoseconds;
}

function localText(at: number): string {
  return swedishTime(at).toString({ timeZoneName: 'never', smallestUnit: 'second' });
}

import type { Plan } from './plan.ts';

/**
 * A plan as JSON, the same text that `JSON.stringify` writes. All text in slots is plain: prices are decimals, moments and
 * reasons are ASCII without quotes, so nothing is to be escaped and most of a slot is a constant.
 */
export function planJson({ slots, ...others }: Plan): string {
  let text = '{"slots":[';
  let comma = '';
  for (const { index, start, power_w, expected_energy_wh, price, reason } of slots) {
    const begins = start === undefined ? '' : `,"start":"${start}"`;
    const ends = reason === undefined ? '"}' : `","reason":"${reason}"}`;
    text +=
      power_w === 0 && expected_energy_wh === 0
        ? `${comma}{"index":${index}${begins},"power_w":0,"expected_energy_wh":0,"price":"${price}${ends}`
        : `${comma}{"index":${index}${begins},"power_w":${power_w},"expected_energy_wh":${expected_energy_wh},"price":"${price}${ends}`;
    comma = ',';
  }
  return `${text}],${JSON.stringify(others).slice(1)}`;
}

import type { Adapter } from '../../../adapter/adapter.ts';
import { DEVICE_TYPES, type DeviceType } from '../../../adapter/device.ts';
import { type Html, html } from '../../../pages/html.ts';

const TONES = 8;

/** Lines in a square of 24: drawings of our own of what is linked, never a vendor's logo. */
const DRAWINGS: Readonly<Record<DeviceType | 'home' | 'test', string>> = {
  vehicle:
    'M3 17v-4l2-6.5A2 2 0 0 1 7 5h10a2 2 0 0 1 2 1.5l2 6.5v4zM3 13h18M5 17v2.5M19 17v2.5M7 15h1M16 15h1',
  charger: 'M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4',
  heat_pump: 'M3 5h18v14H3zM9 12a4 4 0 1 0 8 0a4 4 0 1 0-8 0M13 8v8M9 12h8M6 9v6',
  thermostat: 'M10 13.5V5a2 2 0 1 1 4 0v8.5a4 4 0 1 1-4 0zM12 9v8',
  solar_inverter:
    'M8 12a4 4 0 1 0 8 0a4 4 0 1 0-8 0M12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6l1.4 1.4M17 17l1.4 1.4M5.6 18.4l1.4-1.4M17 7l1.4-1.4',
  battery: 'M3 8h15v9H3zM18 11h3v3h-3M7 11v3M10.5 11v3M14 11v3',
  smart_home_appliance: 'M5 3h14v18H5zM5 8h14M8 5.5h2M8 14.5a4 4 0 1 0 8 0a4 4 0 1 0-8 0',
  light: 'M9 18h6M10 21h4M9 18v-2.5a6 6 0 1 1 6 0V18',
  elevator: 'M5 3h14v18H5zM9 10l3-3 3 3M9 14l3 3 3-3',
  industrial: 'M3 21V10l6 4v-4l6 4V5h6v16z',
  home: 'M3 11.5 12 4l9 7.5M6 9.5V20h12V9.5',
  test: 'M9 3h6M10 3v6l-5 9.5A1.7 1.7 0 0 0 6.5 21h11a1.7 1.7 0 0 0 1.5-2.5L14 9V3M8 15h8',
};

/** A tile with a drawing of the first thing that a vendor has, in a tone that stays the vendor's. */
export function markOf(vendor: Pick<Adapter, 'slug' | 'conditions'> & Partial<Pick<Adapter, 'kinds'>>): Html {
  const { slug, conditions, kinds } = vendor;
  const first = DEVICE_TYPES.find((type) => kinds?.[type] !== undefined) ?? 'home';
  const drawing = DRAWINGS[conditions === undefined ? first : 'test'];
  return html`<svg class="${`mark tone-${toneOf(slug)}`}" viewBox="0 0 40 40" width="40" height="40" aria-hidden="true" focusable="false"><rect width="40" height="40" rx="10"/><path transform="translate(8 8)" d="${drawing}"/></svg>`;
}

/** From the slug alone, so that it is the same on every page and after every start. */
function toneOf(slug: string): number {
  let sum = 0;
  for (const letter of slug) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 65_521;
  return sum % TONES;
}

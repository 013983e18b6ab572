import type { Capability } from '../api/shapes.ts';
import { energy, percent, power, temperature } from '../format.ts';
import { words } from '../words/index.ts';
import type { Resolution } from './ranges.ts';

/** A plot of one unit. */
export interface Panel {
  readonly name: string;
  readonly title: string;
  readonly fields: readonly string[];
  readonly format: (value: number) => string;
  /** Bars stand for sums, lines for what was at a moment. */
  readonly kind: 'line' | 'area' | 'bars';
  /** The scale holds at least this. */
  readonly domain?: readonly [number, number];
  /** What a tick of the scale is a round number of. */
  readonly unit: number;
}

const fields = words.device.fields;

/** The plots of a device: one for each unit that it has values of. */
export function panelsOf(capabilities: readonly Capability[], resolution: Resolution): readonly Panel[] {
  const has = (capability: Capability) => capabilities.includes(capability);
  const powers = [
    ...(has('read_power') ? ['power_w'] : []),
    ...(has('read_production') ? ['production_w'] : []),
  ];
  const panels: Panel[] = [];
  if (powers.length > 0)
    panels.push({
      name: 'power',
      title: powers.map((one) => (one === 'power_w' ? fields.power_w : fields.production_w)).join(' · '),
      fields: powers,
      format: power,
      kind: 'area',
      domain: [0, 10],
      unit: 1,
    });
  if (has('read_battery_soc'))
    panels.push({
      name: 'soc',
      title: fields.battery_soc,
      fields: ['battery_soc'],
      format: percent,
      kind: 'area',
      domain: [0, 100],
      unit: 1,
    });
  if (has('read_temperature'))
    panels.push({
      name: 'temperature',
      title: fields.temperature_milli_c,
      fields: ['temperature_milli_c'],
      format: temperature,
      kind: 'line',
      unit: 1_000,
    });
  if (has('read_energy'))
    panels.push({
      name: 'energy',
      title: words.history.energyOf[resolution],
      fields: ['energy_wh'],
      format: energy,
      kind: resolution === 'raw' ? 'line' : 'bars',
      ...(resolution === 'raw' ? {} : { domain: [0, 10] as const }),
      unit: 1,
    });
  return panels;
}

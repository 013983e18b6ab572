import { setImmediate } from 'node:timers/promises';
import { HOUR_MS, SECOND_MS } from '../../../core/durations.ts';
import { createChargerTimes, createMeters, roleOf } from '../../plan/sums/index.ts';
import type { createDayCosts } from './day-costs.ts';
import { chargedIn, type DayPart, outsideOf } from './day-parts.ts';
import type { DayOfDevice } from './store-days.ts';

/** A sum, of how many devices it is, and how many there are that could be in it. */
export interface Sum {
  readonly energy_wh: number;
  readonly devices: number;
  readonly of: number;
}

export interface DaySums {
  /** By meters, of all but solar inverters and the meters of houses. */
  readonly drawn: Sum;
  /** By meters of solar inverters. */
  readonly produced: Sum;
  /** By power, of quarters in which its mean was negative. */
  readonly givenBack: Sum;
  /** What meters at grid connections have counted, one for each user. */
  readonly drawnFromGrid: Sum;
  /** By the power of these meters. */
  readonly givenToGrid: Sum;
  /** What meters of the consumption of houses have counted, one for each user. */
  readonly usedByHouses: Sum;
}

/** Cars between which the process does other work. */
const CARS_AT_ONCE = 250;

/** Adds up the days of devices, each energy once. Cars are added last, when it is known when chargers have charged. */
export function createDaySums(costs: Pick<ReturnType<typeof createDayCosts>, 'take'>) {
  const [drawn, produced, back] = [newSum(), newSum(), newSum()];
  const [charged, gaveBack] = [createChargerTimes(), createChargerTimes()];
  const [fromGrid, toGrid, byHouses] = [createMeters(), createMeters(), createMeters()];
  const cars: { readonly device: DayOfDevice; readonly parts: readonly DayPart[] }[] = [];

  async function count(device: DayOfDevice, parts: readonly DayPart[]): Promise<void> {
    const wh = whOf(parts);
    const isSolar = device.deviceType === 'solar_inverter';
    if (device.isMetered || wh !== null) {
      add(isSolar ? produced : drawn, wh);
      if (!isSolar) await costs.take(device.area, parts);
    }
    const ws = backOf(parts);
    if (ws !== null) add(back, ws === 0 ? null : ws);
  }

  return {
    async take(device: DayOfDevice, parts: readonly DayPart[]): Promise<void> {
      const { userRef, deviceType: device_type, measures } = device;
      const role = roleOf({ device_type, ...(measures === undefined ? {} : { measures }) });
      const [wh, ws] = [whOf(parts), backOf(parts)];
      if (role === 'grid_meter' || role === 'house_meter') {
        if (device.isMetered || wh !== null) (role === 'grid_meter' ? fromGrid : byHouses).add(userRef, wh);
        if (role === 'grid_meter' && ws !== null) toGrid.add(userRef, ws === 0 ? null : ws);
        return;
      }
      if (role === 'vehicle') {
        cars.push({ device, parts });
        return;
      }
      if (role === 'charger') {
        for (const part of parts) for (const moment of chargedIn(part)) charged.add(userRef, moment);
        if (ws !== null && ws > 0) gaveBack.add(userRef, THE_DAY);
      }
      await count(device, parts);
    },

    async total(): Promise<DaySums> {
      for (const [index, { device, parts }] of cars.entries()) {
        if (index % CARS_AT_ONCE === 0) await setImmediate();
        const { userRef } = device;
        const own = parts.map((part) => outsideOf(part, (moment) => charged.has(userRef, moment)));
        const isBackKept = !gaveBack.has(userRef, THE_DAY);
        await count(device, isBackKept ? own : own.map(withoutBack));
      }
      return {
        ...{ drawn, produced, givenBack: inWh(back) },
        drawnFromGrid: sumOf(fromGrid.values()),
        givenToGrid: inWh(sumOf(toGrid.values())),
        usedByHouses: sumOf(byHouses.values()),
      };
    },
  };
}

/** What is given back is known of a day as a whole. */
const THE_DAY = 0;
const withoutBack = (part: DayPart): DayPart => ({
  ...part,
  backWs: part.backWs === null ? null : 0,
});

const totalOf = (values: readonly (number | null)[]): number | null =>
  values.reduce((sum, value) => (value === null ? sum : (sum ?? 0) + value), null);
const whOf = (parts: readonly DayPart[]) => totalOf(parts.map((part) => part.wh));
const backOf = (parts: readonly DayPart[]) => totalOf(parts.map((part) => part.backWs));

const newSum = () => ({ energy_wh: 0, devices: 0, of: 0 });

function add(sum: ReturnType<typeof newSum>, energy: number | null): void {
  sum.of += 1;
  if (energy === null) return;
  sum.devices += 1;
  sum.energy_wh += energy;
}

function sumOf(energies: readonly (number | null)[]): Sum {
  const sum = newSum();
  for (const energy of energies) add(sum, energy);
  return sum;
}

/** A sum of watt-seconds. */
const inWh = (sum: Sum): Sum => ({
  ...sum,
  energy_wh: Math.round((sum.energy_wh * SECOND_MS) / HOUR_MS),
});

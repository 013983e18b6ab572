import type { Situation } from '../../adapter/simulator.ts';
import { HOUR_MS } from '../../core/durations.ts';
import type { ModelId } from './layout.ts';
import { MODELS, type Model, type Point, type Points } from './points.ts';

/** Panels, a battery and their inverter, as far as commands change them. Powers in W. */
export interface Plant {
  /** ms since 1970. */
  at: number;
  /** What the sun gives. */
  readonly sunW: number;
  /** What the battery takes by itself. */
  automaticW: number;
  storedWh: number;
  producedWh: number;
  /** The limit of the AC side, and when it ends. */
  limit: { readonly watt: number; readonly until: number } | undefined;
  /** What the battery has to take: between the two, and when that ends. */
  setPoint: { readonly least: number; readonly most: number; readonly until: number } | undefined;
}

export const PACK_WH = 10_000;
export const RATED_W = 8_000;
export const BATTERY_W = 5_000;
const STEP_MS = 1_000;

export const newPlant = (now: number, { sunW, batteryWh }: { sunW: number; batteryWh: number }): Plant => ({
  at: now,
  sunW,
  automaticW: 0,
  storedWh: batteryWh,
  producedWh: 12_345_678,
  limit: undefined,
  setPoint: undefined,
});

interface Flows {
  readonly panelsW: number;
  readonly batteryW: number;
  /** What the inverter gives to the grid side. */
  readonly acW: number;
}

/** What flows now. */
export function flowsOf(plant: Plant): Flows {
  const { setPoint, automaticW, storedWh, limit, sunW } = plant;
  const wanted =
    setPoint === undefined ? automaticW : Math.min(setPoint.most, Math.max(setPoint.least, automaticW));
  const isBlocked = (wanted > 0 && storedWh >= PACK_WH) || (wanted < 0 && storedWh <= 0);
  const batteryW = isBlocked ? 0 : Math.min(BATTERY_W, Math.max(-BATTERY_W, wanted));
  const panelsW = Math.max(0, Math.min(sunW, (limit?.watt ?? RATED_W) + batteryW));
  return { panelsW, batteryW, acW: panelsW - batteryW };
}

/** Lets time pass until now; what has a timer ends on the way. */
export function settle(plant: Plant, now: number): void {
  while (plant.at < now) {
    const ends = [plant.limit?.until, plant.setPoint?.until].filter((end) => end !== undefined);
    const next = Math.min(now, ...ends.filter((end) => end > plant.at), plant.at + 60 * STEP_MS);
    const hours = (next - plant.at) / HOUR_MS;
    const { batteryW, acW } = flowsOf(plant);
    plant.storedWh = Math.min(PACK_WH, Math.max(0, plant.storedWh + batteryW * hours));
    plant.producedWh += Math.max(0, acW) * hours;
    plant.at = next;
    if (plant.limit !== undefined && plant.limit.until <= next) plant.limit = undefined;
    if (plant.setPoint !== undefined && plant.setPoint.until <= next) plant.setPoint = undefined;
  }
}

export function arrangePlant(plant: Plant, situation: Situation): void {
  plant.limit = undefined;
  plant.setPoint = undefined;
  plant.storedWh = PACK_WH / 2;
  plant.automaticW = situation === 'battery_automatic' ? 1_500 : 0;
}

/** Values in their units, by the names of points; scale factors as they are. What has no value is not implemented. */
export type Values = Readonly<Record<string, number | string>>;

export interface SimulatedModel {
  readonly id: ModelId;
  /** Registers after the header, where it is not what the definition says: older and newer editions differ. */
  readonly length?: number;
  readonly values: Values;
  readonly groups?: readonly Values[];
}

/** Where a point is, and what it is. */
interface PlacedPoint {
  readonly id: ModelId;
  readonly name: string;
  readonly point: Point;
  readonly address: number;
}

const SIZES: Readonly<Record<string, number>> = {
  ...{ int32: 2, uint32: 2, acc32: 2, bitfield32: 2, float32: 2, uint64: 4, acc64: 4 },
};
const registersOf = (type: string): number =>
  type.startsWith('string') ? Number(type.slice(6)) : (SIZES[type] ?? 1);

function bytesOf(type: string, value: number | string | undefined): Buffer {
  const bytes = Buffer.alloc(registersOf(type) * 2);
  if (typeof value === 'string') bytes.write(value, 'latin1');
  else if (type.startsWith('string') || (type.startsWith('acc') && value === undefined)) return bytes;
  else if (type === 'float32') bytes.writeFloatBE(value ?? Number.NaN);
  else if (value === undefined) bytes.fill(type === 'int16' || type === 'sunssf' ? '8000' : 'ff', 'hex');
  else if (bytes.length === 8) bytes.writeBigUInt64BE(BigInt(value));
  else if (/^(?:int|sunssf)/.test(type)) bytes.writeIntBE(value, 0, bytes.length);
  else bytes.writeUIntBE(value, 0, bytes.length);
  if (type === 'int32' && value === undefined) bytes.write('80000000', 'hex');
  return bytes;
}

function numberIn(type: string, bytes: Buffer): number {
  return /^int/.test(type) ? bytes.readIntBE(0, bytes.length) : bytes.readUIntBE(0, bytes.length);
}

const exponentOf = ([, , scale]: Point, values: Values): number =>
  typeof scale === 'number' ? scale : scale == null ? 0 : Number(values[scale] ?? 0);

function encoded(points: Points, values: Values, scales: Values): readonly [at: number, Buffer][] {
  return Object.entries(points.points).map(([name, point]) => {
    const value = values[name];
    const exponent = exponentOf(point, scales);
    const isWhole = point[1] !== 'float32';
    const raw = typeof value === 'number' && isWhole ? Math.round(value / 10 ** exponent) : value;
    return [point[0], bytesOf(point[1], raw)];
  });
}

/** The registers of a SunSpec device: a marker, models one after the other, and the end. */
export function layOut(base: number, models: readonly SimulatedModel[]) {
  const bytes: Buffer[] = [Buffer.from('SunS')];
  const points: PlacedPoint[] = [];
  let address = base + 2;
  for (const { id, values, groups = [], length: own } of models) {
    const definition: Model = MODELS[id];
    const length = own ?? definition.length + groups.length * (definition.repeated?.length ?? 0);
    const model = Buffer.alloc((Math.max(length, definition.length) + 2) * 2 + 64);
    model.writeUInt16BE(id, 0);
    model.writeUInt16BE(length, 2);
    for (const [at, content] of encoded(definition, values, values)) content.copy(model, at * 2);
    const { repeated } = definition;
    for (const [index, group] of groups.entries())
      for (const [at, content] of repeated === undefined ? [] : encoded(repeated, group, values))
        content.copy(model, (definition.length + 2 + index * (repeated?.length ?? 0) + at) * 2);
    for (const [name, point] of Object.entries(definition.points))
      points.push({ id, name, point, address: address + point[0] });
    bytes.push(model.subarray(0, (length + 2) * 2));
    address += length + 2;
  }
  const all = Buffer.concat([...bytes, Buffer.from('ffff0000', 'hex')]);
  const isWithin = (from: number, count: number) => from >= base && from + count <= base + all.length / 2;

  return {
    /** Undefined where there is no register. */
    read: (from: number, count: number): Buffer | undefined =>
      isWithin(from, count) ? all.subarray((from - base) * 2, (from - base + count) * 2) : undefined,

    /** The points that a write is for, with their new values; undefined where one may not be written, or not as a whole. */
    written(from: number, registers: Buffer): { id: ModelId; name: string; value: number }[] | undefined {
      const end = from + registers.length / 2;
      const touched = points.filter(
        ({ address: at, point }) => at < end && at + registersOf(point[1]) > from,
      );
      const covered = touched.reduce((sum, { point }) => sum + registersOf(point[1]), 0);
      const isPermitted = touched.every(({ point, address: at }) => point[4] === true && at >= from);
      if (!isPermitted || covered !== end - from) return undefined;
      return touched.map(({ id, name, point, address: at }) => {
        const model = models.find((one) => one.id === id);
        const content = registers.subarray((at - from) * 2, (at - from + registersOf(point[1])) * 2);
        const raw = numberIn(point[1], content);
        // What stands for "not implemented" changes nothing.
        const isNone = content.equals(bytesOf(point[1], undefined));
        const value = isNone ? Number.NaN : raw * 10 ** exponentOf(point, model?.values ?? {});
        return { id, name, value };
      });
    },
  };
}

import Type, { type Static } from 'typebox';
import type { Modbus, ModbusPurpose } from '../../adapter/kit/index.ts';
import { AppError } from '../../core/errors.ts';
import { MODELS } from './points.ts';

/** Where a model of a device is: its id, the address of its header, and its length as the header says it. */
export const Placed = Type.Tuple([Type.Integer(), Type.Integer(), Type.Integer()]);
export type Placed = Static<typeof Placed>;

/** What the SunSpec specification names, then what devices use that count registers from 1. */
const BASES = [40_000, 0, 50_000, 40_001, 39_999, 1, 50_001, 49_999];
const MARKER = 'SunS';
const END = 0xffff;
const MOST_MODELS = 100;
const LAST = 0xffff;

export type ModelId = keyof typeof MODELS;
const isKnown = (id: number): id is ModelId => Object.hasOwn(MODELS, id);

const LIST = { use: 'list' } as const;

const refusedIsUndefined = async <T>(work: Promise<T>): Promise<T | undefined> =>
  work.catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'vendor.refused') return undefined;
    throw error;
  });

/** All models of a unit, in their order; undefined where it does not speak SunSpec. */
export async function findModels(device: Modbus, looking: ModbusPurpose): Promise<Placed[] | undefined> {
  for (const base of BASES) {
    const marker = await refusedIsUndefined(device.readHolding(base, 2, looking));
    if (marker?.toString('latin1') === MARKER) return followChain(device, base + 2);
  }
  return undefined;
}

/** Each model says how long it is, and so where the next one begins. */
async function followChain(device: Modbus, first: number): Promise<Placed[]> {
  const models: Placed[] = [];
  let address = first;
  while (models.length < MOST_MODELS && address + 1 <= LAST) {
    // Some devices have nothing where the end should be marked.
    const header = await refusedIsUndefined(device.readHolding(address, 2, LIST));
    if (header === undefined) break;
    const [id, length] = [header.readUInt16BE(0), header.readUInt16BE(2)];
    if (id === END) return models;
    models.push([id, address, length]);
    address += 2 + length;
  }
  if (models.length > 0 && models.length < MOST_MODELS && address + 1 <= LAST) return models;
  throw new AppError('vendor.answer_invalid', 'the list of SunSpec models of the device does not end');
}

const INVERTERS: readonly number[] = [101, 102, 103, 111, 112, 113, 701];
const METERS: readonly number[] = [201, 202, 203, 204];

/** The models of one inverter, meter or battery, with the common model (1) that names it. */
export interface Part {
  readonly common: Placed;
  readonly models: readonly Placed[];
  readonly isMeter: boolean;
}

/**
 * Devices in the models of a unit: each common model begins one, and so does each further inverter behind it. A meter is one of its own. An
 * inverter that describes itself twice, by the models of both generations, is one.
 */
export function partsOf(models: readonly Placed[]): Part[] {
  const parts: { common: Placed; models: Placed[]; isMeter: boolean }[] = [];
  let common: Placed | undefined;
  let current: (typeof parts)[number] | undefined;
  for (const model of models) {
    const [id] = model;
    if (id === 1) {
      common = model;
      current = undefined;
    }
    if (common === undefined || id === 1 || !isKnown(id)) continue;
    if (METERS.includes(id)) {
      parts.push({ common, models: [model], isMeter: true });
      continue;
    }
    const isNext = current?.models.some(([other]) => isSameInverter(id, other) || id === other) ?? true;
    if (current === undefined || (INVERTERS.includes(id) && isNext)) {
      current = { common, models: [], isMeter: false };
      parts.push(current);
    }
    current.models.push(model);
  }
  return parts;
}

/** Models of the first generation stand for one another; 701 is the second description of the same inverter. */
const isSameInverter = (one: number, other: number) =>
  INVERTERS.includes(one) && INVERTERS.includes(other) && (one === 701) === (other === 701);

export const inverterIn = (models: readonly Placed[]): Placed | undefined =>
  models.find(([id]) => INVERTERS.includes(id));
export const placedIn = (models: readonly Placed[], id: number): Placed | undefined =>
  models.find(([one]) => one === id);

import type { Linked } from '../../adapter/adapter.ts';
import type { DeviceType, Found } from '../../adapter/device.ts';
import type { Identified } from '../../adapter/discovers.ts';
import { type Modbus, type ModbusPurpose, named } from '../../adapter/kit/index.ts';
import type { Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { type Details, NAME, openUnit, type Reading, readModels } from './device.ts';
import { findModels, inverterIn, type Part, type Placed, partsOf, placedIn } from './layout.ts';
import { blockOf, MODELS } from './points.ts';
import { inputsOf, ratedW } from './translate.ts';

/** Where no unit was given: the usual one, that of SMA and others (126), and those of a second and third device behind a gateway. */
const UNITS = [1, 126, 2, 3];
const NOT_THERE: readonly string[] = ['vendor.refused', 'vendor.timeout', 'vendor.unreachable'];
const LIST = { use: 'list' } as const;
/** A unit that is not there is often silent, and somebody waits: four of them take ten seconds. */
const LOOKING = { use: 'list', timeoutMs: 2_500 } as const;

/** The same of what may be anything, where the whole network is looked at. */
const DISCOVERING = { use: 'list', timeoutMs: 1_000 } as const;

interface Met {
  readonly unit: number;
  readonly models: readonly Placed[];
}

/** The unit that speaks SunSpec. Where none does, throws what a unit said that is there, else what went wrong first. */
async function meet(session: Session, patience?: ModbusPurpose): Promise<Met> {
  const { unit: given, host } = session.credentials as { readonly unit?: number; readonly host: string };
  const failures: AppError[] = [];
  const looking = patience ?? (given === undefined ? LOOKING : LIST);
  for (const unit of given === undefined ? UNITS : [given]) {
    try {
      const models = await findModels(openUnit(session, unit), looking);
      if (models !== undefined) return { unit, models };
      const sentence = `unit ${unit} at ${host} does not speak SunSpec: switch on SunSpec or Modbus TCP in the device, and check the unit number`;
      failures.push(new AppError('vendor.refused', sentence));
    } catch (error) {
      if (!(error instanceof AppError) || !NOT_THERE.includes(error.code)) throw error;
      failures.push(error);
    }
  }
  throw failures.find(({ code }) => code === 'vendor.refused') ?? failures[0];
}

/** Letters and digits of a name that becomes part of ids. */
const plain = (name: string) => name.replace(/[^\w-]+/g, '-').slice(0, 40);

interface Named {
  readonly maker: string | null;
  readonly model: string | null;
  readonly serial: string | null;
}

async function nameOf(device: Modbus, [, address, length]: Placed): Promise<Named> {
  const block = blockOf(MODELS[1], await device.readHolding(address, Math.min(length, 66) + 2, LIST));
  return { maker: block.text('Mn'), model: block.text('Md'), serial: block.text('SN') };
}

type Role = 'solar_inverter' | 'battery' | 'industrial';

const READ_BY: Readonly<Record<Role, readonly number[]>> = {
  solar_inverter: [],
  battery: [120, 124, 160, 702, 713, 714, 802],
  industrial: [201, 202, 203, 204],
};

/** The others say how a device behaves, and not what it is: curves, status, entering service. */
const LOOKED_AT: ReadonlySet<number> = new Set([
  ...[101, 102, 103, 111, 112, 113, 120, 121, 123, 124, 160],
  ...[201, 202, 203, 204, 701, 702, 704, 713, 714, 802],
]);

function hasBattery(reading: Reading): boolean {
  const [storage, capacity] = [reading.block(124), reading.block(713)];
  const isBasic =
    (storage?.value('WChaMax') ?? 0) > 0 &&
    (reading.block(120)?.word('DERTyp') !== 'PV' || storage?.value('ChaState') !== null);
  const isRated = (capacity?.value('WHRtg') ?? 0) > 0;
  return isBasic || isRated || reading.block(802) !== undefined || inputsOf(reading).hasBattery;
}

/** The model that a device is controlled by, and whether its timer is implemented; null where a command could not be worked out. */
function controlOf(role: Role, reading: Reading, isAlone: boolean): Pick<Details, 'control' | 'reverts'> {
  const none = { control: null, reverts: false };
  const [basic, storage, der] = [reading.block(123), reading.block(124), reading.block(704)];
  if (role === 'battery') {
    if ((storage?.value('WChaMax') ?? 0) > 0 && storage?.scaleOf('InWRte') !== null)
      return { control: 124, reverts: storage?.raw('InOutWRte_RvrtTms') !== null };
    // The set-point of 704 is of the AC side: of panels and battery together.
    if (der === undefined || !isAlone || der.scaleOf('WSet') === null) return none;
    return { control: 704, reverts: der.raw('WSetRvrtTms') !== null };
  }
  const isRated = (control: number) => ratedW(reading, control) !== null;
  if (der !== undefined && der.scaleOf('WMaxLimPct') !== null && isRated(704))
    return { control: 704, reverts: der.raw('WMaxLimPctRvrtTms') !== null };
  if (basic !== undefined && basic.scaleOf('WMaxLimPct') !== null && isRated(123))
    return { control: 123, reverts: basic.raw('WMaxLimPct_RvrtTms') !== null };
  return none;
}

function modelsFor(
  role: Role,
  { models }: Part,
  { control, source }: Pick<Details, 'control' | 'source'>,
): Placed[] {
  const inverter = placedIn(models, 701) ?? inverterIn(models);
  const wanted = new Set<number>(READ_BY[role]);
  if (role === 'solar_inverter' || source === 'ac') wanted.add(inverter?.[0] ?? 0);
  if (role === 'solar_inverter' && source === 'inputs') for (const id of [160, 714]) wanted.add(id);
  const ratings = { 123: [120, 121], 124: [120], 704: [702] };
  if (control !== null) for (const id of [control, ...ratings[control]]) wanted.add(id);
  return models.filter(([id]) => wanted.has(id));
}

/** The devices of one part: an inverter, its battery, or a meter. */
async function devicesOf(device: Modbus, part: Part, unit: number): Promise<(Found & { type: Role })[]> {
  const { maker, model, serial } = await nameOf(device, part.common);
  const looked = part.models.filter(([id]) => LOOKED_AT.has(id));
  const reading = await readModels(device, { common: part.common, serial, models: looked }, LIST);
  const inputs = inputsOf(reading);
  const [isStored, hasInverter] = [hasBattery(reading), inverterIn(part.models) !== undefined];
  const isAlone = inputs.hasBattery && !inputs.hasPanels;
  const isSplit = inputs.hasBattery && inputs.hasPanels;
  const roles: Role[] = part.isMeter
    ? ['industrial']
    : [
        ...(hasInverter && !isAlone ? (['solar_inverter'] as const) : []),
        ...(isStored ? (['battery'] as const) : []),
      ];
  const sourceOf = (role: Role): Details['source'] => {
    if (role === 'industrial') return 'ac';
    if (role === 'solar_inverter') return isSplit ? 'inputs' : isStored ? 'unknown' : 'ac';
    return reading.block(802) !== undefined || inputs.hasBattery ? 'inputs' : 'unknown';
  };
  return roles.map((type) => {
    const source = sourceOf(type);
    const { control, reverts } =
      type === 'industrial' ? { control: null, reverts: false } : controlOf(type, reading, isAlone);
    const details: Details = {
      unit,
      serial,
      common: part.common,
      models: modelsFor(type, part, { control, source }),
      control,
      reverts,
      source,
      countsExports: part.isMeter && /^solaredge/i.test(maker ?? ''),
    };
    return {
      id: plain(serial ?? 'device'),
      type,
      // Where most meters of a system are.
      ...(part.isMeter && { measures: 'grid' as const }),
      ...named([maker, model].filter(Boolean).join(' ')),
      details,
    };
  });
}

const SUFFIX: Readonly<Partial<Record<DeviceType, string>>> = { battery: '-battery', industrial: '-meter' };

/** Ids that differ: by what the device is, then by a number. */
function distinct(devices: readonly (Found & { type: Role })[]): Found[] {
  const taken = new Set<string>();
  return devices.map((device) => {
    const base = `${device.id}${SUFFIX[device.type] ?? ''}`;
    let id = base;
    for (let number = 2; taken.has(id); number += 1) id = `${base}-${number}`;
    taken.add(id);
    return { ...device, id };
  });
}

async function find(session: Session): Promise<Linked> {
  const { unit, models } = await meet(session);
  const device = openUnit(session, unit);
  const devices: (Found & { type: Role })[] = [];
  for (const part of partsOf(models)) devices.push(...(await devicesOf(device, part, unit)));
  if (devices.length === 0)
    throw new AppError(
      'vendor.refused',
      `unit ${unit} speaks SunSpec and has no inverter, battery or meter, but the models ${models.map(([id]) => id).join(', ')}`,
    );
  return {
    vendorAccount: accountOf(session, unit, await whoIs(device, models)),
    credentials: { ...session.credentials, unit } satisfies JsonObject,
    devices: distinct(devices),
  };
}

const whoIs = async (device: Modbus, models: readonly Placed[]): Promise<Named> => {
  const common = placedIn(models, 1);
  return common === undefined ? { maker: null, model: null, serial: null } : nameOf(device, common);
};

const accountOf = ({ credentials: { host, port } }: Session, unit: number, { maker, serial }: Named) =>
  serial === null ? `${host}:${port ?? ''}:${unit}` : `${maker ?? ''} ${serial}`;

/** The first unit that speaks SunSpec, by its common model; undefined where none has a device. */
export async function identified(session: Session): Promise<Identified | undefined> {
  const { unit, models } = await meet(session, DISCOVERING);
  if (partsOf(models).length === 0) return undefined;
  const named = await whoIs(openUnit(session, unit), models);
  return {
    name: [named.maker, named.model].filter((part) => part !== null).join(' ') || NAME,
    credentials: { unit },
    vendorAccount: accountOf(session, unit, named),
  };
}

export const link = find;
export const list = async (session: Session): Promise<readonly Found[]> => (await find(session)).devices;

import Type, { type Static } from 'typebox';
import { ListOutdated } from '../../adapter/failures.ts';
import { detailsOf, type Modbus, type ModbusPurpose, modbus } from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { type ModelId, Placed, placedIn } from './layout.ts';
import { type Block, blockOf, groupsOf, MODELS } from './points.ts';

/** A run of registers. */
interface Span {
  readonly address: number;
  readonly count: number;
}

/** What Modbus permits in one read. */
const MOST = 125;

/** The fewest reads that cover spans; what lies between two of them is read along. */
function readsFor(spans: readonly Span[]): Span[] {
  const pieces = spans
    .flatMap(({ address, count }) =>
      Array.from({ length: Math.ceil(count / MOST) }, (_, index) => ({
        address: address + index * MOST,
        count: Math.min(MOST, count - index * MOST),
      })),
    )
    .toSorted((one, other) => one.address - other.address);
  const reads: Span[] = [];
  for (const piece of pieces) {
    const last = reads.at(-1);
    const end = piece.address + piece.count;
    if (last !== undefined && end - last.address <= MOST)
      reads[reads.length - 1] = { ...last, count: Math.max(last.count, end - last.address) };
    else reads.push(piece);
  }
  return reads;
}

/** Registers that were read, by their address. */
type Registers = (span: Span) => Buffer;

/** Reads what covers the spans. */
export async function readRegisters(
  device: Modbus,
  spans: readonly Span[],
  purpose: ModbusPurpose,
): Promise<Registers> {
  const read = new Map<number, Buffer>();
  for (const { address, count } of readsFor(spans)) {
    const bytes = await device.readHolding(address, count, purpose);
    for (let index = 0; index < count; index += 1)
      read.set(address + index, bytes.subarray(index * 2, index * 2 + 2));
  }
  return ({ address, count }) =>
    Buffer.concat(Array.from({ length: count }, (_, index) => read.get(address + index) ?? Buffer.alloc(0)));
}

/** What linking stores of a device, in `DeviceRef.details`. */
export const Details = Type.Object({
  unit: Type.Integer(),
  /** Null where the device does not say it. */
  serial: Type.Union([Type.String(), Type.Null()]),
  common: Placed,
  /** The models that are read, in the order of their addresses. */
  models: Type.Array(Placed),
  /** The model that commands are written to; null where there is none. */
  control: Type.Union([Type.Literal(123), Type.Literal(124), Type.Literal(704), Type.Null()]),
  /** The device ends what the control model says by a timer. */
  reverts: Type.Boolean(),
  /** What tells the power: the AC side, the DC inputs, or nothing where it is of panels and a battery together. */
  source: Type.Union([Type.Literal('ac'), Type.Literal('inputs'), Type.Literal('unknown')]),
  /** A meter that counts what is exported as positive. */
  countsExports: Type.Boolean(),
});
export type Details = Static<typeof Details>;

/** The name in sentences. */
export const NAME = 'SunSpec';
const DEFAULT_PORT = 502;
/** Where the common model has the serial number, and how long it is. */
const [SERIAL_AT] = MODELS[1].points.SN;
const SERIAL_LENGTH = 16;

export function openUnit(session: Session, unit: number): Modbus {
  const { host, port = DEFAULT_PORT } = session.credentials as {
    readonly host: string;
    readonly port?: number;
  };
  return modbus(session, { name: NAME, host, port, unit });
}

/** Models with groups that are read. */
type Grouped = 160 | 714;

/** What was read of models. */
export interface Reading {
  /** Undefined where the device does not have the model. */
  block<I extends ModelId>(id: I): Block<(typeof MODELS)[I]> | undefined;
  /** The groups of a model that repeats them; none where the device does not have it. */
  groups<I extends Grouped>(id: I): Block<(typeof MODELS)[I]['repeated']>[];
}

/** Who a device is, and which of its models are wanted. */
interface Wanted extends Pick<Details, 'common' | 'serial'> {
  readonly models: readonly Placed[];
}

/** What is read of a device: who it is, and its models. */
export function spansOf({ common, models }: Wanted): Span[] {
  const serial = { address: common[1] + SERIAL_AT, count: SERIAL_LENGTH };
  return [serial, ...models.map(([, address, length]) => ({ address, count: length + 2 }))];
}

/** The models of a device in registers that were read. @throws ListOutdated where another device answers, or a model is not where it was found */
export function readingIn(registers: Registers, { common, serial, models }: Wanted): Reading {
  const [serialSpan = { address: 0, count: 0 }] = spansOf({ common, serial, models });
  const name = blockOf(MODELS[1], Buffer.concat([Buffer.alloc(SERIAL_AT * 2), registers(serialSpan)]));
  const met = name.text('SN');
  if (met !== serial) throw outdated(`its serial number is ${met ?? 'empty'}, not ${serial ?? 'empty'}`);
  const bytesOf = (id: ModelId): Buffer | undefined => {
    const placed = placedIn(models, id);
    return placed === undefined ? undefined : registers({ address: placed[1], count: placed[2] + 2 });
  };
  for (const [id, address, length] of models) {
    const header = registers({ address, count: 2 });
    if (header.readUInt16BE(0) !== id || header.readUInt16BE(2) !== length)
      throw outdated(`model ${id} is no longer at ${address} with ${length} registers`);
  }
  return {
    block(id) {
      const bytes = bytesOf(id);
      return bytes === undefined ? undefined : blockOf(MODELS[id], bytes);
    },
    groups(id) {
      const bytes = bytesOf(id);
      return bytes === undefined ? [] : groupsOf(MODELS[id], bytes);
    },
  };
}

/** Reads models of one device. */
export async function readModels(device: Modbus, wanted: Wanted, purpose: ModbusPurpose): Promise<Reading> {
  return readingIn(await readRegisters(device, spansOf(wanted), purpose), wanted);
}

const outdated = (what: string) =>
  new ListOutdated(
    'vendor.answer_invalid',
    `${NAME}: the device is not as it was found: ${what}; it is listed again, so retry in some minutes`,
  );

export const detailsIn = (device: DeviceRef): Details => detailsOf(Details, device);

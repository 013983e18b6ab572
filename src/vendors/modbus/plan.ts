import { REGISTERS } from '../../adapter/modbus/values.ts';
import type { Device, Place, Table } from './schemas.ts';

/** What the protocol permits in one request (Modbus Application Protocol 1.1b3). */
export const MOST_REGISTERS = 125;
export const MOST_BITS = 2_000;

/** Registers that are read in one request. */
export interface Block {
  readonly table: Table;
  readonly address: number;
  readonly count: number;
}

export const tableOf = ({ table = 'holding' }: { readonly table?: Table }): Table => table;
export const isOfBits = (table: Table): boolean => table === 'coil' || table === 'discrete';

/** How many registers, or bits, a number takes. */
export const sizeOf = (place: Place): number =>
  isOfBits(tableOf(place)) ? 1 : REGISTERS[place.type ?? 'uint16'];

/** First and last address of a number. */
export const spanOf = (place: Place): readonly [first: number, last: number] => [
  place.address,
  place.address + sizeOf(place) - 1,
];

/** What is read again to see what a limit is now. */
const placesOf = ({ registers, writes = [] }: Device): readonly Place[] => [
  ...registers,
  ...writes.filter(({ command }) => command === 'set_limit'),
];

/** The requests that read a device: its own blocks, and others for runs of adjacent registers. */
export function blocksOf(device: Device): Block[] {
  const own = (device.blocks ?? []).map((block): Block => ({ ...block, table: tableOf(block) }));
  const rest = placesOf(device)
    .filter((place) => !own.some((block) => holds(block, place)))
    .toSorted((one, other) => one.address - other.address);
  const runs: Block[] = [];
  for (const place of rest) {
    const table = tableOf(place);
    const run = runs.findLast((one) => one.table === table);
    const end = place.address + sizeOf(place);
    const most = isOfBits(table) ? MOST_BITS : MOST_REGISTERS;
    const isNext = run !== undefined && place.address <= run.address + run.count;
    if (run !== undefined && isNext && end - run.address <= most)
      runs[runs.indexOf(run)] = { ...run, count: Math.max(run.count, end - run.address) };
    else runs.push({ table, address: place.address, count: sizeOf(place) });
  }
  return [...own, ...runs];
}

export function holds({ table, address, count }: Block, place: Place): boolean {
  const [first, last] = spanOf(place);
  return table === tableOf(place) && first >= address && last < address + count;
}

import { strToU8 } from 'fflate';

/** The contents of a .prj file for SWEREF 99 TM. */
export const PRJ =
  'PROJCS["SWEREF99_TM",GEOGCS["GCS_SWEREF99",DATUM["D_SWEREF99",SPHEROID["GRS_1980",6378137.0,298.257222101]]]]';

export type Metres = readonly (readonly [number, number])[];

/** A square of ten kilometres at Luleå; a shapefile's outer rings run clockwise. */
export const SQUARE: Metres = [
  [820_000, 7_290_000],
  [820_000, 7_300_000],
  [830_000, 7_300_000],
  [830_000, 7_290_000],
  [820_000, 7_290_000],
];

/** A triangle east of it, in degrees, as GeoJSON has it. */
export const RING = [
  [22, 65.7],
  [22, 65.8],
  [22.2, 65.8],
  [22, 65.7],
] as const;

/** The main file of a shapefile: ESRI's technical description of 1998, shape type 5. */
export function shp(rings: readonly Metres[]): Uint8Array {
  const records = rings.map((ring, index) => {
    const record = new DataView(new ArrayBuffer(8 + 48 + 16 * ring.length));
    record.setInt32(0, index + 1);
    record.setInt32(4, (record.byteLength - 8) / 2);
    record.setInt32(8, 5, true);
    record.setInt32(44, 1, true);
    record.setInt32(48, ring.length, true);
    ring.forEach(([east, north], point) => {
      record.setFloat64(56 + 16 * point, east, true);
      record.setFloat64(64 + 16 * point, north, true);
    });
    return new Uint8Array(record.buffer);
  });
  const head = new DataView(new ArrayBuffer(100));
  head.setInt32(0, 9994);
  head.setInt32(24, (100 + records.reduce((sum, record) => sum + record.length, 0)) / 2);
  head.setInt32(28, 1000, true);
  head.setInt32(32, 5, true);
  return joined([new Uint8Array(head.buffer), ...records]);
}

/** dBASE III with text fields in UTF-8. */
export function dbf(names: readonly string[], rows: readonly (readonly string[])[]): Uint8Array {
  const width = 40;
  const head = new DataView(new ArrayBuffer(32));
  head.setUint8(0, 3);
  head.setUint32(4, rows.length, true);
  head.setUint16(8, 33 + 32 * names.length, true);
  head.setUint16(10, 1 + width * names.length, true);
  const fields = names.map((name) => {
    const field = new Uint8Array(32);
    field.set(strToU8(name));
    field[11] = 'C'.charCodeAt(0);
    field[16] = width;
    return field;
  });
  const padded = (text: string) => {
    const cell = new Uint8Array(width).fill(0x20);
    cell.set(strToU8(text));
    return cell;
  };
  const records = rows.map((row) => joined([strToU8(' '), ...row.map(padded)]));
  return joined([new Uint8Array(head.buffer), ...fields, strToU8('\r'), ...records, new Uint8Array([0x1a])]);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

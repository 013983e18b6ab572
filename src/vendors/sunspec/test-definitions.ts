import { readFileSync } from 'node:fs';

/** A definition of the SunSpec Alliance, as far as it is recorded. */
export interface DefinedPoint {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly sf?: string | number;
  readonly units?: string;
  readonly access?: string;
  readonly symbols?: readonly { readonly name: string; readonly value: number }[];
}

interface DefinedGroup {
  readonly name: string;
  readonly count?: string | number;
  readonly points: readonly DefinedPoint[];
  readonly groups?: readonly DefinedGroup[];
}

export interface Definition {
  readonly id: number;
  readonly group: DefinedGroup;
}

/** One on each line; names, types and places alone. */
export const definitions: readonly Definition[] = readFileSync(
  new URL('definitions.jsonl', import.meta.url),
  'utf8',
)
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line));

export interface AtPoint extends DefinedPoint {
  /** Registers from the header of the model, or the start of the group. */
  readonly at: number;
}

/** The points of a definition with their places, read here once more: each is behind the one before. */
export function placed(points: readonly DefinedPoint[], begin = 0): AtPoint[] {
  return points.map((point, index) => ({
    ...point,
    at: begin + points.slice(0, index).reduce((sum, { size }) => sum + size, 0),
  }));
}

/** Where a point of a model is, in registers from its header. */
export function offsetOf(id: number, name: string): number {
  const definition = definitions.find((one) => one.id === id);
  const found = placed(definition?.group.points ?? []).find((point) => point.name === name);
  if (found === undefined) throw new Error(`${name} of model ${id} is not recorded`);
  return found.at;
}

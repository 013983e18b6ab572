import { OperatorError } from '../core/errors.ts';
import type { Codec } from '../domain/areas/index.ts';

/** Changes of one table by an import. */
export interface Changes {
  readonly table: string;
  readonly rows: number;
  readonly before: number;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Rows before and after. */
  readonly changed: readonly { readonly key: string; readonly from: string; readonly to: string }[];
}

/** Largest share of rows that may be removed without --accept-losses: a source that shrinks more is probably broken. */
const MOST_LOST = 0.2;

export function changesOf<T>(
  codec: Codec<T>,
  { before, after }: { readonly before: readonly T[]; readonly after: readonly T[] },
): Changes {
  const texts = (rows: readonly T[]) =>
    new Map(
      rows.map((row) => [
        codec.key(row),
        codec
          .encode(row)
          .map((cells) => cells.join(' '))
          .join('\n'),
      ]),
    );
  const [old, fresh] = [texts(before), texts(after)];
  return {
    table: codec.table,
    rows: fresh.size,
    before: old.size,
    added: [...fresh.keys()].filter((key) => !old.has(key)).sort(),
    removed: [...old.keys()].filter((key) => !fresh.has(key)).sort(),
    changed: [...fresh]
      .flatMap(([key, to]) => {
        const from = old.get(key);
        return from === undefined || from === to ? [] : [{ key, from, to }];
      })
      .sort((a, b) => (a.key < b.key ? -1 : 1)),
  };
}

/** Throws an `OperatorError` when more rows are removed than that share. */
export function refuseLosses({ table, before, removed }: Changes): void {
  if (removed.length <= MOST_LOST * before) return;
  throw new OperatorError(
    `${table} would lose ${removed.length} of its ${before} rows (${removed.slice(0, 5).join(', ')}…). Nothing was changed. If that is right, use --accept-losses.`,
  );
}

const SHOWN = 5;
const WIDTH = 160;

/** Lines for the operator: how many rows are added, removed and changed, and the first of each. */
export function describeChanges({ table, rows, before, added, removed, changed }: Changes): string[] {
  const head = `${table}: ${rows} rows (before: ${before}), ${added.length} added, ${removed.length} removed, ${changed.length} changed`;
  const first = (sign: string, items: readonly string[]) => [
    ...items.slice(0, SHOWN).map((item) => `  ${sign} ${item.slice(0, WIDTH)}`),
    ...(items.length > SHOWN ? [`  ${sign} … and ${items.length - SHOWN} more`] : []),
  ];
  return [
    head,
    ...first('+', added),
    ...first('-', removed),
    ...first(
      '~',
      changed.map(({ from, to }) => (from.includes('\n') ? 'shape' : `${from}  →  ${to}`)),
    ),
  ];
}

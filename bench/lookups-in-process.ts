import { fileURLToPath } from 'node:url';
import { systemClock } from '../src/core/clock.ts';
import { type Areas, createAreas, readTables } from '../src/domain/areas/index.ts';
import { mebibytes, ms, type Row, type Section } from './report.ts';

const SEED = fileURLToPath(new URL('../seed', import.meta.url));
const LOAD_MS = 300;
const LOAD_BYTES = 60 * 1024 ** 2;
const LOOKUP_MICROS = 50;
const SEARCH_MICROS = 1_000;
const TIMES = 5_000;

/** Loading the bundled tables, and each look-up without HTTP. Needs `--expose-gc`; call it before anything else. */
export async function inProcess(): Promise<Section[]> {
  const before = memory();
  const began = performance.now();
  const tables = readTables([SEED]);
  const readMs = performance.now() - began;
  const areas = createAreas({ tables, clock: systemClock });
  const allMs = performance.now() - began;
  const after = memory();
  const codes = tables.postal_codes.map(({ code }) => code);
  const pick = <T>(list: readonly T[], index: number): T => list[(index * 7_919) % list.length] as T;
  const positions = tables.postal_codes.flatMap(({ lat, lon, elomrade_basis }) =>
    lat === null || lon === null || elomrade_basis === 'municipality' ? [] : [{ lat, lon }],
  );
  const works: readonly (readonly [string, number, (areas: Areas, index: number) => unknown])[] = [
    ['lookup/postal', LOOKUP_MICROS, (own, index) => own.postal(pick(codes, index))],
    ['lookup/grid-area, one area', LOOKUP_MICROS, (own) => own.gridArea('STH')],
    ['lookup/ort', LOOKUP_MICROS, (own) => own.place('Stockholm')],
    [
      'lookup/address, by what stands in it',
      LOOKUP_MICROS,
      (own) => own.address({ adress: 'Storgatan 1, 111 22 Stockholm', ort: '', postnr: '' }),
    ],
    [
      'lookup/coordinate',
      LOOKUP_MICROS,
      (own, index) => own.coordinate(pick(positions, index).lat, pick(positions, index).lon),
    ],
    ['tax', LOOKUP_MICROS, (own) => own.tax({ kommun: 'Stockholm' })],
    ...['st', 'an', 'aa', 'storg', 'stockhlom', 'zzzz'].map(
      (q) => [`search/ort?q=${q}`, SEARCH_MICROS, (own: Areas) => own.search(q)] as const,
    ),
  ];
  return [
    {
      title: 'The tables and look-ups in process',
      note: `${codes.length.toLocaleString('en')} postal codes, ${tables.grid_areas.length} grid areas; means of ${TIMES.toLocaleString('en')} calls after as many to warm up, and the slowest 1 in 100`,
      rows: [
        { what: 'Reading the tables', figure: ms(readMs) },
        {
          what: 'Reading and indexing',
          figure: ms(allMs),
          target: `under ${LOAD_MS} ms`,
          met: allMs < LOAD_MS,
        },
        {
          what: 'Memory of tables and indexes',
          figure: mebibytes(after.kept - before.kept),
          target: `under ${mebibytes(LOAD_BYTES)}`,
          met: after.kept - before.kept < LOAD_BYTES,
        },
        {
          what: 'Growth of the process, with what reading them leaves behind',
          figure: mebibytes(after.rss - before.rss),
        },
        ...works.map(([what, most, work]) => timed(what, most, (index) => work(areas, index))),
      ],
    },
  ];
}

function timed(what: string, most: number, work: (index: number) => unknown): Row {
  for (let index = 0; index < TIMES; index += 1) work(index);
  const micros: number[] = [];
  for (let index = 0; index < TIMES; index += 1) {
    const began = performance.now();
    work(index);
    micros.push((performance.now() - began) * 1_000);
  }
  const mean = micros.reduce((sum, one) => sum + one, 0) / micros.length;
  const slow = micros.toSorted((a, b) => a - b)[Math.floor(TIMES * 0.99)] ?? 0;
  return {
    what,
    figure: `${mean.toFixed(1)} µs`,
    against: `1 in 100: ${slow.toFixed(1)} µs`,
    target: `under ${most} µs`,
    met: mean < most,
  };
}

function memory(): { kept: number; rss: number } {
  for (let times = 0; times < 4; times += 1) globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { kept: heapUsed + external, rss };
}

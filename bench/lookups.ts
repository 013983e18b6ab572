import { fileURLToPath } from 'node:url';
import { systemClock } from '../src/core/clock.ts';
import { type Areas, createAreas, readTables } from '../src/domain/market/areas/index.ts';
import { startElnav, startRecorded } from './elnav.ts';
import { COURSE, processor, race, throughput } from './load.ts';
import { mebibytes, ms, type Row, type Section, sized } from './report.ts';

const SEED = fileURLToPath(new URL('../seed', import.meta.url));
const LOAD_MS = 300;
const LOAD_BYTES = 60 * 1024 ** 2;
const LOOKUP_MICROS = 50;
const SEARCH_MICROS = 1_000;
const TIMES = sized(5_000, 200);
const SHARE = 0.6;
const SEARCHED = ['st', 'an', 'malm', 'göteb', 'stokholm', 'lund', 'norr', 'vik', 'ås', 'berga'];

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

/** Requests of each kind over many values, so that no single response is measured. */
async function kindsOf(get: (path: string) => Promise<string>): Promise<[string, string[]][]> {
  const found = await Promise.all(
    ['stockholm', 'göteborg', 'malmö', 'umeå', 'luleå', 'karlstad'].map(
      async (q) =>
        JSON.parse(await get(`/api/v1/search/ort?q=${encodeURIComponent(q)}`)) as {
          postal_codes: string[];
          lat: number | null;
          lon: number | null;
        }[],
    ),
  );
  const places = found.flat();
  const codes = places.flatMap(({ postal_codes }) => postal_codes).slice(0, 1_000);
  const path = (route: string, values: readonly string[]) =>
    values.map((value) => `/api/v1/${route}${value}`);
  return [
    ['lookup/postal', path('lookup/postal?code=', codes)],
    ['search/ort', path('search/ort?q=', SEARCHED.map(encodeURIComponent))],
    [
      'lookup/coordinate',
      path(
        'lookup/coordinate?',
        places.flatMap(({ lat, lon }) => (lat === null ? [] : [`lat=${lat}&lon=${lon}`])),
      ),
    ],
  ];
}

/** Look-ups of many values, so that no single response is measured. */
export async function throughHttp(): Promise<Section[]> {
  const elnav = await startElnav('sqlite');
  const { grid } = elnav.child.ready;
  const headers = { 'x-api-key': await elnav.newKey() };
  const get = async (path: string) => {
    const answer = await fetch(`${grid}${path}`, { headers });
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
    return answer.text();
  };
  const rows: Row[] = [];
  for (const [name, paths] of await kindsOf(get)) {
    const answers = await Promise.all(paths.map(async (path) => [path, await get(path)] as const));
    const headersOf = { 'content-type': 'application/json; charset=utf-8' };
    const bare = await startRecorded(answers.map(([path, text]) => [path, { headers: headersOf, text }]));
    const requests = paths.map((path) => ({ method: 'GET' as const, path, headers }));
    const [ours, theirs] = await race([
      { name: `elnav ${name}`, url: grid, child: elnav.child, requests },
      { name: 'node:http', url: bare.ready.connect, child: bare, requests },
    ]);
    await bare.stop();
    if (ours === undefined || theirs === undefined) continue;
    const bytes = Math.round(answers.reduce((sum, [, body]) => sum + body.length, 0) / answers.length);
    rows.push(
      throughput(`${name}, ${paths.length} questions, ${bytes} bytes: requests a second`, {
        ours,
        theirs,
        share: SHARE,
      }),
      processor(`${name}: processor time of the server for a request`, { ours, theirs }),
    );
  }
  await elnav.close();
  const note = `${COURSE.connections} connections, keep-alive, key check and rate policy on; against node:http that finds the same bytes in a Map by path and query`;
  return [{ title: 'Look-ups through HTTP', note, rows }];
}

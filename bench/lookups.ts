import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from './children.ts';
import { startElnav } from './elnav.ts';
import { COURSE, race } from './load.ts';
import { inProcess } from './lookups-in-process.ts';
import { writePart } from './parts-report.ts';
import { processor, throughput } from './reads.ts';
import { type Row, run, type Section } from './report.ts';

const SHARE = 0.6;
const SEARCHED = ['st', 'an', 'malm', 'göteb', 'stokholm', 'lund', 'norr', 'vik', 'ås', 'berga'];

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

async function throughHttp(): Promise<Section[]> {
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
    const file = join(tmpdir(), `elnav-bench-${process.pid}-${rows.length}.json`);
    writeFileSync(file, JSON.stringify(answers));
    const bare = await startChild('./serve-map.ts', { BENCH_ANSWERS: file });
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

const sections = await run([inProcess, throughHttp]);
if (process.argv.includes('--write')) writePart('grid', 'lookups', sections);

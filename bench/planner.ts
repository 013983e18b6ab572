import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import type { Request } from 'autocannon';
import { startChild } from './children.ts';
import { startElnav } from './elnav.ts';
import { race, ratioOf } from './load.ts';
import { sameCost, speed } from './planner-highs.ts';
import { count, ms, percent, run, type Section, verdictOf } from './report.ts';

const SHARE = 0.5;

/** A day of quarters through HTTP, beside a server that parses the same body and writes it back. */
async function throughHttp(): Promise<Section[]> {
  const elnav = await startElnav('sqlite');
  const bare = await startChild('./serve-echo.ts');
  const prices = Array.from({ length: 96 }, (_, slot) => ({
    duration_min: 15,
    price: (((slot * 7_919) % 9_973) / 10_000).toFixed(5),
  }));
  const task = {
    current_soc: 20,
    target_soc: 80,
    capacity_wh: 77_000,
    max_power_w: 11_040,
    min_power_w: 4_140,
    deadline_slot_index: 95,
  };
  const body = JSON.stringify({ prices, task });
  const headers = { 'content-type': 'application/json', 'x-api-key': await elnav.newKey() };
  const requests: Request[] = [{ method: 'POST', path: '/optimize/plan', headers, body }];
  const [own, other] = await race([
    { name: 'elnav', url: elnav.connect, child: elnav.child, requests },
    { name: 'bare', url: bare.ready.connect, child: bare, requests },
  ]);
  await bare.stop();
  await elnav.close();
  if (own === undefined || other === undefined) return [];
  const share = ratioOf(own, other);
  return [
    {
      title: 'Through HTTP',
      note: 'POST /optimize/plan with 96 slots; the opponent parses the same body and writes it back. 50 connections.',
      rows: [
        {
          what: 'requests a second',
          figure: count(own.perSecond),
          against: `bare ${count(other.perSecond)}`,
          ratio: percent(share),
          target: `≥ ${percent(SHARE)}`,
          met: share >= SHARE,
        },
        { what: 'p99', figure: ms(own.p99Ms), against: `bare ${ms(other.p99Ms)}` },
      ],
    },
  ];
}

function markdownOf(sections: readonly Section[]): string {
  const machine = `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'processor'}`;
  const tables = sections.map(({ title, note, rows }) => {
    const lines = rows.map((row) => {
      const { what, figure, against = '', ratio = '', target = '', met } = row;
      const verdict = met === undefined ? target : `${target}: ${verdictOf(row)}`;
      return `| ${[what, figure, against, ratio, verdict].join(' | ')} |`;
    });
    const head = ['| | elnav | against | ratio | target |', '| --- | --- | --- | --- | --- |'];
    return [`## ${title}`, '', ...(note === undefined ? [] : [note, '']), ...head, ...lines, ''].join('\n');
  });
  return `<!-- Written by npm run bench:planner -- --write. -->\n# The planner, measured\n\n${machine}; HiGHS 1.15.3 in WebAssembly, gap 0.\n\n${tables.join('\n')}`;
}

const sections = await run([speed, throughHttp, sameCost]);
if (process.argv.includes('--write')) writeFileSync('docs/benchmarks-planner.md', markdownOf(sections));

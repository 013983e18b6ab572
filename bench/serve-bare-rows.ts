import { createServer } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { serveAsConnect } from './child-side.ts';

/*
 * The opponent: Node's own HTTP server, which writes rows of the same tables as CSV, a page at a time, with the plain driver:
 * nothing is parsed, validated, counted or named.
 */
interface Slot {
  readonly area: string;
  readonly start_at: number;
  readonly end_at: number;
  readonly sek: string;
  readonly eur: string | null;
  readonly converted: number;
  readonly source: string;
}

const PAGE = 2_000;
const SELECT = `select p.area, p.start_at, p.end_at, p.sek, p.eur, d.converted, d.source
  from prices p join price_days d on d.area = p.area and d.day = p.day`;

const read = readerOf(process.env.BENCH_DATABASE_URL);
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/csv; charset=utf-8' });
  pipeline(csv(), response).catch(() => response.destroy());
});
serveAsConnect(server, { peak: () => process.resourceUsage().maxRSS * 1_024 });

async function* csv(): AsyncGenerator<string> {
  yield 'area,start,end,duration_min,price,currency,unit,price_eur,converted,source\r\n';
  for (const area of ['SE1', 'SE2', 'SE3', 'SE4']) {
    let from = 0;
    for (;;) {
      const rows = await read(area, from);
      let text = '';
      for (const row of rows) {
        const start = new Date(row.start_at).toISOString();
        const minutes = (row.end_at - row.start_at) / 60_000;
        text += `${area},${start},${new Date(row.end_at).toISOString()},${minutes},${row.sek},SEK,SEK/kWh,${row.eur ?? ''},${row.converted === 1},${row.source}\r\n`;
      }
      yield text;
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE) break;
      from = last.end_at;
    }
  }
}

function readerOf(url: string | undefined): (area: string, from: number) => Promise<readonly Slot[]> {
  if (url === undefined) {
    const database = new DatabaseSync(join(process.env.BENCH_DATA_DIR ?? '', 'elnav.sqlite'));
    const statement = database.prepare(
      `${SELECT} where p.area = ? and p.start_at >= ? order by p.start_at limit ${PAGE}`,
    );
    return async (area, from) => statement.all(area, from) as unknown as Slot[];
  }
  pg.types.setTypeParser(20, Number);
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const text = `${SELECT} where p.area = $1 and p.start_at >= $2 order by p.start_at limit ${PAGE}`;
  return async (area, from) => (await pool.query<Slot>({ name: 'page', text, values: [area, from] })).rows;
}

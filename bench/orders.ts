import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ENGINES, type Engine } from '../test/databases.ts';
import { call, startElnav } from './elnav.ts';
import { COURSE, race } from './load.ts';
import { count, ms, type Row, type Section } from './report.ts';

const DEVICES = 200;

/** Commands to sandbox chargers: recorded durably, sent, read again, stored, answered. */
export async function ordersBench(): Promise<Section[]> {
  const rows: Row[] = [];
  for (const engine of ENGINES) rows.push(...(await onEngine(engine)));
  return [
    {
      title: `Commands: set_current to ${DEVICES} sandbox chargers in turn`,
      note: `${COURSE.connections} connections; every command is durable before and after it is sent; information, no target`,
      rows,
    },
  ];
}

async function onEngine(engine: Engine): Promise<Row[]> {
  const elnav = await startElnav(engine);
  const key = await elnav.newKey();
  const ids: string[] = [];
  for (let device = 0; device < DEVICES; device += 1) {
    const { devices } = await call<{ devices: { id: string }[] }>(`${elnav.connect}/link`, key, {
      vendor: 'sandbox',
      credentials: { device_types: ['charger'] },
      user_ref: `user-${device}`,
    });
    ids.push(...devices.map(({ id }) => id));
  }
  const [measured] = await race(
    [
      {
        name: 'elnav',
        url: elnav.connect,
        child: elnav.child,
        requests: ids.map((id, index) => ({
          method: 'POST',
          path: `/devices/${id}/command`,
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ type: 'set_current', current_a: 6 + (index % 10) }),
        })),
      },
    ],
    { ...COURSE, rounds: 3 },
  );
  const flushes = engine === 'sqlite' ? flushesASecond(elnav.place.dataDir) : undefined;
  await elnav.close();
  if (measured === undefined) return [];
  const name = engine === 'sqlite' ? 'SQLite' : 'PostgreSQL';
  return [
    {
      what: `${name}, commands a second`,
      figure: count(measured.perSecond),
      ...(flushes === undefined
        ? {}
        : { against: `write and fsync of one page, one after the other ${count(flushes)}` }),
    },
    { what: `${name}, 99th percentile`, figure: ms(measured.p99Ms) },
  ];
}

/** What the disk itself can do: one page of 4 KB written and made durable at a time. */
function flushesASecond(dir: string): number {
  const file = join(dir, 'flushes');
  const handle = openSync(file, 'w');
  const page = Buffer.alloc(4_096, 1);
  const began = performance.now();
  let flushes = 0;
  while (performance.now() - began < 1_000) {
    writeSync(handle, page);
    fsyncSync(handle);
    flushes += 1;
  }
  closeSync(handle);
  rmSync(file);
  return flushes;
}

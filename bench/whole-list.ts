import { call, inParallel, startBare, startElnav } from './elnav.ts';
import { COURSE, type Contender, race } from './load.ts';
import { processor, throughput } from './reads.ts';
import type { Section } from './report.ts';

const DEVICES = 1_000;
const SHARE = 0.4;
const CHANGES_A_SECOND = 50;

/** `GET /devices` of 1,000 devices, against Node's own server with the same bytes. */
export async function wholeListBench(): Promise<Section[]> {
  const elnav = await startElnav('sqlite');
  const key = await elnav.newKey();
  const { devices } = await call<{ devices: { id: string }[] }>(`${elnav.connect}/link`, key, {
    vendor: 'bench_live',
    credentials: { devices: DEVICES },
    user_ref: 'list',
  });
  const read = ({ id }: { id: string }) => call(`${elnav.connect}/devices/${id}`, key);
  await inParallel(devices, 20, read);
  const headers = { authorization: `Bearer ${key}` };
  const list: Contender = { name: 'elnav', url: `${elnav.connect}/devices`, child: elnav.child, headers };
  const body = JSON.stringify(await call<unknown[]>(list.url, key));
  const bare = await startBare(body);
  const opponent: Contender = { name: 'node:http', url: bare.ready.connect, child: bare, headers };
  const [ours, theirs] = await race([list, opponent]);

  // Reading a device of this vendor changes its state, and with it the list.
  let next = 0;
  let changed = 0;
  const changing = setInterval(() => {
    const device = devices[next % devices.length];
    next += 1;
    if (device !== undefined) void read(device).then(() => (changed += 1));
  }, 1_000 / CHANGES_A_SECOND);
  const began = performance.now();
  const [moving] = await race([list], { ...COURSE, rounds: 3 });
  clearInterval(changing);
  const rate = Math.round((changed * 1_000) / (performance.now() - began));
  await bare.stop();
  await elnav.close();
  if (ours === undefined || theirs === undefined || moving === undefined) return [];
  return [
    {
      title: `GET /devices, ${DEVICES} devices`,
      note: `${COURSE.connections} connections, keep-alive, key check and rate policy on; ${body.length} bytes; against node:http with the same bytes`,
      rows: [
        throughput('Unchanged, lists a second', { ours, theirs, share: SHARE }),
        processor('Unchanged, processor time of the server for a list', { ours, theirs }),
        throughput(`${rate} states changing a second, lists a second`, { ours: moving, theirs }),
        processor(`${rate} states changing a second, processor time for a list`, { ours: moving, theirs }),
      ],
    },
  ];
}

import { call, inParallel, startElnav, startRecorded } from './elnav.ts';
import { COURSE, type Contender, processor, race, throughput } from './load.ts';
import { ms, type Section, sized } from './report.ts';

const SHARE = 0.65;
/** Times the opponent's processor time. */
const MOST_TIMES = 1.6;
const P99_MS = 15;

/** The opponent sends a buffer, as elnav does. */
const sameAs = (body: string) => ({
  headers: { 'content-type': 'application/json; charset=utf-8' },
  base64: Buffer.from(body).toString('base64'),
});

/** `GET /devices/{id}` with its key check and rate policy, against Node's own server with the same bytes. */
export async function readBench(): Promise<Section[]> {
  const elnav = await startElnav('sqlite');
  const key = await elnav.newKey();
  const link = (vendor: string, credentials: object) =>
    call<{ devices: { id: string }[] }>(`${elnav.connect}/link`, key, {
      vendor,
      credentials,
      user_ref: 'reads',
    });
  const polled = await link('bench_polled', { devices: 1 });
  const simulated = await link('sandbox', { device_types: ['charger'] });
  const contender = (name: string, id: string | undefined): Contender => ({
    name,
    url: `${elnav.connect}/devices/${id}`,
    child: elnav.child,
    headers: { authorization: `Bearer ${key}` },
  });
  const fresh = contender('elnav, fresh state', polled.devices[0]?.id);
  const asked = contender('elnav, sandbox charger', simulated.devices[0]?.id);
  const body = JSON.stringify(await call(fresh.url, key));
  const bare = await startRecorded([['*', sameAs(body)]]);
  const opponent: Contender = {
    name: 'node:http',
    url: bare.ready.connect,
    child: bare,
    headers: { authorization: `Bearer ${key}` },
  };
  const [ours, theirs, each] = await race([fresh, opponent, asked], COURSE);
  await bare.stop();
  await elnav.close();
  if (ours === undefined || theirs === undefined || each === undefined) return [];
  return [
    {
      title: 'GET /devices/{id}',
      note: `${COURSE.connections} connections, keep-alive, key check and rate policy on; ${body.length} bytes; against node:http with the same bytes`,
      rows: [
        throughput('Fresh state, requests a second', { ours, theirs, share: SHARE }),
        processor('Fresh state, processor time of the server for a request', {
          ours,
          theirs,
          most: MOST_TIMES,
        }),
        {
          what: 'Fresh state, 99th percentile',
          figure: ms(ours.p99Ms),
          against: `node:http ${ms(theirs.p99Ms)}`,
          target: `under ${P99_MS} ms`,
          met: ours.p99Ms < P99_MS,
        },
        throughput('Sandbox charger, asked each time, requests a second', { ours: each, theirs }),
      ],
    },
  ];
}

const DEVICES = sized(1_000, 50);
const LIST_SHARE = 0.4;
const CHANGES_A_SECOND = 50;

/** `GET /devices` of 1,000 devices, against Node's own server with the same bytes. */
export async function listBench(): Promise<Section[]> {
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
  const bare = await startRecorded([['*', sameAs(body)]]);
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
  const [moving] = await race([list], { ...COURSE, rounds: sized(3, 1) });
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
        throughput('Unchanged, lists a second', { ours, theirs, share: LIST_SHARE }),
        processor('Unchanged, processor time of the server for a list', { ours, theirs }),
        throughput(`${rate} states changing a second, lists a second`, { ours: moving, theirs }),
        processor(`${rate} states changing a second, processor time for a list`, { ours: moving, theirs }),
      ],
    },
  ];
}

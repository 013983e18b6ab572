import { call, startBare, startElnav } from './elnav.ts';
import { COURSE, type Contender, type Measured, race, ratioOf } from './load.ts';
import { count, ms, percent, type Row, type Section } from './report.ts';

const SHARE = 0.65;
/** Times the opponent's processor time. */
const MOST_TIMES = 1.6;
const P99_MS = 15;

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
  const bare = await startBare(body);
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

export function throughput(
  what: string,
  { ours, theirs, share }: { ours: Measured; theirs: Measured; share?: number },
): Row {
  const ratio = ratioOf(ours, theirs);
  return {
    what,
    figure: count(ours.perSecond),
    against: `node:http ${count(theirs.perSecond)}`,
    ratio: percent(ratio),
    ...(share === undefined ? {} : { target: `at least ${percent(share)}`, met: ratio >= share }),
  };
}

export function processor(
  what: string,
  { ours, theirs, most }: { ours: Measured; theirs: Measured; most?: number },
): Row {
  const times = ours.cpuMicros / theirs.cpuMicros;
  return {
    what,
    figure: `${ours.cpuMicros.toFixed(1)} µs`,
    against: `node:http ${theirs.cpuMicros.toFixed(1)} µs`,
    ratio: `${times.toFixed(2)} ×`,
    ...(most === undefined ? {} : { target: `at most ${most} ×`, met: times <= most }),
  };
}

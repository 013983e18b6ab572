import { answerQuestions, ready } from './child-side.ts';
import type { BadAccount, Kind } from './fairness.ts';

/** Requests of an account at the same time. */
const AT_ONCE = 16;
const STATIONS = 5;
/** Just below what a station may send. */
const READINGS = 800;

const kind = process.env.BENCH_KIND as Kind | 'overload';
const url = process.env.BENCH_URL ?? '';
const accounts = JSON.parse(process.env.BENCH_ACCOUNTS ?? '[]') as readonly BadAccount[];
const atOnce = Number(process.env.BENCH_AT_ONCE ?? AT_ONCE);

const counts: Record<string, number> = {};
const count = (what: string | number) => {
  counts[what] = (counts[what] ?? 0) + 1;
};
let isOver = false;

const plan: unknown = JSON.parse(process.env.BENCH_PLAN ?? 'null');

const REQUESTS: Readonly<
  Record<Exclude<Kind, 'stations'> | 'overload', (device: string) => [string, unknown?]>
> = {
  history: (device) => [
    `/devices/${device}/history?resolution=15m&limit=10000&from=${new Date(Date.now() - 300 * 86_400_000).toISOString()}&fields=power_w,energy_wh,connected,charging,cost,price`,
  ],
  changes: (device) => [
    `/devices/${device}/history?limit=10000&from=${new Date(Date.now() - 80 * 86_400_000).toISOString()}`,
  ],
  lists: () => ['/devices?limit=1000'],
  plans: () => ['/optimize/plan', plan],
  commands: (device) => [`/devices/${device}/command`, { type: 'set_current', current_a: 10 }],
  overload: () => ['/optimize/plan', plan],
};

async function flood({ key, device }: BadAccount): Promise<void> {
  const request = REQUESTS[kind as 'lists'];
  while (!isOver) {
    const [path, body] = request(device);
    try {
      const response = await fetch(`${url}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(20_000),
      });
      await response.arrayBuffer();
      count(response.status);
      // A caller that is refused comes back soon, whatever it was told.
      if (response.status !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
    } catch {
      count('gave up');
    }
  }
}

/** A station that sends the largest reports as fast as they are taken, and connects again when it is disconnected. */
async function floodFrom(identity: string): Promise<void> {
  const sampledValue = [
    { value: '1000', measurand: 'Energy.Active.Import.Register', unit: 'Wh' },
    { value: '7360', measurand: 'Power.Active.Import', unit: 'W' },
  ];
  const now = Date.now();
  const meterValue = Array.from({ length: READINGS }, (_, index) => ({
    timestamp: new Date(now - index * 1_000).toISOString(),
    sampledValue,
  }));
  const params = JSON.stringify({ connectorId: 1, meterValue });
  while (!isOver) {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ocpp/${identity}`, {
      protocols: ['ocpp1.6'],
      headers: {
        authorization: `Basic ${Buffer.from(`${identity}:password-of-station`).toString('base64')}`,
      },
    });
    await new Promise<void>((resolve) => {
      let calls = 0;
      const send = () => {
        if (isOver || socket.readyState !== WebSocket.OPEN) return socket.close();
        if (socket.bufferedAmount < 1_000_000) {
          calls += 1;
          socket.send(`[2,"${calls}","MeterValues",${params}]`);
        }
        setTimeout(send, 10);
      };
      socket.addEventListener('open', send);
      socket.addEventListener('message', ({ data }) => {
        if (String(data).startsWith('[3')) count('answered');
      });
      socket.addEventListener('close', () => resolve());
      socket.addEventListener('error', () => resolve());
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

answerQuestions(
  async () => {
    isOver = true;
  },
  {
    begin() {
      for (const account of accounts)
        if (kind === 'stations')
          for (let station = 0; station < STATIONS; station += 1)
            void floodFrom(`${account.station}-${station}`);
        else for (let one = 0; one < atOnce; one += 1) void flood(account);
    },
    report: () => counts,
  },
);
ready({});

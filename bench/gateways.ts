import { freePort } from '../test/kit/free-port.ts';
import { startChild } from './children.ts';
import { quantile } from './load.ts';
import { count, mebibytes, ms, percent, type Row, type Section, sized } from './report.ts';

const GATEWAYS = sized(200, 10);
const STREAMS = sized(20, 5);
const SECONDS = sized(10, 2);
const MOST_BYTES = 300 * 1024 ** 2;
const MOST_ADDED_MS = 10;

/** Gateways with streams to devices, as Connect's side of their tunnels has them. */
export async function gatewaysBench(): Promise<Section[]> {
  const port = await freePort();
  const env = { BENCH_STREAMS: `${STREAMS}`, BENCH_SECONDS: `${SECONDS}`, BENCH_PORT: `${port}` };
  const connect = await startChild<{ url: string }>('serve-tunnels.ts', env);
  const homes = await startChild<object>('serve-gateways.ts', {
    BENCH_URL: connect.ready.url,
    BENCH_GATEWAYS: `${GATEWAYS}`,
    BENCH_PORT: `${port}`,
  });
  while ((await connect.ask<number>('gateways')) < GATEWAYS);
  await connect.ask('open');
  const pairs = await connect.ask<[number, number][]>('pairs');
  const before = await connect.cpuMs();
  const times = await connect.ask<number[]>('load');
  const share = ((await connect.cpuMs()) - before) / (SECONDS * 1_000);
  const { rss } = await connect.memory();
  const memoryOfHomes = (await homes.memory()).rss;
  await homes.stop();
  await connect.stop();
  const direct = pairs.map(([one]) => one);
  const through = pairs.map(([, other]) => other);
  const added = quantile(through, 0.99) - quantile(direct, 0.99);
  const rows: Row[] = [
    {
      what: 'Added to a request of 12 bytes and its response, 99th percentile',
      figure: ms(added),
      against: `direct ${ms(quantile(direct, 0.99))}, through a gateway ${ms(quantile(through, 0.99))}`,
      target: 'under 10 ms',
      met: added < MOST_ADDED_MS,
    },
    {
      what: 'The same, median',
      figure: ms(quantile(through, 0.5) - quantile(direct, 0.5)),
      against: `direct ${ms(quantile(direct, 0.5))}`,
    },
    {
      what: `Processor time of Connect with ${count(times.length / SECONDS)} requests a second, of one core`,
      figure: percent(share),
      target: 'at most one core',
      met: share <= 1,
    },
    {
      what: 'Requests then, 99th percentile',
      figure: ms(
        quantile(
          times.toSorted((a, b) => a - b),
          0.99,
        ),
      ),
    },
    {
      what: 'Resident memory of Connect’s side',
      figure: mebibytes(rss),
      target: 'at most 300 MB',
      met: rss <= MOST_BYTES,
    },
    { what: `Resident memory of all ${GATEWAYS} gateways in one process`, figure: mebibytes(memoryOfHomes) },
  ];
  return [{ title: `${GATEWAYS} gateways with ${STREAMS} streams each`, rows }];
}

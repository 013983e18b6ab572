import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Http } from '../src/adapter/http.ts';
import { type Clock, turnedClock } from '../src/core/clock.ts';
import { silentLog } from '../src/core/log.ts';
import { createHttp } from '../src/outbound/index.ts';
import { esett } from '../src/sources/esett/index.ts';
import { createEsettSimulator, type EsettSimulator } from '../src/sources/esett/simulator.ts';

export const esettForTests = esett;

export interface SimulatedEsett {
  readonly simulator: EsettSimulator;
  readonly url: string;
  readonly http: Http;
  close(): Promise<void>;
}

/** eSett's simulator on a port of its own, and the client that the services call it with. */
export async function startEsett(
  options: { readonly clock?: Clock; readonly unit?: 'MW' | 'MWh' } = {},
): Promise<SimulatedEsett> {
  const clock = options.clock ?? turnedClock();
  const simulator = createEsettSimulator({ ...options, clock });
  const server = createServer((request, response) => {
    const { status, headers, body } = simulator.answer(new URL(request.url ?? '/', 'http://esett'));
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const http = createHttp({
    name: 'esett',
    baseUrl: url,
    clock,
    random: (bytes) => Buffer.alloc(bytes),
    log: silentLog,
    // A repetition would wait for the clock to be turned.
    attempts: 1,
  });
  return {
    simulator,
    url,
    http,
    async close() {
      await http.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

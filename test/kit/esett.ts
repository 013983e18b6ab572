import type { Http } from '../../src/adapter/http.ts';
import { type Clock, turnedClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { createHttp } from '../../src/outbound/index.ts';
import { serveSimulated } from '../../src/proof/simulation/serve.ts';
import { esett } from '../../src/sources/esett/index.ts';
import { createEsettSimulator, type EsettSimulator } from '../../src/sources/esett/simulator.ts';

export const esettForTests = esett;

export interface SimulatedEsett {
  readonly simulator: EsettSimulator;
  readonly url: string;
  readonly http: Http;
  close(): Promise<void>;
}

/** eSett's simulator on a port of its own, and the client with which the services call it. */
export async function startEsett(
  options: { readonly clock?: Clock; readonly unit?: 'MW' | 'MWh' } = {},
): Promise<SimulatedEsett> {
  const clock = options.clock ?? turnedClock();
  const simulator = createEsettSimulator({ ...options, clock });
  const served = await serveSimulated({ slug: 'esett', load: async () => simulator });
  const http = createHttp({
    name: 'esett',
    baseUrl: served.url,
    clock,
    random: (bytes) => Buffer.alloc(bytes),
    log: silentLog,
    // A retry would wait for the clock to be advanced.
    attempts: 1,
  });
  return {
    simulator,
    url: served.url,
    http,
    async close() {
      await http.close();
      await served.close();
    },
  };
}

import { systemRandom } from '../../src/core/ids.ts';
import { silentLog } from '../../src/core/log.ts';
import { createMetrics } from '../../src/core/metrics.ts';
import { createExposure } from '../../src/http/exposure.ts';
import { createServer, type Server, type ServerOptions } from '../../src/http/server.ts';

/** A server without routes, of Grid unless `parts` says otherwise: everybody is admitted, and nothing is logged. */
export function bareServer(parts: Pick<ServerOptions, 'clock'> & Partial<ServerOptions>): Server {
  return createServer({
    service: 'grid',
    random: systemRandom,
    log: silentLog,
    metrics: createMetrics(),
    gate: { admit: () => {}, count: () => {} },
    exposure: createExposure(false, silentLog),
    overload: { enter: () => () => {}, refuses: () => false },
    probes: [],
    trustProxy: [],
    tls: undefined,
    ...parts,
  });
}

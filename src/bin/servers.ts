import type { FastifyInstance } from 'fastify';
import { systemClock } from '../core/clock.ts';
import { OperatorError } from '../core/errors.ts';
import type { Secret } from '../core/secret.ts';
import { createGate } from '../http/gate.ts';
import type { Probe } from '../http/health.ts';
import { operatorAddresses } from '../http/operator.ts';
import { createOverload } from '../http/overload.ts';
import { createServer, type Server } from '../http/server.ts';
import type { ServiceName, Shared } from './shared.ts';

interface ServersOptions
  extends Pick<
    Shared,
    | 'settings'
    | 'exposure'
    | 'clock'
    | 'random'
    | 'log'
    | 'metrics'
    | 'accounts'
    | 'limits'
    | 'people'
    | 'closers'
  > {
  readonly traces: Pick<Shared, 'traces'>;
  readonly adminToken: Secret;
  /** What `/readyz` asks. */
  readonly probes: Readonly<Record<ServiceName, readonly Probe[]>>;
  /** The public addresses that are set. */
  readonly configured: Readonly<Record<ServiceName, string | undefined>>;
}

/** The servers of a process: one for each service, made before any of them listens. */
export function createServers(options: ServersOptions) {
  const { settings, clock, random, log, metrics, accounts, limits, people } = options;
  // The event loop is that of this process, also where a test turns the clock.
  const overload = createOverload(systemClock);
  options.closers.push(async () => overload.stop());
  const servers: { service: ServiceName; server: Server; port: number }[] = [];

  const make: Shared['makeServer'] = (service, port) => {
    const isGrid = service === 'grid';
    const gate = createGate({
      service,
      accounts,
      limits,
      clock,
      adminToken: options.adminToken,
      isOperator: operatorAddresses(settings.metricsFrom),
      ...(isGrid
        ? { personOf: people.personOf, operatorOf: people.operatorOf }
        : { consoleOf: people.consoleOf }),
    });
    const { trustProxy, tls } = settings;
    const server = createServer({
      service,
      clock,
      random,
      log: log.child({ service }),
      metrics,
      ...options.traces,
      gate,
      exposure: options.exposure,
      overload,
      probes: options.probes[service],
      trustProxy,
      tls,
      publicUrl: options.configured[service],
    });
    servers.push({ service, server, port });
    options.closers.push(() => server.app.close());
    return { ...server, admitToken: gate.admitToken };
  };

  return {
    make,
    of: (service: ServiceName): Server | undefined => servers.find((one) => one.service === service)?.server,
    all: (): Server[] => servers.map(({ server }) => server),

    /** Has all of them listen, and notes where. */
    async listen(urls: Map<string, string>): Promise<void> {
      for (const { server } of servers) server.addHealth();
      for (const { service, server, port } of servers) {
        // The address is logged once, by the caller; the framework would log it as well.
        server.app.log.level = 'warn';
        urls.set(service, await listen(server.app, { host: settings.host, port }));
        server.app.log.level = log.level;
      }
    },
  };
}

/** Listens; answers the address. Throws an `OperatorError` that says what keeps the host or the port from being taken. */
async function listen(
  app: FastifyInstance,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    const sentence = sentenceOf(code, { host, port });
    throw sentence === undefined ? cause : new OperatorError(sentence, { cause });
  }
}

function sentenceOf(code: unknown, { host, port }: { host: string; port: number }): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} is in use. Stop what uses it, or set ELNAV_CONNECT_PORT and ELNAV_GRID_PORT to other ports.`;
    case 'EACCES':
      return `Port ${port} may not be taken by this user. Set ELNAV_CONNECT_PORT and ELNAV_GRID_PORT to ports above 1023.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return `ELNAV_HOST is ${host}, which is no address of this machine (${code}). 127.0.0.1 is reached from this machine alone, 0.0.0.0 from every network that it is on.`;
    default:
      return undefined;
  }
}

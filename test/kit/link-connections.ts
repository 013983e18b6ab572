import type { TestContext } from 'node:test';
import type { Connections } from '../../src/adapter/connections.ts';
import { WITHOUT_CALLS } from '../../src/adapter/session.ts';
import { type TurnedClock, turnedClock } from '../../src/core/clock.ts';
import { createConnections, directDialer } from '../../src/outbound/connections/index.ts';
import { permittedAddresses } from '../../src/outbound/index.ts';
import { LOOPBACK } from './loopback.ts';

export interface LinkConnections {
  readonly connections: Connections;
  /** Timeouts and waits go by it. */
  readonly clock: TurnedClock;
  /** How many are open. */
  count(): number;
}

/** The TCP connections of a link as the platform keeps them, without its limits and its database. They end with the test. */
export function linkConnections(test: TestContext, name: string): LinkConnections {
  const clock = turnedClock();
  const kept = createConnections({
    dialerOf: () => directDialer(permittedAddresses(LOOPBACK)),
    clock,
    random: (bytes) => Buffer.alloc(bytes),
  });
  test.after(() => kept.close());
  const owner = { account: 1, link: 'link-1', name, ports: [502] };
  const signal = new AbortController().signal;
  return {
    clock,
    count: () => kept.count(),
    connections: {
      ...WITHOUT_CALLS.connections,
      tcp: (target) => ({
        exchange: ({ device, costs, ...asked }) =>
          kept.exchange(owner, { ...asked, target }, { signal, sent: () => {} }),
      }),
    },
  };
}

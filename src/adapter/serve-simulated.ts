import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Simulate, SimulatedAnswer, SimulatedRequest } from './simulated-prices.ts';

export interface ServedSimulator {
  /** Base address without a trailing slash. */
  readonly url: string;
  /** Paths with queries, in the order in which they were asked. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/** A simulator on a port of this machine, for clients that are to be seen at work; port 0 takes a free one. */
export async function serveSimulated(simulate: Simulate, port = 0): Promise<ServedSimulator> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    asked.push(`${url.pathname}${url.search}`);
    const answer = answerOf(simulate, {
      method: request.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
    });
    if (answer.broken === 'hang') return;
    if (answer.broken === 'reset') {
      request.socket.resetAndDestroy();
      return;
    }
    const isJson = answer.json !== undefined;
    response.writeHead(answer.status, {
      ...(isJson ? { 'content-type': 'application/json' } : {}),
      ...answer.headers,
    });
    response.end(isJson ? JSON.stringify(answer.json) : answer.text);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A question that a simulator was not made for must not end the process that it runs in. */
function answerOf(simulate: Simulate, request: SimulatedRequest): SimulatedAnswer {
  try {
    return simulate(request);
  } catch {
    return { status: 500 };
  }
}

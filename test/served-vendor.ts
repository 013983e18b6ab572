import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Adapter } from '../src/adapter/adapter.ts';
import type { VendorSimulator } from '../src/adapter/simulator.ts';
import type { Clock } from '../src/core/clock.ts';
import { systemRandom } from '../src/core/ids.ts';

export interface ServedVendor {
  readonly url: string;
  readonly vendor: VendorSimulator;
  /** `POST /oauth2/token`, in order. */
  readonly asked: string[];
  /** Settings that make a service call it. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export const SERVED_PARTNER = { clientId: 'elnav-tests', clientSecret: 'canary-client-secret-5513' };

/** A vendor's simulator on a port, as the vendor's cloud would be. */
export async function serveVendor(adapter: Adapter, clock: Clock): Promise<ServedVendor> {
  const asked: string[] = [];
  const module = await adapter.simulator?.();
  if (module === undefined) throw new Error(`${adapter.slug} has no simulator`);
  const vendor = module.createSimulator({
    clock,
    random: systemRandom,
    partner: SERVED_PARTNER,
    baseUrl: () => url,
  });
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    asked.push(`${request.method} ${pathname}`);
    const answer = await vendor.handle({
      method: request.method ?? 'GET',
      path: pathname,
      query: searchParams,
      headers: request.headers as Record<string, string>,
      body: Buffer.concat(chunks),
    });
    const body = answer.bytes ?? (answer.json === undefined ? answer.text : JSON.stringify(answer.json));
    response.writeHead(answer.status, {
      ...(answer.json === undefined ? {} : { 'content-type': 'application/json' }),
      ...answer.headers,
    });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const prefix = `ELNAV_${adapter.slug.toUpperCase()}`;
  return {
    url,
    vendor,
    asked,
    env: {
      [`${prefix}_BASE_URL`]: url,
      ...(adapter.oauth === undefined
        ? {}
        : {
            [`${prefix}_CLIENT_ID`]: SERVED_PARTNER.clientId,
            [`${prefix}_CLIENT_SECRET`]: SERVED_PARTNER.clientSecret,
          }),
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

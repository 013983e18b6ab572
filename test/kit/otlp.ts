import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as it was reported. */
export interface ReportedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  /** 2: server, 3: client. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, string | number>>;
}

/** A receiver of OTLP over HTTP, as JSON. */
export interface OtlpReceiver {
  readonly url: string;
  readonly spans: ReportedSpan[];
  /** All that was posted, as it came. */
  readonly bodies: string[];
  /** Those of each post. */
  readonly headers: IncomingHttpHeaders[];
  close(): Promise<void>;
}

interface Posted {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<ReportedSpan, 'attributes'> & {
        readonly attributes: readonly {
          readonly key: string;
          readonly value: { readonly stringValue?: string; readonly intValue?: number };
        }[];
      })[];
    }[];
  }[];
}

export async function receiveOtlp(): Promise<OtlpReceiver> {
  const spans: ReportedSpan[] = [];
  const bodies: string[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const isExpected = request.url === '/v1/traces' && request.headers['content-type'] === 'application/json';
    bodies.push(body);
    headers.push(request.headers);
    if (isExpected)
      for (const { scopeSpans } of (JSON.parse(body) as Posted).resourceSpans)
        for (const { attributes, ...span } of scopeSpans.flatMap((scope) => scope.spans))
          spans.push({
            ...span,
            attributes: Object.fromEntries(
              attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
            ),
          });
    response.writeHead(isExpected ? 200 : 404, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bodies,
    headers,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

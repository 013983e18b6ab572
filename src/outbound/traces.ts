import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Log } from '../core/log.ts';
import type { Secret } from '../core/secret.ts';
import type { SamplerName } from '../core/settings/index.ts';
import type { CallEnd, RequestEnd, TracedWork, Traces } from '../core/traces.ts';

/** Spans, which name routes and vendors, and no account, key, link, device, address or credential: they often go to somebody else's service. */
export interface Spans extends Traces {
  /** Reports what is left. */
  close(): Promise<void>;
}

interface TracesOptions {
  /** Base address of a receiver of OTLP over HTTP, without `/v1/traces`. */
  readonly url: string;
  /** For the receiver, such as a token. */
  readonly headers?: Readonly<Record<string, Secret>> | undefined;
  /** Of which requests there are spans, and of what share of them where it goes by one. */
  readonly sampler: SamplerName;
  readonly share: number;
  readonly version: string;
  readonly log: Log;
}

/** Spans are sent so often, and at most so many wait; further ones are dropped. */
const SEND_MS = 2_000;
const MOST_WAITING = 2_048;
/** For one attempt to send them. */
const TIMEOUT_MS = 3_000;

/**
 * Reports by OTLP over HTTP, as JSON. Nothing is registered globally, and no other library of the process is made to report. The context is kept by
 * the runtime from a request to its calls; nothing of it is sent to vendors.
 */
export function createTraces({ url, headers = {}, sampler, share, version, log }: TracesOptions): Spans {
  const exporter = new OTLPTraceExporter({
    url: `${url}/v1/traces`,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.reveal()])),
    timeoutMillis: TIMEOUT_MS,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'elnav', 'service.version': version }),
    sampler: samplerOf(sampler, share),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: reportingFailure(exporter, log),
        scheduledDelayMillis: SEND_MS,
        maxQueueSize: MOST_WAITING,
        exportTimeoutMillis: TIMEOUT_MS,
      }),
    ],
  });
  const tracer = provider.getTracer('elnav', version);
  const propagator = new W3CTraceContextPropagator();
  const running = new AsyncLocalStorage<Context>();

  const traced = <End>(span: Span, parent: Context, note: (end: End) => void): TracedWork<End> => {
    const context = trace.setSpan(parent, span);
    return {
      run: (work) => running.run(context, work),
      end(end) {
        note(end);
        span.end();
      },
    };
  };

  return {
    request({ service, method, route, id, headers }) {
      const parent = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
      const attributes = {
        'elnav.service': service,
        'elnav.request_id': id,
        'http.request.method': method,
        'http.route': route,
      };
      const span = tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, parent);
      const work = traced(span, parent, ({ status }: RequestEnd) => {
        if (status === null) return;
        span.setAttribute('http.response.status_code', status);
        if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      });
      return span.isRecording() ? { ...work, traceId: span.spanContext().traceId } : work;
    },
    call({ vendor, call }) {
      const parent = running.getStore();
      if (parent === undefined) return undefined;
      const attributes = { 'elnav.vendor': vendor, 'elnav.call': call };
      const span = tracer.startSpan(`${vendor} ${call}`, { kind: SpanKind.CLIENT, attributes }, parent);
      return traced(span, parent, ({ outcome }: CallEnd) => {
        span.setAttribute('elnav.outcome', outcome);
        if (outcome !== 'ok') span.setStatus({ code: SpanStatusCode.ERROR });
      });
    },
    close: () => provider.shutdown(),
  };
}

/** @param share of the requests, where it goes by one */
function samplerOf(name: SamplerName, share: number): Sampler {
  const root = {
    traceidratio: () => new TraceIdRatioBasedSampler(share),
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
  };
  const [, whose = '', what = ''] = /^(parentbased_)?(\w+)$/.exec(name) ?? [];
  const own = root[what as keyof typeof root]();
  return whose === '' ? own : new ParentBasedSampler({ root: own });
}

/** An exporter that logs once that spans cannot be sent, and once that they can again. */
function reportingFailure(exporter: SpanExporter, log: Log): SpanExporter {
  let isFailing = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const fails = result.code !== ExportResultCode.SUCCESS;
        if (fails !== isFailing) {
          if (fails)
            log.warn({ err: result.error }, 'traces cannot be sent to ELNAV_OTLP_URL; they are dropped');
          else log.info({}, 'traces are sent again');
        }
        isFailing = fails;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}

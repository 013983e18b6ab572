import type { Log } from '../core/log.ts';
import type { Settings } from '../core/settings/index.ts';
import type { Spans } from '../outbound/traces.ts';
import { VERSION } from './version.ts';

/** Where requests are reported to; undefined, and nothing of it loaded, unless `ELNAV_OTLP_URL` is set. */
export async function openTraces({ otlpUrl }: Settings, log: Log): Promise<Spans | undefined> {
  if (otlpUrl === undefined) return undefined;
  const { createTraces } = await import('../outbound/traces.ts');
  return createTraces({ url: otlpUrl, version: VERSION, log });
}

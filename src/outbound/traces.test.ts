import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { receiveOtlp } from '../../test/kit/otlp.ts';
import { silentLog } from '../core/log.ts';
import type { SamplerName } from '../core/settings/index.ts';
import { createTraces } from './traces.ts';

/** Which of three requests are reported: one of no trace, and one each of callers that record theirs and that do not. */
async function reported(sampler: SamplerName, share: number): Promise<readonly string[]> {
  const receiver = await receiveOtlp();
  const traces = createTraces({ url: receiver.url, sampler, share, version: '1', log: silentLog });
  for (const [id, headers] of [
    ['own', {}],
    ['recorded', { traceparent: `00-${'4b'.repeat(16)}-${'0f'.repeat(8)}-01` }],
    ['unrecorded', { traceparent: `00-${'5c'.repeat(16)}-${'0f'.repeat(8)}-00` }],
  ] as const) {
    const run = traces.request({ service: 'grid', method: 'GET', route: '/', id, headers, kept: 'nothing' });
    run.end({ status: 200, durationMs: 1, facts: () => assert.fail('spans have none') });
  }
  await traces.close();
  await receiver.close();
  return receiver.spans.map(({ attributes }) => String(attributes['elnav.request_id'])).toSorted();
}

describe('the sampling of traces', () => {
  for (const [sampler, share, ids] of [
    ['parentbased_traceidratio', 1, ['own', 'recorded']],
    ['parentbased_traceidratio', 0, ['recorded']],
    ['parentbased_always_on', 0, ['own', 'recorded']],
    ['parentbased_always_off', 1, ['recorded']],
    ['traceidratio', 1, ['own', 'recorded', 'unrecorded']],
    ['traceidratio', 0, []],
    ['always_on', 0, ['own', 'recorded', 'unrecorded']],
    ['always_off', 1, []],
  ] as const)
    it(`the sampling of traces by ${sampler} with ${share} reports ${ids.join(', ') || 'nothing'}`, async () => {
      assert.deepEqual(await reported(sampler, share), ids);
    });
});

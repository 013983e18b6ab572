import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chimes } from '../../../test/kit/chimes.ts';
import { makeSimulatedVendor } from '../../../test/kit/simulated-vendor.ts';
import type { Adapter } from '../../adapter/adapter.ts';
import type { Stream } from '../../adapter/stream.ts';
import { conforms, type Finding } from './index.ts';

async function findingsOf(stream: Stream): Promise<Finding[]> {
  const adapter: Adapter = { ...chimes, stream };
  return conforms(adapter, await makeSimulatedVendor(adapter));
}

const faultsIn = (findings: readonly Finding[]) => findings.filter(({ fault }) => fault !== null);

const { run } = chimes.stream;

/** Each is broken in one way, and the check that is to say so. */
const BROKEN: Readonly<Record<string, readonly [Partial<Stream>, string]>> = {
  'a stream that never says that it is open': [
    { run: (session, devices) => run(session, devices, () => {}) },
    'stream: a change at the vendor is told',
  ],
  'a stream that tells nothing': [
    {
      run: (session, devices, opened) => run({ ...session, observed: () => {} }, devices, opened),
    },
    'stream: a change at the vendor is told',
  ],
  'a silence that is shorter than the heartbeat': [
    { silenceSeconds: 50 },
    'stream: it lives while nothing happens',
  ],
  'a stream that goes on when its connection is gone': [
    {
      run: (session, devices, opened) =>
        run(session, devices, opened).catch(() => new Promise<void>(() => {})),
    },
    'stream: a cut ends it, and it is opened again',
  ],
  'a failure that is told as another': [
    {
      run: (session, devices, opened) =>
        run(session, devices, opened).catch(() => {
          throw new Error('something');
        }),
    },
    'stream: rate_limited on opening',
  ],
  'a stream that says that it is open before it is': [
    {
      async run(session, devices, opened) {
        opened();
        await run(session, devices, opened);
      },
    },
    'stream: server_error on opening',
  ],
  'a stream that breaks over what it does not know': [
    {
      async run(session, _devices, opened) {
        const events = await session.events({ path: '/events' });
        opened();
        for await (const { data } of events) session.observed(JSON.parse(data).id.trim(), JSON.parse(data));
      },
    },
    'stream: what nobody knows does not end it',
  ],
};

describe('the conformance check of a stream', () => {
  it('the conformance check of a stream finds no fault with one that keeps the contract', async () => {
    const findings = await findingsOf(chimes.stream);
    const ofStream = findings.filter(({ check }) => check.startsWith('stream: '));
    assert.ok(ofStream.length >= 13, `only ${ofStream.length} checks of the stream`);
    assert.deepEqual(faultsIn(findings), []);
  });

  it('the conformance check of a stream takes single fields for a change as well as whole readings', async () => {
    const reporting: Stream['run'] = (session, devices, opened) => {
      const observed: typeof session.observed = (id, raw) =>
        session.reported(id, { state: { power_on: (raw as { on: boolean }).on } });
      return run({ ...session, observed }, devices, opened);
    };
    assert.deepEqual(faultsIn(await findingsOf({ ...chimes.stream, run: reporting })), []);
  });

  for (const [what, [changes, check]] of Object.entries(BROKEN))
    it(`the conformance check of a stream catches ${what}`, async () => {
      const faults = faultsIn(await findingsOf({ ...chimes.stream, ...changes }));
      assert.ok(
        faults.some((finding) => finding.check === check),
        JSON.stringify(faults),
      );
    });
});

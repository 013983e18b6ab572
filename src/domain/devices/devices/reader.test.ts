import assert from 'node:assert/strict';
import { it } from 'node:test';
import { testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import { type Adapter, type DeviceKind, kind } from '../../../adapter/adapter.ts';
import { unrecognized } from '../../../adapter/kit/index.ts';
import { createLog } from '../../../core/log.ts';
import type { CachedDevice } from './memory.ts';
import { createReader } from './reader.ts';

interface Lamp {
  readonly mode: string;
}

const lamp: DeviceKind<Lamp> = {
  read: async () => ({ mode: 'on' }),
  status: ({ mode }) => ({ online: true, power_on: mode === 'on' }),
  unrecognized: ({ mode }) => unrecognized({ mode: [mode, ['on', 'off']] }),
  reads: {},
  controls: {},
};
const adapter: Adapter = { ...testVendor({ slug: 'lamps' }).adapter, kinds: { light: kind(lamp) } };
const cached = (id: string) =>
  ({
    row: { vendor: 'lamps', type: 'light', id, capabilities: [] },
    seen: null,
    open: null,
    answer: null,
  }) as unknown as CachedDevice;

it('the reader logs a value that is not recognized once, whichever device reports it', () => {
  const lines: string[] = [];
  const reader = createReader({
    clock: { now: () => 0 } as never,
    calls: {} as never,
    log: createLog('info', { write: (line) => lines.push(line) }),
  });
  for (const id of ['lamp-1', 'lamp-2', 'lamp-1'])
    for (const mode of ['on', 'party', 'off', 'party'])
      assert.equal(reader.understand(adapter, cached(id), { mode }).state.online, true);
  reader.understand(adapter, cached('lamp-1'), { mode: 'night' });
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)).map(({ vendor, type, value }) => ({ vendor, type, value })),
    [
      { vendor: 'lamps', type: 'light', value: 'mode "party"' },
      { vendor: 'lamps', type: 'light', value: 'mode "night"' },
    ],
  );
});

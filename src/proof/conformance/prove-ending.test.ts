import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Type from 'typebox';
import { type Adapter, kind, type TimedHandler } from '../../adapter/adapter.ts';
import { type Session, WITHOUT_CALLS } from '../../adapter/session.ts';
import { type TurnedClock, turnedClock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { conforms, type Simulator } from './index.ts';

/** A charger that keeps time itself: `ends` is its own, not ours. */
interface Charger {
  amperes: number;
  ends: { readonly at: number; readonly follows: number } | null;
}

const OWN_A = 16;

interface World {
  readonly clock: TurnedClock;
  readonly charger: Charger;
  readonly simulator: Simulator;
  readonly adapter: (timed: TimedHandler<'set_current'>) => Adapter;
}

function world(): World {
  const clock = turnedClock();
  const charger: Charger = { amperes: OWN_A, ends: null };
  const nowA = () =>
    charger.ends !== null && clock.now() >= charger.ends.at ? charger.ends.follows : charger.amperes;
  const session = (): Session => ({
    account: 1,
    link: 'l',
    userRef: 'u',
    linkedAt: clock.now(),
    credentials: {},
    clock,
    log: silentLog,
    documents: { get: async () => undefined, put: async () => {}, remove: async () => {} },
    signal: new AbortController().signal,
    ...WITHOUT_CALLS,
  });
  return {
    clock,
    charger,
    simulator: {
      credentials: {},
      session,
      async arrange() {
        charger.amperes = OWN_A;
        charger.ends = null;
      },
      async pass(seconds) {
        clock.turn(seconds * 1000);
      },
    },
    adapter: (timed) => ({
      slug: 'chargers',
      name: 'Chargers',
      credentials: Type.Object({}, { additionalProperties: false }),
      pushes: false,
      pollSeconds: 0,
      link: async () => ({ vendorAccount: 'u', devices: [{ id: 'c', type: 'charger' }] }),
      kinds: {
        charger: kind<number>({
          read: async () => nowA(),
          status: () => ({ online: true, charging: true }),
          reads: { read_power: (amperes) => amperes * 690 },
          controls: {
            set_current: {
              set_current: async (_session, _device, { current_a }) => {
                charger.amperes = current_a;
                charger.ends = null;
              },
            },
          },
          timed: { set_current: timed },
        }),
      },
    }),
  };
}

async function faultOf(here: World, timed: TimedHandler<'set_current'>): Promise<string | null> {
  const findings = await conforms(here.adapter(timed), here.simulator);
  const finding = findings.find(({ check }) => check === 'c: set_current ends at the device');
  assert.ok(finding !== undefined, 'it was not looked at');
  return finding.fault;
}

describe('the proof that a limit ends at the device', () => {
  it('the proof that a limit ends at the device is given by a device that ends it', async () => {
    const here = world();
    const fault = await faultOf(here, async (_session, _device, { current_a, for_seconds }) => {
      here.charger.amperes = current_a;
      here.charger.ends = { at: here.clock.now() + for_seconds * 1000, follows: OWN_A };
    });
    assert.equal(fault, null);
  });

  it('the proof that a limit ends at the device catches a limit without an end', async () => {
    const here = world();
    const fault = await faultOf(here, async (_session, _device, { current_a }) => {
      here.charger.amperes = current_a;
    });
    assert.match(fault ?? '', /did not end at the device/);
  });

  it('the proof that a limit ends at the device catches an adapter that means to end it itself', async () => {
    const here = world();
    const fault = await faultOf(here, async ({ clock }, _device, { current_a, for_seconds }) => {
      here.charger.amperes = current_a;
      clock.after(for_seconds * 1000, () => {
        here.charger.amperes = OWN_A;
      });
    });
    assert.match(fault ?? '', /did not end at the device/);
  });

  it('the proof that a limit ends at the device catches a limit that ends at once', async () => {
    const here = world();
    const fault = await faultOf(here, async () => {});
    assert.match(fault ?? '', /did not hold for its time/);
  });

  it('the proof that a limit ends at the device catches a limit that ends by itself in any case', async () => {
    const here = world();
    const weary: Simulator = {
      ...here.simulator,
      async pass(seconds) {
        await here.simulator.pass(seconds);
        if (seconds > 100) here.charger.amperes = OWN_A;
      },
    };
    const fault = await faultOf({ ...here, simulator: weary }, async (_session, _device, { current_a }) => {
      here.charger.amperes = current_a;
    });
    assert.match(fault ?? '', /ended without being told to/);
  });

  it('the proof that a limit ends at the device catches a timed command that is no command of the kind', async () => {
    const here = world();
    const adapter = here.adapter(async () => {});
    const { charger } = adapter.kinds;
    assert.ok(charger !== undefined);
    const lone = { ...charger, timed: { set_limit: async () => {} } };
    const findings = await conforms({ ...adapter, kinds: { charger: lone } }, here.simulator);
    const faults = findings.filter(({ fault }) => fault?.includes('set_limit is no command of this kind'));
    assert.equal(faults.length, 1, JSON.stringify(findings));
  });
});

import assert from 'node:assert/strict';
import { duplexPair } from 'node:stream';
import { describe, it } from 'node:test';
import Type from 'typebox';
import { type Adapter, type Handler, kind } from '../../adapter/adapter.ts';
import type { SetPoint } from '../../adapter/commands.ts';
import { type Session, WITHOUT_CALLS } from '../../adapter/session.ts';
import { turnedClock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { conforms, type Simulator } from './index.ts';

const SUN_W = 700;
const REVERT_SECONDS = 90;

/** A battery that charges what the sun leaves over, unless a set-point is in force. */
function world() {
  const clock = turnedClock();
  const battery: { setPointW: number | null; endsAt: number } = {
    setPointW: null,
    endsAt: Number.POSITIVE_INFINITY,
  };
  const powerW = () => (clock.now() < battery.endsAt ? (battery.setPointW ?? SUN_W) : SUN_W);
  const set = (powerW: number | null, seconds = Number.POSITIVE_INFINITY) => {
    battery.setPointW = powerW;
    battery.endsAt = clock.now() + seconds * 1000;
  };
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
  const simulator: Simulator = {
    credentials: {},
    session,
    arrange: async (_device, situation) => set(situation === 'battery_idle' ? 0 : null),
    async pass(seconds) {
      clock.turn(seconds * 1000);
    },
    async dial() {
      const [near, far] = duplexPair();
      far.on('data', (chunk: Buffer) => {
        if (chunk.toString() === 'auto') set(null);
        if (chunk.toString() === 'nought') set(0);
        far.write('ok');
      });
      return near;
    },
  };
  const adapter = (setPoint: SetPoint, handler: Handler<'set_battery_power'>): Adapter => ({
    slug: 'batteries',
    name: 'Batteries',
    credentials: Type.Object({}, { additionalProperties: false }),
    pushes: false,
    pollSeconds: 0,
    link: async () => ({ vendorAccount: 'u', devices: [{ id: 'b', type: 'battery' }] }),
    kinds: {
      battery: kind<number>({
        read: async () => powerW(),
        status: (power) => ({ online: true, charging: power > 0 }),
        reads: { read_battery_soc: () => 50, read_power: (power) => power },
        controls: { set_battery_power: { set_battery_power: handler } },
        setPoints: { set_battery_power: setPoint },
      }),
    },
  });
  return { simulator, set, adapter };
}

type World = ReturnType<typeof world>;

const keeps =
  ({ set }: World): Handler<'set_battery_power'> =>
  async (_session, _device, { power_w }) =>
    set(power_w);
const reverts =
  ({ set }: World, seconds = REVERT_SECONDS): Handler<'set_battery_power'> =>
  async (_session, _device, { power_w }) =>
    set(power_w, seconds);
const release = ({ set }: World) => ({ release: async () => set(null) });
const script = (text: string, reply = 'ok') => ({
  ...{ host: 'battery', port: 502 },
  exchanges: [{ send: Buffer.from(text), reply: Buffer.from(reply) }],
});
const withBytes = (here: World, ...texts: readonly string[]): SetPoint => ({
  ...release(here),
  releaseBytes: async () => texts.map((text) => script(text)),
});

interface Broken {
  readonly setPoint: SetPoint;
  readonly handler: Handler<'set_battery_power'>;
}

async function faultsOf(here: World, { setPoint, handler }: Broken): Promise<string[]> {
  const findings = await conforms(here.adapter(setPoint, handler), here.simulator);
  assert.ok(
    findings.some(({ check }) => check === 'b: set_battery_power can be released'),
    'it was not looked at',
  );
  return findings.flatMap(({ check, fault }) => (fault === null ? [] : [`${check}: ${fault}`]));
}

/** What is wrong, and what the one finding about it says. */
const BROKEN: Readonly<Record<string, readonly [(here: World) => Broken, RegExp]>> = {
  'a release that does nothing': [
    (here) => ({ setPoint: { release: async () => {} }, handler: keeps(here) }),
    /can be released: does not run by itself after it was released/,
  ],
  'a release that only commands 0 W': [
    (here) => ({ setPoint: { release: async () => here.set(0) }, handler: keeps(here) }),
    /can be released: does not run by itself after it was released/,
  ],
  'a release that is left for later': [
    (here) => ({
      setPoint: { release: async ({ clock }) => void clock.after(1_000, () => here.set(null)) },
      handler: keeps(here),
    }),
    /can be released: does not run by itself after it was released/,
  ],
  'a release that minds being called again': [
    (here) => {
      let times = 0;
      const once = async () => {
        times += 1;
        if (times > 1) throw new Error('nothing to release');
        here.set(null);
      };
      return { setPoint: { release: once }, handler: keeps(here) };
    },
    /can be released: .*nothing to release/,
  ],
  'a time of the device that is not declared': [
    (here) => ({ setPoint: release(here), handler: reverts(here) }),
    /can be released: ended by itself, and no revertSeconds says so/,
  ],
  'bytes that only command 0 W': [
    (here) => ({ setPoint: withBytes(here, 'nought'), handler: keeps(here) }),
    /released by its bytes alone: does not run by itself after they were said/,
  ],
  'bytes that there are none of': [
    (here) => ({ setPoint: withBytes(here), handler: keeps(here) }),
    /released by its bytes alone: there are no bytes/,
  ],
  'bytes whose reply is another': [
    (here) => ({
      setPoint: { ...release(here), releaseBytes: async () => [script('auto', 'no')] },
      handler: keeps(here),
    }),
    /released by its bytes alone: the reply is another/,
  ],
  'bytes that are others each time': [
    (here) => {
      let times = 0;
      const releaseBytes = async () => {
        times += 1;
        return [script('auto'), script(`again ${times}`)];
      };
      return { setPoint: { ...release(here), releaseBytes }, handler: keeps(here) };
    },
    /released by its bytes alone: the same set-point gives other bytes each time/,
  ],
  'a declared time that is not sent': [
    (here) => ({ setPoint: { ...release(here), revertSeconds: REVERT_SECONDS }, handler: keeps(here) }),
    /reverts by itself: did not end by itself after 90 seconds/,
  ],
  'a declared time that is longer than the one that is sent': [
    (here) => ({
      setPoint: { ...release(here), revertSeconds: REVERT_SECONDS },
      handler: reverts(here, REVERT_SECONDS / 2),
    }),
    /reverts by itself: ended before its 90 seconds/,
  ],
};

describe('the proof that a set-point can be released', () => {
  it('the proof that a set-point can be released is given by a device that keeps it, and by one that ends it by itself', async () => {
    const keeping = world();
    assert.deepEqual(await faultsOf(keeping, { setPoint: release(keeping), handler: keeps(keeping) }), []);
    const behind = world();
    assert.deepEqual(
      await faultsOf(behind, { setPoint: withBytes(behind, 'auto'), handler: keeps(behind) }),
      [],
    );
    const reverting = world();
    const setPoint = { ...release(reverting), revertSeconds: () => REVERT_SECONDS };
    assert.deepEqual(await faultsOf(reverting, { setPoint, handler: reverts(reverting) }), []);
  });

  for (const [name, [broken, fault]] of Object.entries(BROKEN)) {
    it(`the proof that a set-point can be released catches ${name}`, async () => {
      const here = world();
      const faults = await faultsOf(here, broken(here));
      assert.equal(faults.length, 1, faults.join('\n'));
      assert.match(faults.join(), fault);
    });
  }

  it('the proof that a set-point can be released catches a set-point that is no command of the kind', async () => {
    const here = world();
    const adapter = here.adapter(release(here), keeps(here));
    const { battery } = adapter.kinds;
    assert.ok(battery !== undefined);
    const lone = { ...battery, setPoints: { set_limit: release(here) } };
    const findings = await conforms({ ...adapter, kinds: { battery: lone } }, here.simulator);
    const faults = findings.filter(({ fault }) => fault?.includes('set_limit is no command of this kind'));
    assert.equal(faults.length, 1, JSON.stringify(findings));
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Type from 'typebox';
import { type Adapter, type DeviceKind, kind, type Linked } from '../../adapter/adapter.ts';
import type { CredentialWords } from '../../adapter/login.ts';
import { type DeviceRef, type Session, WITHOUT_CALLS } from '../../adapter/session.ts';
import type { Situation } from '../../adapter/simulator.ts';
import { turnedClock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import { silentLog } from '../../core/log.ts';
import { conforms, type Simulator } from './index.ts';

/** The cloud of a vendor with one lamp. */
interface Lamp {
  online: boolean;
  on: boolean;
  dim: number;
}

interface Cloud {
  readonly lamp: Lamp;
  readonly simulator: Simulator;
}

const LAMP = 'lamp-1';

function cloud(): Cloud {
  const lamp: Lamp = { online: true, on: false, dim: 100 };
  const clock = turnedClock();
  const session = (): Session => ({
    account: 1,
    link: 'l',
    userRef: 'u',
    linkedAt: clock.now(),
    credentials: { user: 'u' },
    clock,
    log: silentLog,
    documents: { get: async () => undefined, put: async () => {}, remove: async () => {} },
    signal: new AbortController().signal,
    ...WITHOUT_CALLS,
  });
  return {
    lamp,
    simulator: {
      credentials: { user: 'u' },
      session,
      async arrange(_device: DeviceRef, situation: Situation) {
        lamp.on = situation !== 'off';
        lamp.dim = 100;
      },
      async pass(seconds: number) {
        clock.turn(seconds * 1000);
      },
    },
  };
}

/** An adapter as it should be, and what breaks it. */
interface Changes {
  readonly slug?: string;
  readonly credentials?: Adapter['credentials'];
  readonly words?: CredentialWords;
  readonly link?: () => Promise<Linked>;
  readonly kinds?: Adapter['kinds'];
  readonly light?: Partial<DeviceKind<Lamp>>;
}

function adapterOf({ lamp }: Cloud, changes: Changes = {}): Adapter {
  const light: DeviceKind<Lamp> = {
    read: async () => ({ ...lamp }),
    status: ({ online, on }) => ({ online, power_on: on }),
    reads: { read_power: ({ on, dim }) => (on ? dim / 10 : 0) },
    controls: {
      on_off: {
        turn_on: async () => {
          lamp.on = true;
        },
        turn_off: async () => {
          lamp.on = false;
        },
      },
      set_light: {
        set_light: async (_session, _device, { dim }) => {
          lamp.dim = dim ?? lamp.dim;
        },
      },
    },
    ...changes.light,
  };
  return {
    slug: changes.slug ?? 'lamps',
    name: 'Lamps',
    credentials:
      changes.credentials ??
      Type.Object({ user: Type.String({ maxLength: 9 }) }, { additionalProperties: false }),
    words: changes.words ?? { en: { user: { label: 'User' } }, sv: { user: { label: 'Användare' } } },
    pushes: false,
    pollSeconds: 0,
    link: changes.link ?? (async () => ({ vendorAccount: 'u', devices: [{ id: LAMP, type: 'light' }] })),
    kinds: { light: kind(light), ...changes.kinds },
  };
}

const nothing = async (): Promise<void> => {};
const refuse = async (): Promise<void> => {
  throw new AppError('vendor.refused', 'no');
};

/** Each is broken in one way, and the check that is to say so. */
const BROKEN: Readonly<Record<string, readonly [(here: Cloud) => Changes, RegExp]>> = {
  'a slug that is none': [() => ({ slug: 'Lamps!' }), /^slug$/],
  'credentials that take anything': [
    () => ({ credentials: Type.Object({ user: Type.String({ maxLength: 9 }) }) }),
    /unknown fields/,
  ],
  'credentials without an end': [
    () => ({ credentials: Type.Object({ user: Type.String() }, { additionalProperties: false }) }),
    /have an end/,
  ],
  'credentials that refuse the right ones': [
    () => ({
      credentials: Type.Object({ key: Type.String({ maxLength: 9 }) }, { additionalProperties: false }),
    }),
    /take those/,
  ],
  'another account at each link': [
    () => {
      let links = 0;
      return {
        link: async () => {
          links += 1;
          return { vendorAccount: `u${links}`, devices: [{ id: LAMP, type: 'light' }] };
        },
      };
    },
    /linking twice/,
  ],
  'other devices at each link': [
    () => {
      let links = 0;
      return {
        link: async () => {
          links += 1;
          return { vendorAccount: 'u', devices: [{ id: `lamp-${links}`, type: 'light' }] };
        },
      };
    },
    /linking twice/,
  ],
  'a field without words in Swedish': [
    () => ({ words: { en: { user: { label: 'User' } }, sv: {} } }),
    /asked for in Swedish and English/,
  ],
  'a kind that is never found': [
    (here) => ({ kinds: { heat_pump: adapterOf(here).kinds.light ?? kind({} as DeviceKind<Lamp>) } }),
    /heat_pump: linking finds one/,
  ],
  'a handler that does nothing': [
    () => ({ light: { controls: { on_off: { turn_on: nothing, turn_off: nothing } } } }),
    /turn_on does what it says/,
  ],
  'a handler that only throws': [
    () => ({ light: { controls: { set_light: { set_light: refuse } } } }),
    /set_light does what it says/,
  ],
  'handlers that are exchanged': [
    ({ lamp }) => ({
      light: {
        controls: {
          on_off: {
            turn_on: async () => {
              lamp.on = false;
            },
            turn_off: async () => {
              lamp.on = true;
            },
          },
        },
      },
    }),
    /turn_off does what it says/,
  ],
  'a capability that is another': [
    ({ lamp }) => ({
      light: {
        controls: {
          charge_control: {
            start_charge: async () => {
              lamp.on = true;
            },
            stop_charge: async () => {
              lamp.on = false;
            },
          },
        },
      },
    }),
    /start_charge does what it says/,
  ],
  'load balancing without limits': [
    () => ({ light: { controls: { load_balancing: { set_limit: nothing } } } }),
    /limits and capacity/,
  ],
  'a lamp that measures the house': [
    () => ({
      link: async () => ({
        vendorAccount: 'u',
        devices: [{ id: LAMP, type: 'light', measures: 'house' }],
      }),
    }),
    /light: only a meter measures a house/,
  ],
  'nothing that it can do, without a reason': [
    () => ({ light: { reads: {}, controls: {} } }),
    /has a capability, or says why/,
  ],
  'nothing that it can do or report': [
    () => ({
      light: {
        reads: {},
        controls: {},
        whyWithheld: () => 'the vendor has nothing that switches it',
        status: () => ({ online: true, power_on: null }),
      },
    }),
    /reports more than that it is online/,
  ],
  'a read that throws': [
    () => ({
      light: {
        read: async () => {
          throw new Error('gone');
        },
      },
    }),
    /can be read/,
  ],
  'a reading that is no number': [
    () => ({ light: { reads: { read_power: () => Number.NaN } } }),
    /can be read/,
  ],
  'a reading without end': [
    () => ({ light: { reads: { read_power: () => Number.POSITIVE_INFINITY } } }),
    /can be read/,
  ],
  'a reading that never comes': [
    () => ({ light: { reads: { read_energy: () => null } } }),
    /read_energy gives a number/,
  ],
  'a status that says more than there is': [
    () => ({ light: { status: () => ({ online: 'yes' }) as unknown as { online: boolean } } }),
    /can be read/,
  ],
  'a read that always says on': [
    () => ({ light: { status: () => ({ online: true, power_on: true }) } }),
    /turn_on does what it says/,
  ],
  'a power that no command changes': [
    () => ({ light: { reads: { read_power: () => 7 } } }),
    /set_light does what it says/,
  ],
  'a capability that every device lacks': [
    () => ({ light: { withholds: () => ['set_light'] as const } }),
    /set_light is offered/,
  ],
};

describe('the conformance check', () => {
  it('the conformance check finds no fault with an adapter that keeps the contract', async () => {
    const here = cloud();
    const findings = await conforms(adapterOf(here), here.simulator);
    assert.ok(findings.length >= 10, `only ${findings.length} checks`);
    assert.deepEqual(
      findings.filter(({ fault }) => fault !== null),
      [],
    );
  });

  it('the conformance check finds no fault with a device that only reports a state, where the adapter says why', async () => {
    const here = cloud();
    const light = { reads: {}, controls: {}, whyWithheld: () => 'the vendor has nothing that switches it' };
    const findings = await conforms(adapterOf(here, { light }), here.simulator);
    assert.deepEqual(
      findings.filter(({ fault }) => fault !== null),
      [],
    );
  });

  for (const [what, [changesOf, check]] of Object.entries(BROKEN)) {
    it(`the conformance check catches ${what}`, async () => {
      const here = cloud();
      const findings = await conforms(adapterOf(here, changesOf(here)), here.simulator);
      const faults = findings.filter(({ fault }) => fault !== null);
      assert.ok(
        faults.some((finding) => check.test(finding.check)),
        JSON.stringify(faults),
      );
    });
  }

  it('the conformance check catches a link that fails', async () => {
    const here = cloud();
    const broken = adapterOf(here, {
      link: async () => {
        throw new Error('gone');
      },
    });
    await assert.rejects(conforms(broken, here.simulator), /gone/);
  });

  it('the conformance check catches an effect that comes by itself', async () => {
    const here = cloud();
    const simulator: Simulator = {
      ...here.simulator,
      async pass() {
        here.lamp.on = !here.lamp.on;
      },
    };
    const findings = await conforms(adapterOf(here), simulator);
    const faults = findings.filter(({ fault }) => fault?.startsWith('came true without'));
    assert.ok(faults.length > 0, JSON.stringify(findings));
  });
});

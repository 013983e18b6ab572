import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openStream } from '../../../test/kit/vendor-stream.ts';
import type { Command } from '../../adapter/commands.ts';
import type { Session } from '../../adapter/session.ts';
import type { SimulatedFault, Situation } from '../../adapter/simulator.ts';

import type { Json } from '../../core/json.ts';
import { easee } from './index.ts';
import type { Deed } from './simulated-charger.ts';
import { type EaseeWorld, makeWorld, refTo } from './test-world.ts';

const current = (
  current_a: number,
  more: { for_seconds?: number; then_current_a?: number } = {},
): Command => ({
  type: 'set_current',
  current_a,
  ...more,
});
const START: Command = { type: 'start_charge' };
const STOP: Command = { type: 'stop_charge' };
/** The limit that the charger has now, regardless of who set it. */
const dynamicOf = (world: EaseeWorld, id = 'EH000001') => world.easee.charger(id).dynamicA;
const commandsIn = (world: EaseeWorld) =>
  world.asked.flatMap((call) => /^POST \/api\/(?:chargers|sites)\/.*\/(\w+)$/.exec(call)?.[1] ?? []);

/** What is done to a charger: a command of ours, of somebody else, or time that passes. */
type Step = Command | { readonly other: Deed } | { readonly seconds: number };

interface Scenario {
  readonly is: string;
  readonly id?: string;
  readonly from: Situation;
  readonly steps: readonly Step[];
  /** The calls of ours, and what comes of it: the limit in ampere, and whether it charges. */
  readonly calls: readonly string[];
  readonly limit?: number;
  readonly charging?: boolean;
}

const SET = 'set_dynamic_charger_current';
const PAUSE = 'pause_charging';
const RESUME = 'resume_charging';
const LIMITED_BY_OTHERS: Step = { other: { type: 'dynamic', amperes: 12, minutes: 0 } };
const PAUSED_BY_OTHERS: Step = { other: { type: 'pause' } };
const LATER = { seconds: 5 };

const SCENARIOS: readonly Scenario[] = [
  {
    is: 'keeps the limit over a pause, though Easee forgets it',
    from: 'charging',
    steps: [current(10), STOP, START],
    calls: [SET, PAUSE, RESUME, SET],
    limit: 10,
    charging: true,
  },
  {
    is: 'keeps a limit that somebody else has set',
    from: 'charging',
    steps: [LIMITED_BY_OTHERS, LATER, current(0), START],
    calls: [SET, RESUME, SET],
    limit: 12,
  },
  {
    is: 'keeps that over a stop as well',
    from: 'charging',
    steps: [LIMITED_BY_OTHERS, LATER, STOP, START],
    calls: [PAUSE, RESUME, SET],
    limit: 12,
  },
  {
    is: 'keeps its own over a pause of somebody else',
    from: 'charging',
    steps: [current(10), PAUSED_BY_OTHERS, LATER, START],
    calls: [SET, RESUME, SET],
    limit: 10,
  },
  {
    is: 'leaves what Easee resumes with where no limit is stored',
    from: 'plugged_in',
    steps: [START],
    calls: [RESUME],
    limit: 32,
    charging: true,
  },
  {
    is: 'authorizes where that is what the charger waits for, and has nothing to stop there',
    id: 'EC000004',
    from: 'plugged_in',
    steps: [STOP, START],
    calls: ['start_charging'],
    charging: true,
  },
  { is: 'stops nothing where no car is', from: 'off', steps: [STOP], calls: [] },
  { is: 'starts nothing that charges', from: 'charging', steps: [START], calls: [] },
  {
    is: 'sends the limit again after a resume that found nothing paused',
    from: 'off',
    steps: [current(11), START],
    calls: [SET, RESUME, SET],
    limit: 11,
  },
  {
    is: 'gives 7 A until the car charges, for with 6 A the charger waits five minutes',
    from: 'charging',
    steps: [current(6), STOP, START],
    calls: [SET, PAUSE, RESUME, SET, SET],
    limit: 6,
    charging: true,
  },
  {
    is: 'gives 7 A before it authorizes as well',
    id: 'EC000004',
    from: 'plugged_in',
    steps: [{ other: { type: 'dynamic', amperes: 6, minutes: 0 } }, LATER, START],
    calls: [SET, 'start_charging', SET],
    limit: 6,
    charging: true,
  },
  {
    is: 'ends a limit in the one from before',
    from: 'charging',
    steps: [current(12), current(8, { for_seconds: 60, then_current_a: 12 }), { seconds: 61 }],
    calls: [SET, SET],
    limit: 12,
  },
  {
    is: 'may pause for a time',
    from: 'charging',
    steps: [current(10), current(0, { for_seconds: 60 }), { seconds: 61 }],
    calls: [SET, SET],
    limit: 10,
    charging: true,
  },
];

describe('a charger', () => {
  for (const { is, id, from, steps, calls, limit, charging } of SCENARIOS)
    it(is, async () => {
      const world = await makeWorld();
      const ref = refTo(id);
      world.easee.arrange(ref, from);
      for (const step of steps) {
        if ('other' in step) world.easee.order(world.easee.charger(ref.id), step.other);
        else if ('seconds' in step) world.clock.turn(step.seconds * 1_000);
        else await world.send(ref, step);
      }
      assert.deepEqual(commandsIn(world), calls);
      if (limit !== undefined) assert.equal(dynamicOf(world, ref.id), limit);
      if (charging !== undefined) assert.equal((await world.state(ref)).charging, charging);
    });

  it('a charger keeps 7 A where the car takes longer than a command may', async () => {
    const world = await makeWorld();
    world.easee.arrange(refTo(), 'plugged_in');
    await world.session().documents.put('limit:EH000001', 6);
    world.easee.charger('EH000001').carDelayMs = 60_000;
    await world.send(refTo(), START);
    assert.equal(dynamicOf(world), 7);
    world.clock.turn(60_000);
    assert.equal((await world.state(refTo())).charging, true);
  });

  it('a charger is started when it was charging in its last report, long ago', async () => {
    const world = await makeWorld();
    world.easee.arrange(refTo(), 'charging');
    await world.state(refTo());
    world.easee.charger('EH000001').isSilent = true;
    await world.send(refTo(), START);
    assert.deepEqual(commandsIn(world), [], 'it may still charge');
    world.clock.turn(21 * 60_000);
    await world.send(refTo(), START);
    assert.equal(commandsIn(world)[0], 'resume_charging');
  });

  it('a charger that its owner has disabled is not started', async () => {
    const world = await makeWorld();
    world.easee.arrange(refTo(), 'plugged_in');
    world.easee.charger('EH000001').isEnabled = false;
    await assert.rejects(world.send(refTo(), START), {
      code: 'vendor.refused',
      message: 'charger EH000001 is disabled by its owner; it must be enabled in the Easee app first',
    });
    assert.deepEqual(commandsIn(world), []);
  });
});

describe('limits', () => {
  it('limits never touch what is in flash, set all phases of a circuit, and never end early', async () => {
    const world = await makeWorld();
    const bodies: Json[] = [];
    world.instead = ({ method, body }) => {
      if (method === 'POST') bodies.push(JSON.parse(Buffer.from(body).toString()));
      return undefined;
    };
    await world.send(refTo(), current(7));
    await world.send(refTo(), current(9, { for_seconds: 61 }));
    await world.send(refTo(), { type: 'set_limit', max_a: 9 });
    await world.send(refTo(), { type: 'set_limit', max_a: 8, for_seconds: 61 });
    assert.deepEqual(bodies, [
      { amps: 7, minutes: 0 },
      { amps: 9, minutes: 2 },
      { phase1: 9, phase2: 9, phase3: 9, timeToLive: 0 },
      { phase1: 8, phase2: 8, phase3: 8, timeToLive: 2 },
    ]);
  });

  it('limits are refused where Easee could not do what they say', async () => {
    const world = await makeWorld();
    const limit: Command = { type: 'set_limit', max_a: 9 };
    const timed = { ...limit, for_seconds: 60, then_a: 20 };
    const away = refTo('EC000005');
    const cases: readonly [ReturnType<typeof refTo>, Command, string][] = [
      [refTo(), current(8, { for_seconds: 60, then_current_a: 10 }), 'command.time_unsupported'],
      [refTo(), timed, 'command.time_unsupported'],
      [refTo('EH000001', {}), limit, 'vendor.refused'],
      [refTo(), { type: 'set_limit', max_w: 9 }, 'command.axis_unsupported'],
      ...[START, STOP, current(0), current(9, { for_seconds: 60 })].map(
        (one): [typeof away, Command, string] => [away, one, 'device.offline'],
      ),
    ];
    for (const [ref, command, code] of cases)
      await assert.rejects(world.send(ref, command), { code }, JSON.stringify(command));
    assert.deepEqual(commandsIn(world), [], 'before anything is sent');
    await assert.rejects(world.send(refTo('a/../b?c'), current(9)), { code: 'vendor.refused' });
  });
});

describe('the outcome of a command', () => {
  it('the outcome of a command is read from the charger where no stream is open', async () => {
    const world = await makeWorld();
    world.easee.arrange(refTo(), 'charging');
    await world.send(refTo(), current(8));
    assert.equal(world.asked.filter((call) => call.startsWith('GET')).length, 1);
    await world.send(refTo(), current(8));
    assert.match(world.asked.at(-1) ?? '', /^POST/, 'nothing to do, and so nothing to wait for');
  });

  it('the outcome of a command is unknown when the charger does not show it in time', async () => {
    for (const command of [current(8), STOP, { type: 'set_limit', max_a: 8 } as const]) {
      const world = await makeWorld();
      world.easee.arrange(refTo(), 'charging');
      const began = world.clock.now();
      world.easee.refuseNext();
      await assert.rejects(world.send(refTo(), command), { code: 'command.outcome_unknown' });
      assert.ok(world.clock.now() - began <= 10_000, 'and that is soon enough for the platform');
    }
  });

  /** A charger that charges, with a stream that reports what it says to commands. */
  async function streamed() {
    const world = await makeWorld();
    world.easee.arrange(refTo(), 'charging');
    const open = openStream(easee, world, { devices: [refTo()] });
    await open.settle();
    const { signals } = open;
    return {
      world,
      open,
      limit: (amperes: number) => world.send(refTo(), current(amperes), { ...world.session(), signals }),
    };
  }
  const refused = { code: 'vendor.refused', message: 'charger EH000001 refused the command (result 3)' };

  it('the outcome of a command is reported by the stream, also where only the number of the command names it', async () => {
    const { world, open, limit } = await streamed();
    await limit(8);
    assert.equal(dynamicOf(world), 8);
    for (const apart of [0n, -20_000_000n, 1n, 300_000_000n]) {
      world.easee.shiftTicks(apart);
      world.easee.refuseNext();
      const reads = world.asked.length;
      await assert.rejects(limit(9), refused, `${apart} ticks apart`);
      assert.equal(world.asked.length, reads + 1, 'a charger that refused is not read');
    }
    assert.equal(dynamicOf(world), 8);
    await open.close();
  });

  it('the outcome of a command is not what the charger said to a command before, or to one of another kind', async () => {
    const { world, open } = await streamed();
    const now = 621_355_968_000_000_000 + world.clock.now() * 10_000;
    const minute = 60 * 10_000_000;
    const others = [
      { id: 48, ticks: now - minute },
      { id: 22, ticks: now + minute },
    ];
    const signals: Session['signals'] = {
      async wait(name, ms) {
        const other = others.shift();
        if (other === undefined) return open.signals.wait(name, ms);
        return { serialNumber: 'EH000001', wasAccepted: false, resultCode: 3, ...other };
      },
    };
    await world.send(refTo(), current(9), { ...world.session(), signals });
    assert.deepEqual([others, dynamicOf(world)], [[], 9]);
    await open.close();
  });

  /** A session whose stream says this, and whose vendor fails as soon as it has taken a command. */
  function afterPost(world: EaseeWorld, response: unknown, fault: SimulatedFault | null): Session {
    const session = world.session();
    return {
      ...session,
      signals: { wait: async () => response },
      http: {
        ...session.http,
        async send(request) {
          const answer = await session.http.send(request);
          if (request.method === 'POST') world.easee.fault(fault);
          return answer;
        },
      },
    };
  }
  const accepted = { serialNumber: 'EH000001', id: 48, ticks: 1e18, wasAccepted: true, resultCode: 0 };

  it('the outcome of a command is what the charger said, though it does not show it or cannot be read', async () => {
    for (const fault of [null, 'rate_limited'] as const) {
      const world = await makeWorld();
      world.easee.refuseNext();
      await world.send(refTo(), current(9), afterPost(world, accepted, fault));
    }
  });

  it('the outcome of a command is not that of a read that fails after it was sent', async () => {
    for (const fault of ['rate_limited', 'server_error', 'login_lost', 'html'] as const) {
      const world = await makeWorld();
      const session = afterPost(world, undefined, fault);
      await assert.rejects(world.send(refTo(), current(9), session), { code: 'command.outcome_unknown' });
    }
  });

  it('the outcome of a command is given up with the platform', async () => {
    const world = await makeWorld();
    world.easee.arrange(refTo(), 'charging');
    world.easee.refuseNext();
    const command = assert.rejects(world.send(refTo(), current(8)), /gave up/);
    world.abort();
    await command;
  });
});

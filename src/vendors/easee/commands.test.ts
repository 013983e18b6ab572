import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { send } from '../../adapter/send.ts';
import type { Session } from '../../adapter/session.ts';
import type { SimulatedFault } from '../../adapter/simulator.ts';
import { charger, type EaseeWorld, makeWorld, openStream } from './test-world.ts';

/** Which dynamic limit the charger has now, ampere. */
const dynamicOf = (world: EaseeWorld, id: string) =>
  world.easee
    .charger(id)
    .observe()
    .find((one) => one.id === 48)?.value;

const commandsIn = (world: EaseeWorld) =>
  world.asked.filter((call) => /^POST \/api\/(chargers|sites)/.test(call));

describe('starting and stopping', () => {
  it('keeps the limit over a pause, though Easee forgets it', async () => {
    const world = await makeWorld();
    const ref = world.ref('EH000001');
    world.easee.arrange(ref, 'charging');
    await world.command(ref, { type: 'set_current', current_a: 10 });
    await world.command(ref, { type: 'stop_charge' });
    assert.equal(dynamicOf(world, 'EH000001'), 0);
    await world.command(ref, { type: 'start_charge' });
    assert.equal(dynamicOf(world, 'EH000001'), 10);
    assert.deepEqual(
      commandsIn(world).map((call) => call.split('/').at(-1)),
      ['set_dynamic_charger_current', 'pause_charging', 'resume_charging', 'set_dynamic_charger_current'],
    );
    const state = await world.state(ref);
    assert.deepEqual([state.charging, state.power_w], [true, 6_900]);
  });

  it('keeps a limit that somebody else has set', async () => {
    const world = await makeWorld();
    const ref = world.ref('EH000001');
    world.easee.arrange(ref, 'charging');
    world.easee.charger('EH000001').order({ type: 'dynamic', amperes: 12, minutes: 0 }, 1n);
    world.clock.turn(5_000);
    await world.command(ref, { type: 'set_current', current_a: 0 });
    await world.command(ref, { type: 'start_charge' });
    assert.equal(dynamicOf(world, 'EH000001'), 12);
  });

  it('keeps its own over a pause of somebody else', async () => {
    const world = await makeWorld();
    const ref = world.ref('EH000001');
    world.easee.arrange(ref, 'charging');
    await world.command(ref, { type: 'set_current', current_a: 10 });
    world.easee.charger('EH000001').order({ type: 'pause' }, 1n);
    world.clock.turn(5_000);
    await world.command(ref, { type: 'start_charge' });
    assert.equal(dynamicOf(world, 'EH000001'), 10);
  });

  it('leaves what Easee resumes with where no limit is known', async () => {
    const world = await makeWorld();
    const ref = world.ref('EH000001');
    world.easee.arrange(ref, 'plugged_in');
    await world.command(ref, { type: 'start_charge' });
    assert.equal(dynamicOf(world, 'EH000001'), 32);
    assert.equal(commandsIn(world).length, 1);
  });

  it('authorizes where that is what the charger waits for', async () => {
    const world = await makeWorld();
    const ref = world.ref('EC000004');
    world.easee.arrange(ref, 'plugged_in');
    assert.equal((await world.state(ref)).operation_state, 'awaiting_authorization');
    await world.command(ref, { type: 'stop_charge' });
    assert.deepEqual(commandsIn(world), [], 'nothing charges that could be stopped');
    await world.command(ref, { type: 'start_charge' });
    assert.deepEqual(commandsIn(world), ['POST /api/chargers/EC000004/commands/start_charging']);
    assert.equal((await world.state(ref)).charging, true);
  });

  it('does nothing where there is nothing to do', async () => {
    const world = await makeWorld();
    const ref = world.ref('EH000001');
    await world.command(ref, { type: 'stop_charge' });
    world.easee.arrange(ref, 'charging');
    await world.command(ref, { type: 'start_charge' });
    assert.deepEqual(commandsIn(world), []);
    await world.command(ref, { type: 'set_current', current_a: 32 });
    assert.equal(
      world.asked.at(-1),
      'POST /api/chargers/EH000001/commands/set_dynamic_charger_current',
      'and reads nothing after it',
    );
  });

  it('sends the limit again after a resume that found nothing paused', async () => {
    const world = await makeWorld();
    const ref = world.ref('EH000001');
    await world.command(ref, { type: 'set_current', current_a: 11 });
    await world.command(ref, { type: 'start_charge' });
    assert.equal(dynamicOf(world, 'EH000001'), 11);
  });
});

describe('a start', () => {
  it('is sent to a charger that was charging when it last reported, long ago', async () => {
    const world = await makeWorld();
    const ref = world.ref('EH000001');
    world.easee.arrange(ref, 'charging');
    world.easee.charger('EH000001').fallSilent();
    await world.command(ref, { type: 'start_charge' });
    assert.deepEqual(commandsIn(world), [], 'it may still charge');
    world.clock.turn(21 * 60_000);
    await world.command(ref, { type: 'start_charge' });
    assert.match(commandsIn(world)[0] ?? '', /resume_charging$/);
  });

  const orders = (world: EaseeWorld) => commandsIn(world).map((call) => call.split('/').at(-1));

  it('is refused for a charger that its owner has disabled', async () => {
    const world = await makeWorld();
    const ref = world.ref('EH000001');
    world.easee.arrange(ref, 'plugged_in');
    world.easee.charger('EH000001').setEnabled(false);
    await assert.rejects(world.command(ref, { type: 'start_charge' }), {
      code: 'vendor.refused',
      message: 'charger EH000001 is disabled by its owner; it must be enabled in the Easee app first',
    });
    assert.deepEqual(commandsIn(world), []);
  });

  it('gives 7 A until the car charges, for with 6 A the charger waits five minutes', async () => {
    const world = await makeWorld();
    const ref = world.ref('EH000001');
    world.easee.arrange(ref, 'charging');
    await world.command(ref, { type: 'set_current', current_a: 6 });
    await world.command(ref, { type: 'stop_charge' });
    await world.command(ref, { type: 'start_charge' });
    assert.deepEqual(orders(world).slice(2), [
      'resume_charging',
      'set_dynamic_charger_current',
      'set_dynamic_charger_current',
    ]);
    const state = await world.state(ref);
    assert.deepEqual([state.charging, dynamicOf(world, 'EH000001')], [true, 6]);
  });

  it('leaves 7 A where the car takes longer than a command may', async () => {
    const world = await makeWorld();
    const ref = world.ref('EH000001');
    world.easee.arrange(ref, 'plugged_in');
    await world.session().documents.put('limit:EH000001', 6);
    world.easee.charger('EH000001').delayCar(60);
    await world.command(ref, { type: 'start_charge' });
    assert.equal(dynamicOf(world, 'EH000001'), 7);
    world.clock.turn(60_000);
    assert.equal((await world.state(ref)).charging, true);
  });

  it('gives 7 A before it authorizes as well', async () => {
    const world = await makeWorld();
    const ref = world.ref('EC000004');
    world.easee.arrange(ref, 'plugged_in');
    world.easee.charger('EC000004').order({ type: 'dynamic', amperes: 6, minutes: 0 }, 1n);
    world.clock.turn(5_000);
    await world.command(ref, { type: 'start_charge' });
    assert.deepEqual(orders(world), [
      'set_dynamic_charger_current',
      'start_charging',
      'set_dynamic_charger_current',
    ]);
    assert.deepEqual([(await world.state(ref)).charging, dynamicOf(world, 'EC000004')], [true, 6]);
  });
});

describe('limits', () => {
  it('never touch what is in flash, and set all three phases of a circuit together', async () => {
    const world = await makeWorld();
    const ref = world.ref('EH000001');
    const bodies: unknown[] = [];
    const session = world.session();
    const listening: Session = {
      ...session,
      http: {
        send: (request) => {
          if (request.method === 'POST') bodies.push(request.json);
          return session.http.send(request);
        },
      },
    };
    await send(charger, listening, ref, { type: 'set_current', current_a: 7 });
    await send(charger, listening, ref, { type: 'set_current', current_a: 9, for_seconds: 61 });
    await send(charger, listening, ref, { type: 'set_limit', max_a: 9 });
    await send(charger, listening, ref, { type: 'set_limit', max_a: 8, for_seconds: 61 });
    assert.deepEqual(bodies, [
      { amps: 7, minutes: 0 },
      // Never shorter than asked for.
      { amps: 9, minutes: 2 },
      { phase1: 9, phase2: 9, phase3: 9, timeToLive: 0 },
      { phase1: 8, phase2: 8, phase3: 8, timeToLive: 2 },
    ]);
  });

  it('of a charger end in the one from before, and in no other', async () => {
    const world = await makeWorld();
    const ref = world.ref('EH000001');
    world.easee.arrange(ref, 'charging');
    await world.command(ref, { type: 'set_current', current_a: 12 });
    const limit = { type: 'set_current', current_a: 8, for_seconds: 60 } as const;
    await assert.rejects(world.command(ref, { ...limit, then_current_a: 10 }), {
      code: 'command.time_unsupported',
      message: /goes back to the limit from before \(12 A\), and to no other/,
    });
    await world.command(ref, { ...limit, then_current_a: 12 });
    assert.equal(dynamicOf(world, 'EH000001'), 8);
    world.clock.turn(61_000);
    assert.equal(dynamicOf(world, 'EH000001'), 12);
  });

  it('of a charger may be a pause that ends', async () => {
    const world = await makeWorld();
    const ref = world.ref('EH000001');
    world.easee.arrange(ref, 'charging');
    await world.command(ref, { type: 'set_current', current_a: 10 });
    await world.command(ref, { type: 'set_current', current_a: 0, for_seconds: 60 });
    assert.equal((await world.state(ref)).charging, false);
    world.clock.turn(61_000);
    assert.deepEqual([(await world.state(ref)).charging, dynamicOf(world, 'EH000001')], [true, 10]);
  });

  it('of a circuit end in what its installer set, and in no other', async () => {
    const world = await makeWorld();
    const limit = { type: 'set_limit', max_a: 9, for_seconds: 60, then_a: 20 } as const;
    await assert.rejects(world.command(world.ref('EH000001'), limit), { code: 'command.time_unsupported' });
    assert.deepEqual(commandsIn(world), []);
  });

  it('are refused where the circuit is not known, or the axis is not ampere', async () => {
    const world = await makeWorld();
    await assert.rejects(world.command(world.ref('EH000001', {}), { type: 'set_limit', max_a: 9 }), {
      code: 'vendor.refused',
    });
    await assert.rejects(world.command(world.ref('EH000001'), { type: 'set_limit', max_w: 9 }), {
      code: 'command.axis_unsupported',
    });
    const elsewhere = world.ref('EH000001', { site: 70_000, circuit: 80_000 });
    await assert.rejects(world.command(elsewhere, { type: 'set_limit', max_a: 9 }), {
      code: 'vendor.refused',
    });
  });

  it('are refused for a charger that is away, or is not known at all', async () => {
    const world = await makeWorld();
    const away = world.ref('EC000005');
    for (const command of [
      { type: 'start_charge' },
      { type: 'stop_charge' },
      { type: 'set_current', current_a: 0 },
      { type: 'set_current', current_a: 9, for_seconds: 60 },
    ] as const)
      await assert.rejects(world.command(away, command), { code: 'device.offline' });
    await assert.rejects(world.command(away, { type: 'set_current', current_a: 9 }), {
      code: 'command.outcome_unknown',
    });
    await assert.rejects(world.command(world.ref('a/../b?c'), { type: 'set_current', current_a: 9 }), {
      code: 'vendor.refused',
    });
  });
});

describe('the outcome of a command', () => {
  it('is read from the charger where no stream is open', async () => {
    const world = await makeWorld();
    const ref = world.ref('EH000001');
    world.easee.arrange(ref, 'charging');
    await world.command(ref, { type: 'set_current', current_a: 8 });
    const reads = world.asked.filter((call) => call.startsWith('GET'));
    assert.equal(reads.length, 1);
  });

  it('is unknown when the charger does not show it in time', async () => {
    const world = await makeWorld();
    const ref = world.ref('EH000001');
    world.easee.arrange(ref, 'charging');
    for (const command of [
      { type: 'set_current', current_a: 8 },
      { type: 'stop_charge' },
      { type: 'set_limit', max_a: 8 },
    ] as const) {
      const began = world.clock.now();
      world.easee.refuseNext();
      await assert.rejects(world.command(ref, command), { code: 'command.outcome_unknown' });
      assert.ok(world.clock.now() - began <= 10_000, 'and that is soon enough for the platform');
    }
    world.easee.arrange(ref, 'plugged_in');
    world.easee.refuseNext();
    await assert.rejects(world.command(ref, { type: 'start_charge' }), { code: 'command.outcome_unknown' });
  });

  /** A charger that charges, with a stream that reports what it says to commands. */
  async function streamed() {
    const world = await makeWorld();
    const ref = world.ref('EH000001');
    world.easee.arrange(ref, 'charging');
    const open = openStream(world, [ref]);
    await open.settle();
    const limit = (amperes: number) =>
      send(charger, { ...world.session(), signals: open.signals }, ref, {
        type: 'set_current',
        current_a: amperes,
      });
    const close = async () => {
      open.abort();
      await open.run;
    };
    return { world, open, limit, close };
  }
  const refused = {
    code: 'vendor.refused',
    message: 'charger EH000001 refused the command (result 3)',
  };

  it('is reported by the stream', async () => {
    const { world, limit, close } = await streamed();
    await limit(8);
    assert.equal(dynamicOf(world, 'EH000001'), 8);
    world.easee.refuseNext();
    const reads = world.asked.length;
    await assert.rejects(limit(9), refused);
    assert.equal(world.asked.length, reads + 1, 'a charger that refused is not read');
    assert.equal(dynamicOf(world, 'EH000001'), 8);
    await close();
  });

  it('is found by the number of the command where the ticks differ', async () => {
    const { world, limit, close } = await streamed();
    for (const apart of [-20_000_000n, 1n, 300_000_000n]) {
      world.easee.shiftTicks(apart);
      world.easee.refuseNext();
      await assert.rejects(limit(9), refused, `${apart} ticks apart`);
    }
    await close();
  });

  it('is not what the charger said to a command before, or to one of another kind', async () => {
    const { world, open, close } = await streamed();
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
    const session = { ...world.session(), signals };
    await send(charger, session, world.ref('EH000001'), { type: 'set_current', current_a: 9 });
    assert.deepEqual([others, dynamicOf(world, 'EH000001')], [[], 9]);
    await close();
  });

  it('is what the charger said, though it does not show it or cannot be read', async () => {
    const accepts: Session['signals'] = {
      wait: async () => ({ serialNumber: 'EH000001', id: 48, ticks: 1e18, wasAccepted: true, resultCode: 0 }),
    };
    for (const fault of [null, 'rate_limited'] as const) {
      const world = await makeWorld();
      const ref = world.ref('EH000001');
      world.easee.refuseNext();
      const command = send(charger, afterPost(world, accepts, fault), ref, {
        type: 'set_current',
        current_a: 9,
      });
      await assert.doesNotReject(command);
    }
  });

  it('is not that of a read that fails after it was sent', async () => {
    const nothing: Session['signals'] = { wait: async () => undefined };
    for (const fault of ['rate_limited', 'server_error', 'login_lost', 'html'] as const) {
      const world = await makeWorld();
      const session = afterPost(world, nothing, fault);
      const command = send(charger, session, world.ref('EH000001'), { type: 'set_current', current_a: 9 });
      await assert.rejects(command, { code: 'command.outcome_unknown' });
    }
  });

  it('is given up with the platform', async () => {
    const world = await makeWorld();
    const ref = world.ref('EH000001');
    world.easee.arrange(ref, 'charging');
    world.easee.refuseNext();
    const command = assert.rejects(world.command(ref, { type: 'set_current', current_a: 8 }), /gave up/);
    world.abort();
    await command;
  });
});

/** A session in which the vendor fails as soon as it has taken a command. */
function afterPost(world: EaseeWorld, signals: Session['signals'], fault: SimulatedFault | null): Session {
  const session = world.session();
  return {
    ...session,
    signals,
    http: {
      async send(request) {
        const answer = await session.http.send(request);
        if (request.method === 'POST') world.easee.fault(fault);
        return answer;
      },
    },
  };
}

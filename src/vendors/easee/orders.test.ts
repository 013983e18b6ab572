import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { send } from '../../adapter/send.ts';
import type { Session } from '../../adapter/session.ts';
import type { SimulatedFault } from '../../adapter/simulator.ts';
import { easee } from './index.ts';
import { type EaseeWorld, makeWorld, openStream } from './test-world.ts';

const { charger } = easee.kinds;

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
      ['settings', 'pause_charging', 'resume_charging', 'settings'],
    );
    const state = await world.state(ref);
    assert.deepEqual([state.charging, state.power_w], [true, 6_900]);
  });

  it('keeps a limit that somebody else has set', async () => {
    const world = await makeWorld();
    const ref = world.ref('EH000001');
    world.easee.arrange(ref, 'charging');
    world.easee.charger('EH000001').order({ type: 'dynamic', amperes: 12 }, '1');
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
    world.easee.charger('EH000001').order({ type: 'pause' }, '1');
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
    assert.equal(world.asked.at(-1), 'POST /api/chargers/EH000001/settings', 'and reads nothing after it');
  });

  it('sends the limit again after a resume that found nothing paused', async () => {
    const world = await makeWorld();
    const ref = world.ref('EH000001');
    await world.command(ref, { type: 'set_current', current_a: 11 });
    await world.command(ref, { type: 'start_charge' });
    assert.equal(dynamicOf(world, 'EH000001'), 11);
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
    await send(charger, listening, ref, { type: 'set_limit', max_a: 9 });
    await send(charger, listening, ref, { type: 'set_limit', max_a: 8, for_seconds: 61, then_a: 20 });
    assert.deepEqual(bodies, [
      { dynamicChargerCurrent: 7 },
      { phase1: 9, phase2: 9, phase3: 9, timeToLive: 0 },
      // Never shorter than asked for.
      { phase1: 8, phase2: 8, phase3: 8, timeToLive: 2 },
    ]);
  });

  it('end in the limit of the circuit alone', async () => {
    const world = await makeWorld();
    const limit = { type: 'set_limit', max_a: 9, for_seconds: 60, then_a: 10 } as const;
    await assert.rejects(world.command(world.ref('EH000001'), limit), {
      code: 'command.time_unsupported',
      message: /can only return to the limit of the circuit \(20 A\)/,
    });
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

  it('is told by the stream', async () => {
    const world = await makeWorld();
    const ref = world.ref('EH000001');
    world.easee.arrange(ref, 'charging');
    const open = openStream(world, [ref]);
    await open.settle();
    const hearing = { ...world.session(), signals: open.signals };
    await send(charger, hearing, ref, { type: 'set_current', current_a: 8 });
    assert.equal(dynamicOf(world, 'EH000001'), 8);
    world.easee.refuseNext();
    const reads = world.asked.length;
    await assert.rejects(send(charger, hearing, ref, { type: 'set_current', current_a: 9 }), {
      code: 'vendor.refused',
      message: 'charger EH000001 refused the command (result 3)',
    });
    assert.equal(world.asked.length, reads + 1, 'a charger that refused is not read');
    assert.equal(dynamicOf(world, 'EH000001'), 8);
    open.abort();
    await open.run;
  });

  it('is what the charger said, though it does not show it or cannot be read', async () => {
    const accepts: Session['signals'] = { wait: async () => ({ wasAccepted: true, resultCode: 0 }) };
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

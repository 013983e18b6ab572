import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import type { SimulatedFault } from '../../adapter/simulator.ts';
import { AppError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { easee } from './index.ts';
import { makeWorld } from './test-world.ts';

const PASSWORD = 'simulated-password';

describe('linking an Easee account', () => {
  const accounts = async (username: string) => {
    const world = await makeWorld();
    const credentials = { username, password: PASSWORD };
    const { clock } = world;
    world.tokens = await easee.login.signIn({ clock, partner: undefined, http: plain(world) }, credentials);
    return easee.link({ ...world.session(), credentials });
  };

  it('finds the chargers with their places', async () => {
    const { vendorAccount, devices } = await accounts('home@easee.simulated');
    assert.equal(vendorAccount, 'home@easee.simulated');
    assert.deepEqual(
      devices.map(({ id, details }) => [id, details?.rated_a, details?.alone]),
      [
        ['EH000001', 20, true],
        ['EH000002', 32, false],
        ['EH000003', 32, false],
        ['EC000004', 25, true],
        ['EC000005', 16, true],
      ],
    );
  });

  it('finds none, and 500 with one call', async () => {
    assert.deepEqual((await accounts('empty@easee.simulated')).devices, []);
    assert.equal((await accounts('+4790000003')).devices.length, 500);
  });

  it('understands the recorded answer, and leaves out what has no usable id', async () => {
    const world = await makeWorld();
    const told = JSON.parse(readFileSync(new URL('recorded/products.json', import.meta.url), 'utf8')) as Json;
    const strange = { id: 1, circuits: [{ id: 2, chargers: [{ id: '../etc' }, { name: 'x' }, null, 5] }] };
    const linkTo = (json: Json) =>
      easee.link({
        ...world.session(),
        http: {
          send: async () => ({
            status: 200,
            headers: {},
            bytes: new Uint8Array(),
            text: () => '',
            json: () => json,
          }),
        },
      });
    const { devices } = await linkTo([...(told as Json[]), strange]);
    assert.deepEqual(devices, [
      {
        id: 'EH100001',
        type: 'charger',
        name: 'Garage',
        details: { site: 55001, circuit: 66001, rated_a: 16, alone: true },
      },
      {
        id: 'EH100002',
        type: 'charger',
        details: { site: 55001, circuit: 66002, rated_a: 32, alone: false },
      },
      {
        id: 'EH100003',
        type: 'charger',
        name: 'Right',
        details: { site: 55001, circuit: 66002, rated_a: 32, alone: false },
      },
    ]);
    for (const wrong of [null, {}, [{ id: 'x' }], [{ id: 1, circuits: 5 }]])
      await assert.rejects(linkTo(wrong), { code: 'vendor.answer_invalid' });
  });

  it('offers load balancing where the charger is alone on its circuit', () => {
    const { withholds } = easee.kinds.charger;
    const of = (details: object) => withholds?.({ id: 'x', type: 'charger', ...details });
    assert.deepEqual(of({ details: { alone: true } }), []);
    assert.deepEqual(of({ details: { alone: false } }), ['load_balancing']);
    assert.deepEqual(of({}), ['load_balancing']);
  });
});

function plain(world: Awaited<ReturnType<typeof makeWorld>>) {
  return {
    send: async ({ path, json }: { path: string; json?: Json }) => {
      const answer = await world.easee.handle({
        method: 'POST',
        path,
        query: new URLSearchParams(),
        headers: {},
        body: Buffer.from(JSON.stringify(json)),
      });
      return {
        status: answer.status,
        headers: {},
        bytes: new Uint8Array(),
        text: () => '',
        json: () => answer.json ?? null,
      };
    },
  };
}

describe('an Easee that is in trouble', () => {
  const CODES: { readonly [F in SimulatedFault]?: readonly [string, number | undefined] } = {
    reset: ['vendor.unreachable', undefined],
    truncated: ['vendor.answer_invalid', undefined],
    html: ['vendor.answer_invalid', undefined],
    server_error: ['vendor.unreachable', undefined],
    rate_limited: ['vendor.rate_limited', 42],
    rate_limited_without_delay: ['vendor.rate_limited', undefined],
    login_lost: ['vendor.login_expired', undefined],
  };

  for (const [fault, [code, retryAfterSeconds]] of Object.entries(CODES))
    it(`answers ${fault} with ${code}, and recovers`, async () => {
      const world = await makeWorld();
      const ref = world.ref('EH000001');
      const secrets = [PASSWORD, world.tokens?.access ?? '-', world.tokens?.refresh ?? '-', '"observations"'];
      world.easee.arrange(ref, 'charging');
      world.easee.fault(fault as SimulatedFault);
      const calls = [
        () => world.state(ref),
        () => easee.link(world.session()),
        () => world.command(ref, { type: 'stop_charge' }),
        () => world.command(ref, { type: 'set_current', current_a: 9 }),
        () => world.command(ref, { type: 'set_limit', max_a: 9 }),
      ];
      for (const call of calls) {
        const error = await call().then(
          () => assert.fail('it succeeded'),
          (thrown: unknown) => thrown,
        );
        assert.ok(error instanceof AppError, inspect(error));
        assert.deepEqual([error.code, error.retryAfterSeconds], [code, retryAfterSeconds]);
        const shown = `${inspect(error, { depth: 9, showHidden: true })} ${JSON.stringify(error)}`;
        for (const secret of secrets) assert.ok(!shown.includes(secret), `${secret} in ${shown}`);
      }
      world.easee.fault(null);
      if (fault === 'login_lost') await world.signIn();
      assert.equal((await world.state(ref)).charging, true);
    });

  it('hangs until the platform gives up', async () => {
    const world = await makeWorld();
    world.easee.fault('hang');
    const reading = assert.rejects(world.state(world.ref('EH000001')), { code: 'vendor.timeout' });
    await new Promise((resolve) => setImmediate(resolve));
    world.abort();
    await reading;
  });

  it('may say new things', async () => {
    const world = await makeWorld();
    world.easee.fault('unknown_values');
    const ref = world.ref('EH000001');
    const state = await world.state(ref);
    assert.deepEqual(
      [state.online, state.operation_state, state.charging, state.connected, state.power_w],
      [true, 'mode 42', null, null, 0],
    );
    assert.equal((await easee.link(world.session())).devices.length, 5);
  });

  it('does not know a charger any more', async () => {
    const world = await makeWorld();
    const ref = world.ref('EH000001');
    await world.state(ref);
    world.easee.remove({ id: 'EH000001', details: {} });
    const gone = {
      code: 'vendor.refused',
      message: 'Easee does not know charger EH000001; link the account again if it moved',
    };
    await assert.rejects(world.state(ref), gone);
    await assert.rejects(world.command(ref, { type: 'start_charge' }), gone);
    await assert.rejects(world.command(ref, { type: 'set_current', current_a: 9 }), gone);
    await assert.rejects(world.state(world.ref('a/../b?c')), { code: 'vendor.refused' });
  });

  it('limits reads, with the seconds until there are more', async () => {
    const world = await makeWorld();
    const ref = world.ref('EH000001');
    for (let call = 0; call < 100; call += 1) await world.state(ref);
    world.clock.turn(100_000);
    await assert.rejects(world.state(ref), { code: 'vendor.rate_limited', retryAfterSeconds: 200 });
    world.clock.turn(200_000);
    assert.equal((await world.state(ref)).online, true);
  });

  it('may have a clock of its own', async () => {
    const world = await makeWorld();
    const ref = world.ref('EH000001');
    const raw = await easee.kinds.charger.read(world.session(), ref);
    assert.equal(easee.kinds.charger.observedAt?.(raw), world.clock.now());
  });
});

describe('a charger that is away', () => {
  it('is offline with what does not pass, and takes no command', async () => {
    const world = await makeWorld();
    const ref = world.ref('EC000005');
    const state = await world.state(ref);
    assert.deepEqual(state, {
      online: false,
      connected: null,
      charging: null,
      operation_state: 'offline',
      power_w: null,
      energy_wh: 1_234_567,
    });
    for (const type of ['start_charge', 'stop_charge'] as const)
      await assert.rejects(world.command(ref, { type }), { code: 'device.offline' });
    await assert.rejects(world.command(ref, { type: 'set_current', current_a: 0 }), {
      code: 'device.offline',
    });
    await assert.rejects(world.command(ref, { type: 'set_current', current_a: 9 }), {
      code: 'command.outcome_unknown',
    });
  });
});

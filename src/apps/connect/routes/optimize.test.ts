import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Caller, makeWorld, type World } from '../../../../test/kit/world.ts';

const TASK = {
  current_soc: 20,
  target_soc: 80,
  capacity_wh: 77_000,
  max_power_w: 11_040,
  min_power_w: 4_140,
  deadline_slot_index: 1_000_000,
};
const quarters = (count: number, minutes: (slot: number) => number = () => 15) =>
  Array.from({ length: count }, (_, slot) => ({
    duration_min: minutes(slot),
    price: ((slot * 7_919) % 9_973) / 1_000,
  }));

interface PlanBody {
  readonly slots: readonly { readonly power_w: number }[];
  readonly total_energy_wh: number;
  readonly optimality: string;
  readonly error: string;
}

describe('POST /optimize/plan', () => {
  let world: World;
  let caller: Caller;
  before(async () => {
    world = await makeWorld({ engine: 'sqlite' });
    // No scope is needed.
    caller = await world.newAccount('devices:read');
  });
  after(() => world.close());

  const post = async (body: unknown) => {
    const answer = await caller.call('POST', '/optimize/plan', body);
    return { status: answer.status, body: answer.body as PlanBody, headers: answer.headers };
  };

  it('POST /optimize/plan answers a day', async () => {
    const { status, body, headers } = await post({ prices: quarters(96), task: TASK });
    assert.equal(status, 200);
    assert.equal(body.total_energy_wh, 46_200);
    assert.equal(body.slots.length, 96);
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
  });

  it('POST /optimize/plan answers a body too large for the loop as it answers a small one', async () => {
    const prices = quarters(5_000);
    const small = await post({ prices: prices.slice(0, 96), task: TASK });
    const padded = await post({ prices: prices.slice(0, 96), task: TASK, padding: 'x'.repeat(300_000) });
    assert.deepEqual(padded.body, small.body);
    const large = await post({ prices, task: TASK });
    assert.equal(large.status, 200);
    assert.equal(large.body.slots.length, 5_000);
  });

  it('POST /optimize/plan refuses with one sentence, whatever the size', async () => {
    const wrong = { prices: quarters(1), task: { ...TASK, current_soc: 101 } };
    for (const body of [wrong, { ...wrong, padding: 'x'.repeat(300_000) }]) {
      const { status, body: told, headers } = await post(body);
      assert.equal(status, 400);
      assert.equal(told.error, 'task.current_soc must be a whole number from 0 to 100, not 101');
      assert.equal(headers.get('elnav-error'), 'request.invalid');
    }
  });

  it('POST /optimize/plan answers 200 lengths and 10,000 slots without holding up others', async () => {
    const lengths = quarters(10_000, (slot) => 1 + ((slot * 7) % 200));
    const planned = Promise.all([
      post({ prices: lengths, task: TASK }),
      post({ prices: lengths, task: TASK }),
    ]);
    let answered = 0;
    let done = false;
    const all = planned.finally(() => {
      done = true;
    });
    while (!done) {
      const health = await fetch(`${world.connect}/healthz`);
      answered += Number(health.status === 200);
    }
    for (const { status, body } of await all) {
      assert.equal(status, 200);
      assert.equal(body.total_energy_wh, 46_200);
    }
    assert.ok(answered > 5, `only ${answered} other requests were answered meanwhile`);
  });

  it('POST /optimize/plan gives small bodies with much work to the thread', async () => {
    // Full power or nothing, in lengths that share no divisor.
    const prices = quarters(600, (slot) => 1 + ((slot * 7) % 599)).map((slot, index) => ({
      ...slot,
      price: index % 3,
    }));
    const { status, body } = await post({
      prices,
      task: { ...TASK, max_power_w: 11_037, min_power_w: 11_000 },
    });
    assert.equal(status, 200);
    assert.ok(body.total_energy_wh >= 46_200);
  });
});

import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { turnedClock } from '../../../core/clock.ts';
import { parsePlanBody } from './plan-body.ts';
import { createPlannerThread } from './thread.ts';

const task = {
  current_soc: 20,
  target_soc: 80,
  capacity_wh: 40_000,
  max_power_w: 11_000,
  min_power_w: 0,
  deadline_slot_index: 1_000_000,
};

function bodyOf(slots: number): Uint8Array<ArrayBuffer> {
  const prices = Array.from({ length: slots }, (_, index) => ({
    duration_min: 15,
    price: String(index % 97),
  }));
  return new TextEncoder().encode(JSON.stringify({ prices, task }));
}

describe('the thread of the planner', () => {
  const thread = createPlannerThread(turnedClock());
  after(() => thread.close());

  it('the thread of the planner lets accounts take turns, and four plans of one wait', async () => {
    const done: string[] = [];
    const plan = async (account: number, name: string) => {
      assert.match(await thread.run(account, bodyOf(500)), /^\{"slots":/);
      done.push(name);
    };
    const [running, ...waiting] = ['running', 'a1', 'a2', 'a3', 'a4'].map((name) => plan(1, name));
    await assert.rejects(thread.run(1, bodyOf(1)), {
      code: 'limit.busy',
      message: '4 large plans of yours are already waiting; retry',
      retryAfterSeconds: 2,
    });
    await Promise.all([running, ...waiting, plan(2, 'b1'), plan(2, 'b2')]);
    assert.deepEqual(done, ['running', 'a1', 'b1', 'a2', 'b2', 'a3', 'a4']);
  });

  it('the thread of the planner goes on after a body that is none', async () => {
    const broken = thread.run(1, new TextEncoder().encode('{'));
    const next = thread.run(1, bodyOf(1));
    await assert.rejects(broken, { code: 'request.malformed' });
    assert.match(await next, /^\{"slots":/);
  });
});

describe('the body of a plan', () => {
  it('the body of a plan is not parsed where it has more lists and objects than a plan can need', () => {
    const lists = (count: number) =>
      new TextEncoder().encode(
        `[${Array(count - 1)
          .fill('[]')
          .join()}]`,
      );
    assert.ok(Array.isArray(parsePlanBody(lists(400_000))));
    const message = 'the body has more than 400000 lists and objects; send one object for each price';
    assert.throws(() => parsePlanBody(lists(400_001)), { code: 'request.invalid', message });
    // Not even looked at.
    const broken = new TextEncoder().encode('{'.repeat(400_001));
    assert.throws(() => parsePlanBody(broken), { code: 'request.invalid', message });
  });
});

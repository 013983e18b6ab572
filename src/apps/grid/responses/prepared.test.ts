import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Fastify from 'fastify';
import { turnedClock } from '../../../core/clock.ts';
import { createPreparedResponses } from './prepared.ts';

describe('answers', () => {
  it('answers are kept within a bound, the oldest going first', async () => {
    const clock = turnedClock();
    const answers = createPreparedResponses({ clock, validUntil: () => clock.now() + 1_000 });
    const made: string[] = [];
    const app = Fastify();
    app.get<{ Querystring: { k: string } }>('/', (request, reply) =>
      answers.send(request, reply, () => {
        made.push(request.query.k);
        return { text: 'x'.repeat(1_000_000) };
      }),
    );
    const ask = (k: number) => app.inject({ url: `/?k=${k}` });
    for (let k = 0; k < 9; k += 1) await ask(k);
    await ask(8);
    assert.equal(made.length, 9, 'the newest is kept');
    await ask(0);
    assert.equal(made.length, 10, 'the oldest is not');
    clock.turn(1_000);
    await ask(8);
    assert.equal(made.length, 11, 'nothing is kept when its time is over');
    const long = 'y'.repeat(200);
    await app.inject({ url: `/?k=${long}` });
    await app.inject({ url: `/?k=${long}` });
    assert.equal(made.filter((k) => k === long).length, 2, 'a long address is not kept');
    await app.close();
  });
});

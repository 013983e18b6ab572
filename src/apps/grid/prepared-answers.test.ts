import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import Fastify from 'fastify';
import { turnedClock } from '../../core/clock.ts';
import { createAnswers, keyOf } from './prepared-answers.ts';

describe('a key', () => {
  it('is of one question alone', () => {
    const part = fc.option(fc.string({ unit: fc.constantFrom('1', ' ', '-', 'a'), maxLength: 6 }), {
      nil: undefined,
    });
    const parts = fc.array(part, { maxLength: 3 });
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        const isSame = one.length === other.length && one.every((own, index) => own === other[index]);
        assert.equal(keyOf('r', ...one) === keyOf('r', ...other), isSame);
      }),
      { numRuns: 5_000 },
    );
  });

  it('is none where a parameter is repeated or long', () => {
    assert.equal(keyOf('r', ['1', '2']), undefined);
    assert.equal(keyOf('r', 'x'.repeat(200)), undefined);
    assert.notEqual(keyOf('r', undefined), keyOf('r', ''));
  });
});

describe('answers', () => {
  it('are kept within a bound, the oldest going first', async () => {
    const clock = turnedClock();
    const answers = createAnswers({ clock, validUntil: () => clock.now() + 1_000 });
    const made: string[] = [];
    const app = Fastify();
    app.get<{ Querystring: { k: string } }>('/', (request, reply) =>
      answers.send(request, reply, {
        key: keyOf('r', request.query.k),
        make: () => {
          made.push(request.query.k);
          return { text: 'x'.repeat(1_000_000) };
        },
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
    await app.close();
  });
});

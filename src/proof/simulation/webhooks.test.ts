import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { turnedClock } from '../../core/clock.ts';
import { simulatedWebhooks } from './webhooks.ts';

const URL_OF_OURS = 'https://elnav.example/webhooks/acme';
const DAY_MS = 86_400_000;

/** Webhooks of one user; `chance` is what is random, byte by byte, and then once and at once. */
function world(chance: readonly number[] = [], secret?: string) {
  const clock = turnedClock();
  const bytes = [...chance];
  const posted: string[] = [];
  const signedWith = secret === undefined ? 'secret' : 'another';
  const here = { isUp: true };
  const webhooks = simulatedWebhooks(
    {
      clock,
      random: () => Buffer.from([bytes.shift() ?? 1]),
      partner: { clientId: 'app', clientSecret: 'secret', more: { key: 'another' } },
      baseUrl: () => '',
      async post(url, { body, headers }) {
        if (!here.isUp) throw new Error('nobody listens');
        assert.deepEqual([url, headers['x-signed']], [URL_OF_OURS, `${signedWith} ${body}`]);
        posted.push(body);
      },
    },
    {
      sign: (body, key) => ({ 'x-signed': `${key} ${body}` }),
      ...(secret === undefined ? {} : { secret }),
      ban: { failures: 5, ms: DAY_MS },
    },
  );
  const happens = async (...events: string[]) => {
    for (const event of events) webhooks.post('anna', { event });
    clock.turn(3_000);
    await setImmediate();
  };
  return { webhooks, clock, posted, happens, here };
}

describe('simulated webhooks', () => {
  it('simulated webhooks are posted to the address of the user, signed, and to nobody before or after', async () => {
    const { webhooks, posted, happens } = world();
    await happens('before');
    assert.equal(webhooks.subscribe('anna', 'no address'), false);
    assert.equal(webhooks.subscribe('anna', URL_OF_OURS), true);
    webhooks.post('bo', { event: 'of another' });
    await happens('now');
    webhooks.unsubscribe('anna');
    await happens('after');
    assert.deepEqual(posted, ['{"event":"now"}']);
  });

  it('simulated webhooks are signed with a secret of their own, where the vendor has one', async () => {
    const { webhooks, posted, happens } = world([], 'key');
    webhooks.subscribe('anna', URL_OF_OURS);
    await happens('now');
    assert.deepEqual(posted, ['{"event":"now"}']);
  });

  it('simulated webhooks come twice and out of order', async () => {
    // Twice and late, then once and early.
    const { webhooks, posted, happens } = world([0, 255, 240, 1, 20]);
    webhooks.subscribe('anna', URL_OF_OURS);
    await happens('first', 'second');
    assert.deepEqual(posted, ['{"event":"second"}', '{"event":"first"}', '{"event":"first"}']);
  });

  it('simulated webhooks stop for a day after five failures in a row, a new subscription or not', async () => {
    const { webhooks, clock, posted, happens, here } = world();
    webhooks.subscribe('anna', URL_OF_OURS);
    here.isUp = false;
    for (let failure = 0; failure < 5; failure += 1) await happens('lost');
    here.isUp = true;
    webhooks.subscribe('anna', URL_OF_OURS);
    await happens('banned');
    clock.turn(DAY_MS - 6_001);
    await happens('still banned');
    await happens('again');
    assert.deepEqual(posted, ['{"event":"again"}']);
  });
});

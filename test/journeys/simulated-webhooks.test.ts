import assert from 'node:assert/strict';
import { it } from 'node:test';
import { turnedClock } from '../../src/core/clock.ts';
import { netatmo } from '../../src/vendors/netatmo/index.ts';
import { until } from '../kit/until.ts';
import { makeWorld } from '../kit/world.ts';

it('a built-in simulator posts webhooks to Connect, signed with the secret of this start', async () => {
  const clock = turnedClock();
  const world = await makeWorld({
    engine: 'sqlite',
    adapters: [netatmo],
    clock,
    env: { ELNAV_SIMULATE: 'netatmo' },
  });
  try {
    const caller = await world.newAccount();
    const begun = await fetch(`${world.connect}/oauth/netatmo/authorize`, { redirect: 'manual' });
    const signedIn = await fetch(begun.headers.get('location') ?? '', {
      method: 'POST',
      body: new URLSearchParams({ username: 'home', password: 'simulated' }),
      redirect: 'manual',
    });
    const cookie = (begun.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
    const code = await fetch(signedIn.headers.get('location') ?? '', { headers: { cookie } });
    const { link_code } = (await code.json()) as { link_code: string };
    const body = { vendor: 'netatmo', user_ref: 'me', credentials: { link_code } };
    assert.equal((await caller.call('POST', '/link', body)).status, 200);
    const accepted = async () => {
      const text = await (await fetch(`${world.connect}/metrics`)).text();
      const counted =
        /^elnav_http_request_seconds_count\{.*route="\/webhooks\/:vendor",status="202".*\} (\d+)$/m;
      return Number(counted.exec(text)?.[1] ?? 0);
    };
    await until('the delivery is posted and accepted', async () => {
      clock.turn(1_000);
      return (await accepted()) > 0;
    });
  } finally {
    await world.close();
  }
});

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { recordedIn } from '../../../test/kit/vendor-world.ts';
import { makeWorld, type World } from '../../../test/kit/world.ts';
import { objectIn } from '../../adapter/kit/index.ts';
import type { Json } from '../../core/json.ts';
import { webhook } from './index.ts';

const recorded = recordedIn(import.meta.dirname);
const ID4 = {
  vendorAccount: '2fbd0033-83e7-43b8-a367-776d6dff1134',
  device: 'a1d50709-3502-4faa-ba43-a5c7565e6a09',
};

/** A delivery of an error of the ID.4. */
const errorWith = (error: Json): Json => ({
  ...objectIn(recorded('webhook-id4-error')),
  data: { user: { id: ID4.vendorAccount }, vehicle: { id: ID4.device }, errors: [error] },
});

describe('recorded deliveries', () => {
  it('recorded deliveries report each field of a car with its own time', () => {
    const changes = webhook.read(recorded('webhook-polestar-2'));
    const subject = {
      vendorAccount: '9c9cde56-3333-5555-6666-7e50207e6e64',
      device: '875d9333-bbbb-4444-aaaa-17be22ebe970',
    };
    assert.deepEqual(changes, [
      { ...subject, at: 1_769_936_620_000, state: { online: true } },
      {
        ...subject,
        at: 1_769_937_933_000,
        state: {
          connected: true,
          charging: true,
          operation_state: 'CHARGING',
          battery_soc: 89,
          power_w: 4_683,
        },
      },
    ]);
  });

  it('recorded deliveries without a time are of when they came, and say nothing of what they do not have', () => {
    assert.deepEqual(webhook.read(recorded('webhook-id4')), [
      { ...ID4, at: 1_758_238_233_000, state: { online: true, battery_soc: 42 } },
      { ...ID4, state: { charging: false, power_w: 0 } },
    ]);
  });

  it('recorded deliveries of a missing permission have the account listed, and cost nobody the link', () => {
    assert.deepEqual(webhook.read(recorded('webhook-id4-error')), [
      { vendorAccount: ID4.vendorAccount, isListChanged: true },
    ]);
  });

  it('recorded deliveries of the dashboard, whose cars do not exist, and of other kinds report nothing', () => {
    assert.deepEqual(webhook.read(recorded('webhook-test-mode')), []);
    assert.deepEqual(webhook.read(recorded('webhook-verify')), []);
    assert.deepEqual(webhook.read({ ...objectIn(recorded('webhook-id4')), eventType: 'NEW' }), []);
  });
});

describe('deliveries', () => {
  it('deliveries are named by their event, which their retries share', () => {
    const body = recorded('webhook-id4');
    const delivery = { body: Buffer.from(''), headers: {}, receivedAt: 0 };
    assert.equal(webhook.idOf(delivery, body), '1821c036-71cb-408f-8dee-2989b9764307');
    assert.equal(webhook.idOf(delivery, {}), undefined);
  });

  it('deliveries of other things alone do not show a car as offline', () => {
    const { data } = objectIn(recorded('signals-odometer'));
    const { data: about, ...rest } = objectIn(recorded('webhook-id4'));
    const changes = webhook.read({ ...rest, data: { ...objectIn(about), signals: data ?? null } });
    assert.deepEqual(changes, []);
  });

  it('deliveries say that the consent is lost, and that it is back', () => {
    const lost = { type: 'CONNECTED_SERVICES_ACCOUNT', code: 'AUTHENTICATION_FAILED', state: 'ERROR' };
    const { vendorAccount } = ID4;
    assert.deepEqual(webhook.read(errorWith(lost)), [
      { vendorAccount, isLoginLost: true, at: 1_758_224_204_078 },
    ]);
    assert.deepEqual(webhook.read(errorWith({ ...lost, state: 'RESOLVED' })), [ID4]);
    for (const other of [
      { type: 'CONNECTED_SERVICES_ACCOUNT', code: 'SUBSCRIPTION', resolution: { type: null } },
      { type: 'COMPATIBILITY', code: 'VEHICLE_NOT_CAPABLE' },
      { type: 'VEHICLE_STATE', code: 'ASLEEP' },
    ])
      assert.deepEqual(webhook.read(errorWith(other)), [], other.type);
  });

  it('deliveries of a car that was subscribed to have the account listed: only now is stored what it can do', () => {
    const body = objectIn(recorded('webhook-id4'));
    const listed = { vendorAccount: ID4.vendorAccount, isListChanged: true };
    const { triggers: _, ...rest } = body;
    for (const first of [
      { ...rest, triggers: [{ type: 'FIRST_DELIVERY' }] },
      { ...rest, data: { ...objectIn(body.data), triggers: [{ code: 'FIRST_DELIVERY' }] } },
    ])
      assert.deepEqual(webhook.read(first).slice(0, 1), [listed]);
    assert.equal(
      webhook.read(body).some(({ isListChanged }) => isListChanged),
      false,
    );
  });
});

describe('the challenge', () => {
  const answer = (challenge: Json) => webhook.challenge({ eventType: 'VERIFY', data: { challenge } }, 'key');
  const macOf = (text: string) => createHmac('sha256', 'key').update(text).digest('hex');

  it('the challenge is answered with its HMAC, in the recorded shape too', () => {
    const challenge = '3a5c8f72-e6d9-4b1a-9f2e-8c7d6a5b4e3f';
    assert.deepEqual(answer(challenge), { challenge: macOf(challenge) });
    assert.deepEqual(webhook.challenge(recorded('webhook-verify'), 'key'), { challenge: macOf('any-abcd') });
    assert.equal(webhook.challenge(recorded('webhook-id4'), 'key'), undefined);
  });

  it('the challenge signs nothing that could be a delivery', () => {
    const forged = JSON.stringify(recorded('webhook-id4'));
    for (const odd of [
      forged,
      ` ${forged}`,
      `\uFEFF${forged}`,
      '{}',
      '[1]',
      '"x"',
      '',
      'x'.repeat(257),
      7,
      null,
    ])
      assert.equal(answer(odd), undefined, String(odd).slice(0, 20));
  });
});

describe('POST /webhooks/smartcar', () => {
  const KEY = 'the management token of the tests';
  let world: World;
  before(async () => {
    const env = {
      ELNAV_SMARTCAR_CLIENT_ID: 'client_1',
      ELNAV_SMARTCAR_CLIENT_SECRET: 'the client secret',
      ELNAV_SMARTCAR_APPLICATION_ID: 'an application',
      ELNAV_SMARTCAR_MANAGEMENT_TOKEN: KEY,
    };
    world = await makeWorld({ engine: 'sqlite', env });
  });
  after(() => world.close());

  const post = async (body: Json, key = KEY) => {
    const text = JSON.stringify(body);
    const response = await fetch(`${world.connect}/webhooks/smartcar`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'SC-Signature': createHmac('sha256', key).update(text).digest('hex'),
      },
      body: text,
    });
    return { status: response.status, text: await response.text() };
  };

  it('POST /webhooks/smartcar answers a challenge without a signature, with the key of webhooks', async () => {
    const body = { eventId: 'e', eventType: 'VERIFY', data: { challenge: 'a-challenge' } };
    const challenge = createHmac('sha256', KEY).update('a-challenge').digest('hex');
    assert.deepEqual(await post(body, 'nobody'), { status: 200, text: JSON.stringify({ challenge }) });
  });

  it('POST /webhooks/smartcar takes what is signed with that key, and not with the client secret', async () => {
    assert.deepEqual(await post(recorded('webhook-id4')), { status: 202, text: '' });
    assert.equal((await post(recorded('webhook-id4'), 'the client secret')).status, 401);
  });

  it('POST /webhooks/smartcar gives nobody a signature for a delivery of theirs', async () => {
    const forged = JSON.stringify({ ...objectIn(recorded('webhook-id4')), eventId: 'forged' });
    assert.equal((await post({ eventType: 'VERIFY', data: { challenge: forged } }, 'nobody')).status, 401);
  });
});

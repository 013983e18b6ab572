import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { kindOf } from '../../adapter/derive.ts';
import { send } from '../../adapter/send.ts';
import type { Delivery, DeviceChange } from '../../adapter/webhook.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { netatmo } from './index.ts';
import { makeWorld, recorded, type World } from './test-world.ts';

const { webhook } = netatmo;
const SECRET = 'a client secret';
const URL_OF_OURS = 'https://elnav.example/webhooks/netatmo';
const HOME = '000000000000000000000a01';
const USER = '000000000000000000000a02';
const ROOM = `${HOME}.2746182631`;
const deliveries = recorded('webhooks') as Record<string, JsonObject>;

function signed(body: Uint8Array, secret = SECRET): Delivery {
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return { body, headers: { 'x-netatmo-secret': signature }, receivedAt: 0 };
}

const told = (body: Json): readonly DeviceChange[] => webhook.read(body);
const jsonOf = ({ body }: Delivery) => JSON.parse(Buffer.from(body).toString()) as Json;

describe("netatmo's signature", () => {
  const body = Buffer.from('{"event_type":"set_point","name":"Vardagsrum å"}');
  const good = signed(body);
  const signature = good.headers['x-netatmo-secret'] ?? '';
  const verify = (headers: Record<string, string>, over: Uint8Array = body, secret = SECRET) =>
    webhook.verify({ body: over, headers, receivedAt: 0 }, secret);

  it('is the HMAC-SHA256 of the body with the client secret, as in RFC 4231', () => {
    const key = '\x0b'.repeat(20);
    const header = { 'x-netatmo-secret': 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7' };
    assert.equal(verify(header, Buffer.from('Hi There'), key), true);
    assert.equal(webhook.verify(good, SECRET), true);
  });

  it('fails when any character of it is another', () => {
    assert.equal(signature.length, 64);
    for (let at = 0; at < signature.length; at += 1)
      for (const other of '0123456789abcdefABCDEFg ')
        if (other !== signature[at])
          assert.equal(
            verify({ 'x-netatmo-secret': signature.slice(0, at) + other + signature.slice(at + 1) }),
            false,
          );
  });

  it('fails when any bit of the body is another, or a byte is missing or added', () => {
    for (let at = 0; at < body.length; at += 1) {
      for (let bit = 0; bit < 8; bit += 1) {
        const changed = Buffer.from(body);
        changed[at] = (changed[at] ?? 0) ^ (1 << bit);
        assert.equal(verify(good.headers, changed), false);
      }
      assert.equal(verify(good.headers, Buffer.concat([body.subarray(0, at), body.subarray(at + 1)])), false);
    }
    assert.equal(verify(good.headers, Buffer.concat([body, Buffer.from(' ')])), false);
  });

  it('fails when it is missing, empty, upper-case, cut, doubled, padded, or by another secret', () => {
    for (const header of [
      '',
      signature.toUpperCase(),
      signature.slice(1),
      signature.slice(0, -1),
      signature + signature,
      ` ${signature}`,
      `${signature}\n`,
      `sha256=${signature}`,
      Buffer.from(signature, 'hex').toString('base64'),
      'å'.repeat(32),
    ])
      assert.equal(verify({ 'x-netatmo-secret': header }), false, header);
    assert.equal(verify({}), false);
    assert.equal(verify({ 'x-netatmo-signature': signature }), false);
    assert.equal(webhook.verify(good, `${SECRET} `), false);
    assert.equal(webhook.verify(good, ''), false);
    assert.equal(webhook.verify(signed(body, 'of another app'), SECRET), false);
  });
});

describe("netatmo's deliveries", () => {
  it('make the rooms that they name be read again, as recorded', () => {
    const room = [{ device: ROOM }];
    const roomOfUser = [{ vendorAccount: USER, device: ROOM }];
    for (const [name, expected] of [
      ['set_point', room],
      ['setpoint_event', room],
      ['cancel_set_point', roomOfUser],
      ['therm_mode', [{ vendorAccount: USER }]],
      ['therm_mode_without_user', []],
      ['schedule', [{ vendorAccount: USER }]],
      ['webhook_activation', []],
      ['camera_person', []],
      ['camera_off', []],
    ] as const)
      assert.deepEqual(told(deliveries[name] ?? assert.fail(name)), expected, name);
    assert.equal(Object.keys(deliveries).length, 9);
  });

  it('name rooms of a home-wide change when they do not name the user', () => {
    const rooms = [{ id: '1' }, { id: '2' }, { id: '1' }, null, { id: 3 }];
    assert.deepEqual(told({ event_type: 'therm_mode', home: { id: 'h', rooms } }), [
      { device: 'h.1' },
      { device: 'h.2' },
    ]);
  });

  it('tell nothing when they are of another shape', () => {
    for (const body of [
      null,
      7,
      'x',
      [],
      {},
      { event_type: 'set_point' },
      { event_type: 'set_point', room_id: '1' },
      { event_type: 'set_point', home_id: 'h' },
      { event_type: 'set_point', home_id: '../h', room_id: '1' },
      { event_type: 'set_point', home_id: 'h', room_id: 'x'.repeat(65) },
      { event_type: ['set_point'], home_id: 'h', room_id: '1' },
      { event_type: 'constructor', home_id: 'h', room_id: '1' },
      { event_type: 'set_point', home: { id: 'h', rooms: { id: '1' } } },
      { event_type: 'therm_mode', home_id: 'h', user_id: { id: 'u' } },
    ])
      assert.deepEqual(told(body), [], JSON.stringify(body));
  });

  it('are the same within a second, and new when the same happens again', () => {
    const body = Buffer.from(JSON.stringify(deliveries.cancel_set_point));
    const idAt = (receivedAt: number, of: Uint8Array = body) => webhook.idOf({ ...signed(of), receivedAt });
    assert.equal(idAt(86_400_000), idAt(86_400_900));
    assert.notEqual(idAt(86_400_000), idAt(2 * 86_400_000));
    assert.notEqual(idAt(0), idAt(0, Buffer.from(JSON.stringify(deliveries.set_point))));
  });
});

describe("netatmo's subscription", () => {
  const kind = kindOf(netatmo, 'thermostat');

  async function subscribed(random?: (bytes: number) => Buffer): Promise<World> {
    const here = await makeWorld('home', random === undefined ? {} : { random });
    await netatmo.webhook.subscribe(here.session(), URL_OF_OURS);
    await here.pass(3);
    await settled();
    return here;
  }
  /** Deliveries leave from timers of the clock, and are taken some turns of the loop later. */
  const settled = () => new Promise(setImmediate);
  const told = (here: World) => here.posted.flatMap(({ delivery }) => webhook.read(jsonOf(delivery)));

  it('brings what happens, signed, to the address that it named', async () => {
    const here = await subscribed();
    const room = await here.room('Living');
    here.simulator.turnByHand(room, 22);
    await send(kind, here.session(), room, { type: 'turn_off' });
    await send(kind, here.session(), room, { type: 'turn_on' });
    await here.pass(3);
    await settled();
    assert.equal(here.posted.length, 4);
    assert.ok(here.posted.every(({ url }) => url === URL_OF_OURS));
    assert.ok(here.posted.every(({ delivery }) => webhook.verify(delivery, here.clientSecret)));
    const { vendorAccount } = await netatmo.link(here.session());
    assert.deepEqual(told(here), Array(3).fill({ vendorAccount, device: room.id }));
  });

  it('tells of changes of a whole home', async () => {
    const here = await subscribed();
    const room = await here.room('Living');
    const { home_id } = room.details;
    for (const [path, form] of [
      ['/api/setthermmode', { mode: 'away' }],
      ['/api/switchhomeschedule', { schedule_id: 's' }],
    ] as const)
      await here.session().http.send({ method: 'POST', path, form: { home_id: String(home_id), ...form } });
    await here.pass(3);
    await settled();
    const { vendorAccount } = await netatmo.link(here.session());
    assert.deepEqual(told(here), [{ vendorAccount }, { vendorAccount }]);
    assert.equal((await here.state(room)).operation_state, 'away');
  });

  it('may bring things twice and in another order; a read then shows what is so', async () => {
    const bytes = [0, 255, 254, 1, 20];
    const here = await subscribed((count) => Buffer.alloc(count, bytes.shift() ?? 1));
    here.posted.length = 0;
    const room = await here.room('Living');
    // Twice, late; then once, early.
    bytes.splice(0, bytes.length, 0, 255, 240, 1, 20);
    here.simulator.turnByHand(room, 22);
    await send(kind, here.session(), room, { type: 'turn_off' });
    await here.pass(3);
    await settled();
    const modes = here.posted.map(({ delivery }) => (jsonOf(delivery) as JsonObject).mode);
    assert.deepEqual(modes, ['off', 'manual', 'manual']);
    assert.equal(new Set(told(here).map(({ device }) => device)).size, 1);
    assert.equal((await here.state(room)).operation_state, 'off');
  });

  it('is silent for a day after five failures, and then goes on', async () => {
    const here = await subscribed();
    const room = await here.room('Living');
    here.posted.length = 0;
    const turn = async () => {
      here.simulator.turnByHand(room, 22);
      await here.pass(3);
      await settled();
    };
    here.isUp = false;
    for (let failure = 0; failure < 5; failure += 1) await turn();
    here.isUp = true;
    await turn();
    await here.pass(netatmo.webhook.subscribedSeconds - 60);
    await turn();
    assert.equal(here.posted.length, 0);
    await here.pass(60);
    await netatmo.webhook.subscribe(here.session(), URL_OF_OURS);
    await turn();
    assert.equal(here.posted.length, 2);
  });

  it('ends when it is taken back, and there is none before it is made', async () => {
    const here = await subscribed();
    const room = await here.room('Living');
    here.posted.length = 0;
    await netatmo.webhook.unsubscribe(here.session());
    here.simulator.turnByHand(room, 22);
    await here.pass(3);
    await settled();
    assert.equal(here.posted.length, 0);
    await netatmo.webhook.unsubscribe(here.session());
    const other = await makeWorld();
    other.simulator.turnByHand(await other.room('Living'), 22);
    await other.pass(3);
    await settled();
    assert.equal(other.posted.length, 0);
  });
});

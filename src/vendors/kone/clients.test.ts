import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { type ServedVendor, serveVendor } from '../../../test/kit/served-vendor.ts';
import { until } from '../../../test/kit/until.ts';
import { type TurnedClock, turnedClock } from '../../core/clock.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { kone } from './index.ts';

/*
 * What KONE's own examples (konecorp/kone-api-examples, Apache-2.0) and the Open-RMF adapter of CHART (chart-sg/lift_kone_adapter, MIT)
 * send, at the simulator on a port: it must be KONE as they know it, not as we read it.
 */

const BUILDING = '9990000951';
const place = { buildingId: `building:${BUILDING}`, groupId: '1' };
const SCOPES = ['application/inventory', `callgiving/group:${BUILDING}:1`];

let clock: TurnedClock;
let served: ServedVendor;

before(async () => {
  clock = turnedClock();
  served = await serveVendor(kone, clock);
});
after(() => served.close());

const form = 'application/x-www-form-urlencoded';

async function tokenFor(scopes: readonly string[], secret?: string) {
  const { client_id, client_secret } = served.vendor.user.credentials;
  const response = await fetch(`${served.url}/api/v2/oauth2/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${client_id}:${secret ?? client_secret}`).toString('base64')}`,
      'content-type': form,
    },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: scopes.join(' ') }).toString(),
  });
  return { status: response.status, body: (await response.json()) as JsonObject };
}

/** A connection, with every frame that came. */
async function connected(scopes: readonly string[] = SCOPES) {
  const { body } = await tokenFor(scopes);
  const address = `${served.url.replace('http', 'ws')}/stream-v2?accessToken=${body.access_token}`;
  const socket = new WebSocket(address, 'koneapi');
  const frames: JsonObject[] = [];
  socket.on('message', (text) => frames.push(JSON.parse(String(text)) as JsonObject));
  await once(socket, 'open');
  return {
    socket,
    frames,
    send: (message: JsonObject) => socket.send(JSON.stringify(message)),
    async frame(what: string, is: (frame: JsonObject) => boolean): Promise<JsonObject> {
      await until(what, () => frames.some(is));
      return frames.find(is) ?? assert.fail();
    },
  };
}

const dataOf = ({ data }: JsonObject) => data as { readonly [name: string]: Json };

describe("KONE's examples", () => {
  it("KONE's examples get a token by HTTP Basic, and the buildings of the application", async () => {
    const { status, body } = await tokenFor(SCOPES);
    assert.equal(status, 200);
    assert.deepEqual([body.token_type, body.expires_in, body.scope], ['Bearer', 3_600, SCOPES.join(' ')]);
    const response = await fetch(`${served.url}/api/v2/application/self/resources`, {
      headers: { authorization: `Bearer ${body.access_token}`, 'content-type': 'application/json' },
    });
    const { buildings } = (await response.json()) as { buildings: { id: string }[] };
    assert.ok(buildings.some(({ id }) => id === place.buildingId));
    assert.equal((await tokenFor(SCOPES, 'wrong')).status, 401);
    assert.equal((await tokenFor(['callgiving/group:777:1'])).status, 400);
    const without = await tokenFor([SCOPES[1] ?? '']);
    const refused = await fetch(`${served.url}/api/v2/application/self/resources`, {
      headers: { authorization: `Bearer ${without.body.access_token}` },
    });
    assert.equal(refused.status, 403);
  });

  it("KONE's examples call a lift and monitor the call: every frame has data", async () => {
    const { socket, frames, send, frame } = await connected();
    send({
      type: 'lift-call-api-v2',
      ...place,
      callType: 'action',
      payload: {
        request_id: 252_390_420,
        area: 3_000,
        time: '2020-10-10T07:17:33.298515Z',
        terminal: 1,
        call: { action: 2, destination: 5_000 },
      },
    });
    const accepted = await frame('it is accepted', ({ statusCode }) => statusCode === 201);
    assert.equal(accepted.requestId, 252_390_420);
    const called = await frame(
      'there is a session',
      ({ data }) => dataOf({ data: data ?? null }).session_id !== undefined,
    );
    const { session_id, success } = dataOf(called);
    assert.equal(success, true);
    send({
      type: 'site-monitoring',
      requestId: '8d0a7a2e-0000-4000-8000-000000000001',
      ...place,
      callType: 'monitor',
      payload: {
        sub: 'KCESmartLiftClient2',
        duration: 300,
        subtopics: ['being_allocated', 'being_served', 'served_soon', 'served'].map(
          (state) => `call_state/${session_id}/${state}`,
        ),
      },
    });
    await frame('it is monitored', ({ requestId }) => String(requestId).startsWith('8d0a'));
    const topics = () => frames.map(({ subtopic }) => subtopic).filter((one) => one !== undefined);
    for (let second = 0; second < 60; second += 1) clock.turn(1_000);
    await until('it is served', () => topics().length === 3);
    assert.deepEqual(topics(), [
      `call_state/${session_id}/being_allocated`,
      `call_state/${session_id}/being_served`,
      `call_state/${session_id}/served`,
    ]);
    assert.ok(frames.every(({ data }) => typeof data === 'object' && data !== null));
    socket.close();
  });

  it("KONE's examples ask for the configuration and the actions, and ping without a requestId", async () => {
    const { socket, send, frame } = await connected();
    send({ type: 'common-api', requestId: 'a', ...place, callType: 'config' });
    const { groups, destinations } = dataOf(
      await frame('its configuration', ({ callType }) => callType === 'config'),
    ) as { groups: JsonObject[]; destinations: JsonObject[] };
    assert.deepEqual(Object.keys(groups[0] ?? {}), ['group_id', 'terminals', 'lifts']);
    assert.equal(destinations[2]?.area_id, 3_000);
    send({ type: 'common-api', requestId: 'b', ...place, callType: 'actions' });
    await frame('its actions', ({ callType }) => callType === 'actions');
    send({ type: 'common-api', ...place, callType: 'ping', payload: { request_id: 77 } });
    const pong = await frame('its pong', ({ callType }) => callType === 'ping');
    assert.equal(dataOf(pong).request_id, 77);
    socket.close();
  });

  it("KONE's examples monitor all lifts, and cancel a call", async () => {
    const { socket, frames, send, frame } = await connected();
    const monitor = { sub: 'somethinaaa1', duration: 300, subtopics: ['+/position', '+/doors'] };
    send({ type: 'site-monitoring', requestId: 'm', ...place, callType: 'monitor', payload: monitor });
    await frame('it is monitored', ({ requestId }) => requestId === 'm');
    const topics = new Set(frames.flatMap(({ subtopic }) => subtopic ?? []));
    assert.deepEqual([...topics], ['lift_1/position', 'lift_1/doors', 'lift_2/position', 'lift_2/doors']);
    assert.ok(
      frames.findIndex(({ requestId }) => requestId === 'm') > 0,
      'the state comes before the acknowledgement',
    );
    const call = { action: 2, destination: 9_000 };
    send({
      type: 'lift-call-api-v2',
      ...place,
      callType: 'action',
      payload: { request_id: 5, area: 7_000, terminal: 1, call },
    });
    const { session_id = null } = dataOf(await frame('a session', ({ callType }) => callType === 'action'));
    send({ type: 'lift-call-api-v2', requestId: 'd', ...place, callType: 'delete', payload: { session_id } });
    assert.equal((await frame('it is deleted', ({ requestId }) => requestId === 'd')).statusCode, 201);
    send({ type: 'lift-call-api-v2', requestId: 'e', ...place, callType: 'delete', payload: { session_id } });
    assert.equal((await frame('it is gone', ({ requestId }) => requestId === 'e')).statusCode, 404);
    socket.close();
  });

  it("KONE's examples resume a session on another connection, which ends the first", async () => {
    const first = await connected();
    first.send({ type: 'create-session', requestId: 'c' });
    const { sessionId = null } = dataOf(await first.frame('a session', ({ requestId }) => requestId === 'c'));
    first.send({ type: 'resume-session', requestId: 'own', sessionId });
    assert.equal((await first.frame('its own', ({ requestId }) => requestId === 'own')).statusCode, 400);
    const second = await connected();
    const closed = once(first.socket, 'close');
    second.send({ type: 'resume-session', requestId: 'r', sessionId, resendLatestStateUpToSeconds: 30 });
    assert.equal((await second.frame('resumed', ({ requestId }) => requestId === 'r')).statusCode, 201);
    await closed;
    second.send({ type: 'resume-session', requestId: 'x', sessionId: 'nobody' });
    assert.equal((await second.frame('unknown', ({ requestId }) => requestId === 'x')).statusCode, 404);
    second.socket.close();
  });
});

describe('KONE refuses', () => {
  it('a handshake without a token, or without its subprotocol', async () => {
    const statusOf = async (path: string, protocol: string[]) => {
      const socket = new WebSocket(`${served.url.replace('http', 'ws')}${path}`, protocol);
      const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
      response.destroy();
      return response.statusCode;
    };
    const { body } = await tokenFor(SCOPES);
    assert.equal(await statusOf('/stream-v2?accessToken=none', ['koneapi']), 401);
    assert.equal(await statusOf(`/stream-v2?accessToken=${body.access_token}`, []), 400);
  });

  it('KONE refuses in the words of its validation', async () => {
    const { socket, send, frame } = await connected();
    const refusals: readonly (readonly [JsonObject, number, RegExp])[] = [
      [
        { ...place, buildingId: 'building:invalid123' },
        403,
        /^Token does not contain required scope for invalid123:1$/,
      ],
      [{ ...place, groupId: '2' }, 403, /scope for 9990000951:2$/],
      [{ ...place, groupId: '123' }, 400, /'groupId' length must be less than or equal to 2/],
      [{ ...place, buildingId: "building:'; --" }, 400, /fails to match the required pattern/],
    ];
    for (const [index, [where, status, error]] of refusals.entries()) {
      send({ type: 'common-api', requestId: `r${index}`, callType: 'config', ...where });
      const refused = await frame(String(error), ({ requestId }) => requestId === `r${index}`);
      assert.deepEqual([refused.type, refused.statusCode], ['error', status]);
      assert.match(String(dataOf(refused).error), error);
    }
    send({ type: 'common-api', requestId: 'r0', callType: 'config', ...place });
    await frame('a requestId again', ({ statusCode }) => statusCode === 409);
    socket.close();
  });

  it('KONE refuses calls with a result that follows the acknowledgement', async () => {
    const { socket, send, frame } = await connected();
    const calls: readonly (readonly [Json, JsonObject, string])[] = [
      [1_000, { action: 200, destination: 2_000 }, 'Ignoring call, unknown call action: 200'],
      [1_000, { action: 0 }, 'Ignoring call, unknown call action: UNDEFINED'],
      [1_000, { action: 4, destination: 2_000 }, 'Ignoring call, disabled call action: 4'],
      [2_000, { action: 2, destination: 2_000 }, 'SAME_SOURCE_AND_DEST_FLOOR'],
      [1_000, { action: 2, destination: 99_000 }, 'unable to resolve destination: area:99000'],
      [99_000, { action: 2, destination: 1_000 }, 'unable to resolve area: area:99000'],
      [1_000, { action: 2002 }, 'INVALID_DIRECTION'],
    ];
    for (const [index, [area, call, expected]] of calls.entries()) {
      const payload = { request_id: 100 + index, area, terminal: 1, call };
      send({ type: 'lift-call-api-v2', ...place, callType: 'action', payload });
      const result = await frame(
        expected,
        ({ callType, data }) =>
          callType === 'action' && dataOf({ data: data ?? null }).request_id === 100 + index,
      );
      assert.deepEqual([dataOf(result).success, dataOf(result).error], [false, expected]);
    }
    send({
      type: 'lift-call-api-v2',
      ...place,
      callType: 'action',
      payload: { request_id: 9, area: 'x', call: { action: 2 } },
    });
    const invalid = await frame('an area that is none', ({ requestId }) => requestId === 9);
    assert.deepEqual([invalid.statusCode, dataOf(invalid).error], [400, "'payload.area' must be a number"]);
    socket.close();
  });

  it('KONE refuses connections on which nothing happens for a minute', async () => {
    const { socket, send, frame } = await connected();
    send({ type: 'common-api', ...place, callType: 'ping', payload: { request_id: 1 } });
    await frame('its pong', ({ callType }) => callType === 'ping');
    const closed = once(socket, 'close');
    clock.turn(59_000);
    assert.equal(socket.readyState, WebSocket.OPEN);
    clock.turn(1_000);
    await closed;
  });
});

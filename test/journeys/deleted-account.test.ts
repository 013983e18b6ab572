import assert from 'node:assert/strict';
import { it } from 'node:test';
import { systemClock, turnedClock } from '../../src/core/clock.ts';
import { ocpp } from '../../src/vendors/ocpp/index.ts';
import { SimulatedStation } from '../../src/vendors/ocpp/simulator/simulator.ts';
import { makePlace, onEachEngine } from '../kit/databases.ts';
import { until } from '../kit/until.ts';
import { testVendor } from '../kit/vendor-for-tests.ts';
import { type Caller, makeWorld, type World } from '../kit/world.ts';

const PASSWORD = 'a-station-password';
/** The state of a WebSocket. */
const OPEN = 1;

interface User {
  readonly id: number;
  readonly email: string;
  readonly closing_since: string | null;
}

const userOf = async (world: World, { userId }: Caller) =>
  (await (await world.admin('GET', `/admin/users/${userId}`)).json()) as User;

const linked = async (caller: Caller, vendor: string, credentials: object) => {
  const { status, body } = await caller.call('POST', '/link', { vendor, user_ref: 'anna', credentials });
  assert.equal(status, 200, JSON.stringify(body));
};

onEachEngine('an account that is deleted', (engine) => {
  for (const outbound of ['on', 'off'] as const)
    it(`an account that is deleted is refused at once, and nothing is left of it once Connect has erased it, with outbound calls ${outbound}`, async () => {
      const clock = turnedClock();
      const vendor = testVendor();
      const place = await makePlace(engine);
      const options = { engine, clock, place, adapters: [vendor.adapter, ocpp] };
      let world = await makeWorld(options);
      const caller = await world.newAccount();
      const other = await world.newAccount();
      for (const one of [caller, other]) await linked(one, 'testvendor', { user: 'anna', password: 'right' });
      await linked(caller, 'ocpp', { identity: 'CP-1', password: PASSWORD });
      await world.close();
      world = await makeWorld({ ...options, env: { ELNAV_OUTBOUND: outbound } });
      const at = (one: Caller, path: string) =>
        fetch(`${world.connect}${path}`, { headers: { 'x-api-key': one.key } });
      const station = new SimulatedStation({
        url: `${world.connect.replace('http', 'ws')}/ocpp`,
        identity: 'CP-1',
        password: PASSWORD,
        protocol: 'ocpp1.6',
        clock: systemClock,
      });
      await station.connect();
      const stream = await at(caller, '/events/stream');
      assert.equal(stream.status, 200);
      const calls = vendor.calls.length;

      const path = `/admin/users/${caller.userId}`;
      const { email } = await userOf(world, caller);
      assert.equal((await world.admin('DELETE', path)).status, 422);
      assert.equal((await world.admin('DELETE', `${path}?confirm=nobody@example.com`)).status, 409);
      assert.equal((await at(caller, '/links')).status, 200);
      const closing = await world.admin('DELETE', `${path}?confirm=${encodeURIComponent(email)}`);
      assert.equal(closing.status, 202);
      const { closing_since: since } = (await closing.json()) as User;
      assert.notEqual(since, null);
      assert.equal((await at(caller, '/links')).status, 401);
      // It ends: the rest of it can be read.
      await stream.text();
      assert.equal((await world.admin('DELETE', `${path}?confirm=x`)).status, 202);
      const shown = await userOf(world, caller);
      assert.deepEqual([shown.closing_since, shown.email], [since, '']);

      await until('nothing is left of it', async () => {
        clock.turn(15_000);
        return (await world.admin('DELETE', `${path}?confirm=x`)).status === 204;
      });
      await until('its station is let in no more', () => station.rpc.state !== OPEN);
      assert.equal((await world.admin('GET', path)).status, 404);
      assert.equal((await world.admin('DELETE', '/admin/users/987654321?confirm=x')).status, 404);
      // Another account has the same vendor account: its sign-in stays.
      const after = vendor.calls.slice(calls).filter(({ call }) => call === 'unlink');
      assert.deepEqual(
        after.map(({ isLast }) => isLast),
        outbound === 'on' ? [false] : [],
      );
      const links = (await (await at(other, '/links')).json()) as unknown[];
      assert.equal(links.length, 1);
      await world.close();
      await place.remove();
    });
});

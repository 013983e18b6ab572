import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type TurnedClock, turnedClock } from '../../src/core/clock.ts';
import { tesla } from '../../src/vendors/tesla/index.ts';
import { CARS, SITES } from '../../src/vendors/tesla/simulated-site.ts';
import { CookieBrowser } from '../kit/cookie-browser.ts';
import { type ServedVendor, serveVendor } from '../kit/served-vendor.ts';
import { type Caller, makeWorld, type World } from '../kit/world.ts';

const BASE = ['openid', 'offline_access', 'user_data'];
const CAR = ['vehicle_device_data', 'vehicle_cmds', 'vehicle_charging_cmds'];

interface Listed {
  readonly id: string;
  readonly capabilities: readonly string[];
}

describe('what a user permits at an OAuth vendor', () => {
  let world: World;
  let served: ServedVendor;
  let clock: TurnedClock;
  before(async () => {
    clock = turnedClock();
    served = await serveVendor(tesla, clock);
    world = await makeWorld({ engine: 'sqlite', clock, env: served.env });
  });
  after(async () => {
    await world.close();
    await served.close();
  });

  const pageOf = async (query = '', browser = new CookieBrowser()): Promise<URL> => {
    const answer = await browser.get(`${world.connect}/oauth/tesla/authorize${query}`);
    assert.equal(answer.status, 302, await answer.text());
    return new URL(answer.headers.get('location') ?? '');
  };
  const scopesOn = (page: URL) => (page.searchParams.get('scope') ?? '').split(' ');

  /** Links the simulator's home for a caller; `granted` is what the user leaves ticked. */
  async function link(caller: Caller, granted?: readonly string[]): Promise<void> {
    const browser = new CookieBrowser();
    const page = await pageOf('', browser);
    const { name, password } = served.vendor.user;
    const form = new URLSearchParams({ username: name, password });
    if (granted !== undefined) form.set('granted', granted.join(' '));
    const back = await fetch(page, { method: 'POST', redirect: 'manual', body: form });
    const { link_code } = (await (await browser.get(back.headers.get('location') ?? '')).json()) as {
      link_code: string;
    };
    const body = { vendor: 'tesla', user_ref: 'anna', credentials: { link_code } };
    const linked = await caller.call('POST', '/link', body);
    assert.equal(linked.status, 200, JSON.stringify(linked.body));
  }
  const capabilitiesOf = async (caller: Caller, id: string) => {
    const { body } = await caller.call('GET', '/devices');
    return (body as Listed[]).find((device) => device.id === id)?.capabilities ?? [];
  };
  const missingOf = async (caller: Caller) => {
    const { body } = await caller.call('GET', '/links');
    return (body as { missing_permissions: string[] }[])[0]?.missing_permissions;
  };

  it('what a user permits at an OAuth vendor is asked for by types of devices, in the address or the session; all without', async () => {
    assert.deepEqual(scopesOn(await pageOf()).toSorted(), [...BASE, ...CAR, 'energy_device_data'].toSorted());
    assert.deepEqual(scopesOn(await pageOf('?device_types=battery')), [...BASE, 'energy_device_data']);
    const odd = await fetch(`${world.connect}/oauth/tesla/authorize?device_types=car`);
    assert.deepEqual([odd.status, odd.headers.get('elnav-error')], [400, 'request.invalid']);
    const caller = await world.newAccount();
    const { body } = await caller.call('POST', '/link/sessions', {
      user_ref: 'anna',
      vendor: 'tesla',
      device_types: ['vehicle'],
    });
    const { url, session } = body as { url: string; session: string };
    const browser = new CookieBrowser();
    await browser.post(`${url}/tesla`, {});
    assert.deepEqual(scopesOn(await pageOf(`?session=${session}`, browser)), [...BASE, ...CAR]);
  });

  it('what a user permits at an OAuth vendor withholds what was not granted and says which, until it is granted', async () => {
    const caller = await world.newAccount();
    await link(caller, [...BASE, 'vehicle_device_data', 'energy_device_data']);
    assert.deepEqual(await capabilitiesOf(caller, CARS.plain), [
      'read_battery_soc',
      'read_power',
      'read_energy',
    ]);
    assert.deepEqual(await missingOf(caller), ['vehicle_charging_cmds', 'vehicle_cmds']);
    const { status, body } = await caller.call('POST', `/devices/${CARS.plain}/command`, {
      type: 'start_charge',
    });
    assert.equal(status, 422);
    assert.match(
      (body as { error: string }).error,
      /has not granted vehicle_cmds, vehicle_charging_cmds: the account must be linked again/,
    );
    assert.equal((await caller.call('GET', `/devices/${CARS.plain}`)).status, 200);
    assert.ok((await capabilitiesOf(caller, SITES.batteryAndSolar)).includes('read_battery_soc'));
    await link(caller);
    assert.ok((await capabilitiesOf(caller, CARS.plain)).includes('charge_control'));
    assert.deepEqual(await missingOf(caller), []);
  });

  it('what a user permits at an OAuth vendor stays as it was granted when the account is listed again', async () => {
    const caller = await world.newAccount();
    await link(caller, [...BASE, 'vehicle_device_data', 'energy_device_data']);
    const { body } = await caller.call('GET', '/links');
    const [{ id }] = body as [{ id: string }];
    // The access token ends meanwhile, and the one that replaces it grants the same.
    clock.turn(10 * 3_600_000);
    const refreshed = await caller.call('POST', `/links/${id}/refresh`);
    assert.equal(refreshed.status, 200, JSON.stringify(refreshed.body));
    assert.deepEqual((refreshed.body as { changed: string[] }).changed, []);
    assert.ok(!(await capabilitiesOf(caller, CARS.plain)).includes('charge_control'));
  });
});

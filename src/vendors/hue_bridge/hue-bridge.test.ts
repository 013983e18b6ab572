import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeVendorWorld } from '../../../test/kit/vendor-world.ts';
import { capabilitiesOf, stateOf } from '../../adapter/adapters.ts';
import type { JsonObject } from '../../core/json.ts';
import { hue_bridge } from './index.ts';
import type { BridgeSimulator } from './simulator.ts';

const { light: kind } = hue_bridge.kinds;

async function makeWorld() {
  const here = await makeVendorWorld(hue_bridge);
  return Object.assign(here, { bridge: here.vendor as BridgeSimulator });
}

describe('the button of the bridge', () => {
  it('the button of the bridge must have been pressed in the last half minute, and the error says so', async () => {
    const { bridge, signIn, clock } = await makeWorld();
    bridge.releaseButton();
    const notPressed = { code: 'link.not_confirmed', message: /press it, and link within 30 s/ };
    await assert.rejects(signIn(), notPressed);
    bridge.pressButton();
    await signIn();
    clock.turn(31_000);
    await assert.rejects(signIn(), notPressed);
  });

  it('the button of the bridge is needed again once elnav was removed from the bridge', async () => {
    const here = await makeWorld();
    const sofa = await here.device('Sofa');
    here.bridge.releaseButton();
    here.vendor.revoke();
    await assert.rejects(here.state(sofa), {
      code: 'vendor.login_expired',
      message: /link the account again/,
    });
  });
});

describe('linking', () => {
  it('linking takes what the bridge calls itself, and refuses a certificate that was signed for another', async () => {
    const here = await makeWorld();
    const { vendorAccount } = await here.link();
    assert.equal(vendorAccount, '001788fffe686f6d');
    const session = here.session();
    const linkedWith = (name: string | null) =>
      hue_bridge.link({
        ...session,
        credentials: { ...session.credentials, pinned_certificate: { sha256: '0'.repeat(64), name } },
      });
    assert.equal((await linkedWith('001788FFFE686F6D')).vendorAccount, vendorAccount);
    assert.equal((await linkedWith(null)).vendorAccount, vendorAccount);
    await assert.rejects(linkedWith('001788fffe000000'), {
      code: 'vendor.refused',
      message: /is of the Hue Bridge 001788fffe000000, and bridge 001788fffe686f6d answers/,
    });
  });
});

describe('the stream', () => {
  async function opened() {
    const here = await makeWorld();
    const devices = await Promise.all(['Sofa', 'Hall', 'Wall'].map(here.device));
    const stream = here.cloud.openStream(devices);
    await stream.settle();
    const all = stream.observed.length;
    /** What it has reported since it was opened, by the names of the lamps. */
    const reported = async () => {
      await stream.settle();
      const { devices: found } = await here.link();
      return stream.observed.slice(all).map((one): [string | undefined, JsonObject] => {
        const lamp = found.find(({ id }) => id === one.id);
        assert.ok(lamp !== undefined && 'raw' in one);
        return [lamp.name, { ...stateOf(kind, one.raw, capabilitiesOf(kind, lamp)) }];
      });
    };
    return { ...here, at: here.bridge.lamp, tell: here.bridge.tell, stream, all, reported };
  }

  it('the stream reports all lamps when it is opened', async () => {
    const { all, stream } = await opened();
    assert.equal(all, 6);
    await stream.close();
  });

  it('the stream puts together what an event has of a lamp with what was known of it', async () => {
    const { stream, tell, device, reported } = await opened();
    const { id } = await device('Sofa');
    tell('update', [{ id, type: 'light', dimming: { brightness: 20 } }]);
    tell('update', [{ id, type: 'light', color_temperature: { mirek: null, mirek_valid: false } }]);
    tell('update', [{ id, type: 'light', color: { xy: { x: 0.1532, y: 0.0475 } } }]);
    const states = await reported();
    const before = { online: true, power_on: true };
    assert.deepEqual(states[0], ['Sofa (simulated)', { ...before, operation_state: 'dim 20, 2732 K' }]);
    assert.deepEqual(states[2], [
      'Sofa (simulated)',
      { ...before, operation_state: 'dim 20, color 48,0,255' },
    ]);
    await stream.close();
  });

  it('the stream takes both lights of a device offline with it, and nothing of another', async () => {
    const { stream, vendor, device, reported } = await opened();
    vendor.reach(await device('Wall'), false);
    assert.deepEqual(await reported(), [
      ['Wall (simulated) (Up (simulated))', { online: false }],
      ['Wall (simulated) (Down (simulated))', { online: false }],
    ]);
    await stream.close();
  });

  it('the stream is not misled by events of what nobody knows', async () => {
    const { stream, tell, reported } = await opened();
    tell('update', [{ id: 'nobody', type: 'light', on: { on: false } }]);
    tell('update', [
      { id: '00000005-0000-4000-8000-000000000001', type: 'grouped_light', on: { on: false } },
    ]);
    tell('error', []);
    assert.deepEqual(await reported(), []);
    assert.equal(stream.outcome(), undefined);
    await stream.close();
  });
});

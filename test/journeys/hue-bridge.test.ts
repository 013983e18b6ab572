import assert from 'node:assert/strict';
import { type AddressInfo, connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { createServer, type Server } from 'node:tls';
import { turnedClock } from '../../src/core/clock.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { hue_bridge } from '../../src/vendors/hue_bridge/index.ts';
import type { BridgeSimulator } from '../../src/vendors/hue_bridge/simulator.ts';
import { simulatedCertificate } from '../kit/certificates.ts';
import { CookieBrowser } from '../kit/cookie-browser.ts';
import { type ServedVendor, serveVendor } from '../kit/served-vendor.ts';
import { until } from '../kit/until.ts';
import { type Caller, makeWorld, type World } from '../kit/world.ts';

const ROUND_BUTTON = /tryck på den runda knappen.*inom 30 sekunder/i;

describe('a bridge at home, over TLS', () => {
  const clock = turnedClock();
  let served: ServedVendor;
  let bridge: BridgeSimulator;
  let tls: Server;
  let world: World;
  let caller: Caller;
  let host: string;
  before(async () => {
    served = await serveVendor(hue_bridge, clock);
    bridge = served.vendor as BridgeSimulator;
    bridge.releaseButton();
    tls = createServer(simulatedCertificate('001788fffe686f6d'), (socket) => {
      const inner = connect(Number(new URL(served.url).port), '127.0.0.1');
      for (const one of [socket, inner]) one.on('error', () => {});
      socket.pipe(inner).pipe(socket);
    });
    await new Promise<void>((resolve) => tls.listen(0, '127.0.0.1', resolve));
    host = `127.0.0.1:${(tls.address() as AddressInfo).port}`;
    world = await makeWorld({
      engine: 'sqlite',
      clock,
      adapters: [hue_bridge],
      env: { ELNAV_LOCAL_NETWORKS: '127.0.0.0/8' },
    });
    caller = await world.newAccount();
  });
  after(async () => {
    await world.close();
    tls.close();
    await served.close();
  });

  it('a bridge at home, over TLS is linked on the link page once its button was pressed, which the page asks for', async () => {
    const made = await caller.call('POST', '/link/sessions', { user_ref: 'u', vendor: 'hue_bridge' });
    const { url } = made.body as { url: string };
    const browser = CookieBrowser.inLanguage('sv');
    const form = `${url}/hue_bridge`;
    assert.match(await (await browser.send(form)).text(), ROUND_BUTTON);
    const body = () => ({ method: 'POST', body: new URLSearchParams({ host: ` https://${host}/ ` }) });
    const early = await browser.send(form, body());
    assert.equal(early.status, 409);
    const page = await early.text();
    assert.match(page, /Philips Hue Bridge släppte inte in oss än/);
    assert.match(page, ROUND_BUTTON);
    bridge.pressButton();
    const done = await browser.send(form, body());
    assert.equal(done.status, 303, await done.text());
  });

  it('a bridge at home, over TLS tells programs too what to do, obeys, and reports what happens at home', async () => {
    bridge.releaseButton();
    const link = () =>
      caller.call('POST', '/link', { vendor: 'hue_bridge', user_ref: 'u', credentials: { host } });
    const early = await link();
    assert.equal(early.status, 409);
    assert.match(JSON.stringify(early.body), /the button of the Hue Bridge was not pressed; press it/);
    bridge.pressButton();
    const made = await link();
    assert.equal(made.status, 200, JSON.stringify(made.body));
    const [first] = (made.body as { devices: { id: string }[] }).devices;
    const id = first?.id ?? '';
    const lit = async () => {
      const { body } = await caller.call('GET', `/devices/${id}`);
      return (body as { state: JsonObject }).state.power_on;
    };
    const off = await caller.call('POST', `/devices/${id}/command`, { type: 'turn_off' });
    assert.equal(off.status, 200, JSON.stringify(off.body));
    assert.equal(bridge.lamp(id).on, false);
    await until('the events are open', () => {
      clock.turn(1_000);
      return served.asked.includes('GET /eventstream/clip/v2');
    });
    // From here on the clock stands still, and what is stored is young enough to be served: only an event changes it.
    assert.equal(await lit(), false);
    bridge.arrange({ id, type: 'light', account: 1, link: '', details: {} }, 'on');
    await until('the event has arrived', async () => (await lit()) === true);
  });
});

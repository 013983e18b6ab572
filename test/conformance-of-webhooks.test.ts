import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Adapter } from '../src/adapter/adapter.ts';
import type { Webhook } from '../src/adapter/webhook.ts';
import type { CloudCheck } from '../src/proof/conformance/cloud.ts';
import { checkHomes } from '../src/proof/conformance/homes.ts';
import { checkWebhooks } from '../src/proof/conformance/webhooks.ts';
import { netatmo } from '../src/vendors/netatmo/index.ts';
import { makeVendorWorld, refOf } from './kit/vendor-world.ts';

/** The checks that find a fault with an adapter, and what they say. */
async function faultsOf(adapter: Adapter, check: (check: CloudCheck) => Promise<void>) {
  const simulator = await makeVendorWorld(adapter);
  const faults: string[] = [];
  const { devices } = await simulator.link();
  const refs = devices.slice(0, 1).map(refOf);
  const report = (name: string, fault: string | null) => fault !== null && faults.push(`${name}: ${fault}`);
  await check({ adapter, simulator, cloud: simulator.cloud, refs, isAlone: false, report });
  return faults;
}

const { webhook } = netatmo;

/** Mistakes that a webhook could have, and what must be found. */
const MISTAKES: Readonly<Record<string, readonly [Partial<Webhook>, RegExp]>> = {
  'tells nothing': [{ read: () => [] }, /deliveries told of no change/],
  'names devices otherwise than linking does': [
    { read: (body) => webhook.read(body).map((change) => ({ ...change, device: 'another' })) },
    /of the device another, which is not linked/,
  ],
  'names another account': [
    { read: (body) => webhook.read(body).map((change) => ({ ...change, vendorAccount: 'another' })) },
    /of the account another/,
  ],
  'names nothing at all': [
    { read: (body) => webhook.read(body).map(() => ({})) },
    /names neither a device nor an account/,
  ],
  'breaks at an odd field': [
    {
      read(body) {
        const { room_id } = body as { room_id: string };
        return webhook.read(body).map((change) => ({ ...change, at: room_id.length }));
      },
    },
    /a delivery of another shape is no error/,
  ],
  'takes every signature': [{ verify: () => true }, /did not sign is refused: the signature of another/],
  'refuses every signature': [{ verify: () => false }, /what the vendor signed is refused/],
  'does not look at the last byte': [
    {
      verify: ({ body, ...delivery }, secret) =>
        webhook.verify(
          { ...delivery, body: Buffer.concat([body.subarray(0, -1), Buffer.from('}')]) },
          secret,
        ),
    },
    /did not sign is refused: byte \d+ of the body is not signed/,
  ],
  'does not subscribe': [{ subscribe: async () => {} }, /deliveries told of no change/],
  'does not take the subscription back': [{ unsubscribe: async () => {} }, /taken back: \d+ deliveries/],
};

describe('the conformance of webhooks', () => {
  it('the conformance of webhooks finds no fault where there is none', async () => {
    assert.deepEqual(await faultsOf(netatmo, checkWebhooks), []);
  });

  for (const [name, [change, found]] of Object.entries(MISTAKES))
    it(`the conformance of webhooks finds one that ${name}`, async () => {
      const faults = await faultsOf({ ...netatmo, webhook: { ...webhook, ...change } }, checkWebhooks);
      assert.match(faults.join('\n'), found);
    });
});

describe('the conformance of sweeps', () => {
  it('the conformance of sweeps finds no fault where there is none', async () => {
    assert.deepEqual(await faultsOf(netatmo, checkHomes), []);
  });

  it('the conformance of sweeps finds one that gives what reads do not, that loses devices, and that breaks at one of elsewhere', async () => {
    const mistakes: readonly [NonNullable<Adapter['sweep']>, RegExp][] = [
      [async (_session, devices) => new Map(devices.map(({ id }) => [id, null])), /when it is read/],
      [async () => new Map(), /it left out every device/],
      [
        async (session, devices) => {
          if (devices.some(({ details }) => details.home_id === undefined)) throw new Error('which home?');
          return netatmo.sweep(session, devices);
        },
        /which home\?/,
      ],
    ];
    for (const [sweep, found] of mistakes)
      assert.match((await faultsOf({ ...netatmo, sweep }, checkHomes)).join('\n'), found);
  });
});

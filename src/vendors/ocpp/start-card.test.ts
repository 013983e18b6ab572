import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { send } from '../../adapter/adapters.ts';
import { type Cards, keepCards } from '../../adapter/charging.ts';
import { charger } from './charger.ts';
import { bare, type Protocol } from './test-bare-station.ts';
import { frames16, frames201 } from './test-frames.ts';
import { IDENTITY, type Installed, KEY, PASSWORD, type World } from './test-world.ts';

const start = (world: World, id_tag?: string) =>
  send(charger, world.session(), world.device(), {
    type: 'start_charge',
    ...(id_tag !== undefined && { id_tag }),
  });

async function connected(t: TestContext, protocol: Protocol, credentials: Installed = {}) {
  const { world, station } = await bare(t, protocol, { options: { settleMs: 20 } });
  await world.host.link(KEY, { identity: IDENTITY, password: PASSWORD, ...credentials });
  await station.connect();
  const action = protocol === 'ocpp1.6' ? 'RemoteStartTransaction' : 'RequestStartTransaction';
  const tags = () => station.calls(action).map(({ idTag, idToken }) => idTag ?? idToken);
  return { world, station, tags };
}

const CENTRAL = (idToken: string) => ({ idToken, type: 'Central' });
const CARD = (idToken: string) => ({ idToken, type: 'ISO14443' });

test('1.6: a start presents the card of the command, else that of the link, else our own tag', async (t) => {
  const { world, tags } = await connected(t, 'ocpp1.6');
  await start(world);
  await start(world, '04A1B2C3');
  const linked = await connected(t, 'ocpp1.6', { id_tag: 'HOUSE' });
  await start(linked.world);
  await start(linked.world, '04A1B2C3');
  assert.deepEqual(
    [tags(), linked.tags()],
    [
      ['ELNAV', '04A1B2C3'],
      ['HOUSE', '04A1B2C3'],
    ],
  );
});

test('2.0.1: a start presents the card of the command, a serial number as that of a card, other words as ours', async (t) => {
  const { world, tags } = await connected(t, 'ocpp2.0.1', { id_tag: 'HOUSE' });
  const sent = ['04A1B2C3', '04a1b2c3d4e5f6', '04A1B2C3D4E5F6A7B8C9', '04A1B2', 'DE-ABC-C12345', undefined];
  for (const tag of sent) await start(world, tag);
  assert.deepEqual(tags(), [
    ...sent.slice(0, 3).map((tag) => CARD(String(tag))),
    ...['04A1B2', 'DE-ABC-C12345', 'HOUSE'].map(CENTRAL),
  ]);
});

test('2.0.1: a transaction of a start is stored with the card of the command', async (t) => {
  const { world, station } = await connected(t, 'ocpp2.0.1');
  await start(world, '04A1B2C3');
  const { remoteStartId } = station.calls('RequestStartTransaction')[0] ?? {};
  await frames201(world, station).started('tx', { info: { remoteStartId } });
  assert.equal(world.link.starts[0]?.idTag, '04A1B2C3');
});

test('1.6: a card of more than 20 characters is refused, and nothing is sent; 2.0.1 takes 36', async (t) => {
  const { world, tags } = await connected(t, 'ocpp1.6');
  await assert.rejects(start(world, 'X'.repeat(21)), {
    code: 'command.out_of_range',
    message: /at most 20 characters/,
  });
  assert.deepEqual(tags(), []);
  const newer = await connected(t, 'ocpp2.0.1');
  await start(newer.world, 'X'.repeat(36));
  assert.deepEqual(newer.tags(), [CENTRAL('X'.repeat(36))]);
});

const LIST: Cards = {
  accept: 'list',
  cards: [
    { id: '04E91C5A' },
    { id: 'LOST-1', blocked: true },
    { id: 'GUEST', expires_at: '2020-01-01T00:00:00Z' },
  ],
};

for (const protocol of ['ocpp1.6', 'ocpp2.0.1'] as const) {
  test(`${protocol}: a start with a card that the list does not accept is refused, and nothing is sent`, async (t) => {
    const { world, tags } = await connected(t, protocol);
    await keepCards(world.host.documents(KEY), LIST);
    for (const [tag, why] of [
      ['STRANGER', /not in the list/],
      ['LOST-1', /blocked/],
      ['GUEST', /expired/],
    ] as const)
      await assert.rejects(start(world, tag), { code: 'command.card_refused', message: why });
    assert.deepEqual(tags(), []);
    await start(world, '04e91c5a');
    await start(world);
    assert.equal(tags().length, 2, 'our own tag is not judged');
  });
}

test('1.6: a transaction with the card of a start is accepted like one of that card', async (t) => {
  const { world, station } = await connected(t, 'ocpp1.6');
  await keepCards(world.host.documents(KEY), LIST);
  await start(world, '04E91C5A');
  await frames16(world, station).start(0, { idTag: '04E91C5A' });
  assert.equal(world.link.starts[0]?.idTag, '04E91C5A');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Cards, keepCards } from '../../adapter/cards.ts';
import { turnedClock } from '../../core/clock.ts';
import { charging, command, settle } from './test-settled-station.ts';
import { KEY, type World } from './test-world.ts';

const say = (world: World, cards: Cards) => keepCards(world.host.documents(KEY), cards);

const LIST: Cards = {
  accept: 'list',
  cards: [
    { id: '04E91C5A' },
    { id: 'LOST-1', blocked: true },
    { id: 'GUEST', expires_at: '2026-11-21T10:00:00Z' },
  ],
};

for (const protocol of ['ocpp1.6', 'ocpp2.0.1'] as const) {
  test(`${protocol}: every card may charge by default`, async (t) => {
    const { world, station } = await settle(t, { station: { protocol } });
    await station.plugIn();
    assert.equal(await station.card('ANY'), 'Accepted');
    assert.equal(await charging(world), true);
  });

  test(`${protocol}: with a list, only its cards may charge, whatever their case`, async (t) => {
    const clock = turnedClock();
    const { world, station } = await settle(t, { station: { protocol }, clock });
    await say(world, LIST);
    await station.plugIn();
    assert.equal(await station.card('STRANGER'), 'Invalid');
    assert.equal(await station.card('LOST-1'), 'Blocked');
    assert.equal(world.link.starts.length, 0);
    assert.equal(await station.card('04e91c5a'), 'Accepted');
    assert.equal(await charging(world), true);
    const [plug] = station.plugs;
    assert.ok(plug !== undefined);
    station.end(plug, 'Local');
    await station.idle();
    await station.unplug();
    assert.equal(await station.card('GUEST'), 'Accepted');
    clock.turn(3_600_000);
    assert.equal(await station.card('GUEST'), 'Expired');
  });

  test(`${protocol}: a charge with a refused card is stored, and ended`, async (t) => {
    const { world, station } = await settle(t, { station: { protocol } });
    await say(world, LIST);
    await station.plugIn();
    const [plug] = station.plugs;
    assert.ok(plug !== undefined);
    // As a station does that was offline, or uses its own list.
    station.begin(plug, 'STRANGER');
    await station.idle();
    assert.equal(world.link.starts[0]?.idTag, 'STRANGER');
    assert.equal(world.link.ends[0]?.reason, 'DeAuthorized');
    assert.equal(await charging(world), false);
  });

  test(`${protocol}: a remote start works whatever the policy for cards`, async (t) => {
    const { world, station } = await settle(t, {
      station: { protocol, quirks: { authorizesFirst: true } },
    });
    await say(world, { accept: 'none', cards: [{ id: '04E91C5A' }] });
    await station.plugIn();
    assert.equal(await station.card('04E91C5A'), 'Invalid');
    await command(world, 'start_charge');
    assert.equal(await charging(world), true);
    assert.equal(world.link.ends.length, 0);
  });
}

test('ocpp2.0.1: a card with the text of our own token is judged as a card', async (t) => {
  const { world, station } = await settle(t, { station: { protocol: 'ocpp2.0.1' } });
  await say(world, { accept: 'none', cards: [] });
  const asked = (type: string) =>
    station.call('Authorize', { idToken: { idToken: type === 'NoAuthorization' ? '' : 'ELNAV', type } });
  assert.deepEqual(await asked('ISO14443'), { idTokenInfo: { status: 'Invalid' } });
  assert.deepEqual(await asked('Central'), { idTokenInfo: { status: 'Accepted' } });
  assert.deepEqual(await asked('NoAuthorization'), { idTokenInfo: { status: 'Accepted' } });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bare, worldOf } from './test-bare-station.ts';

import { command, IDENTITY, KEY, settle, until } from './test-world.ts';

const idsOf = (found: readonly { readonly id: string }[] | null) => found?.map(({ id }) => id);

test('the first connector keeps its id when others appear, and its transaction can be stopped after a reconnect', async (t) => {
  const { world, station } = await settle(t, { station: { protocol: 'ocpp2.0.1' } });
  await station.plugIn();
  await command(world, 'start_charge');
  await station.call('StatusNotification', {
    timestamp: station.now,
    connectorStatus: 'Available',
    evseId: 2,
    connectorId: 1,
  });
  await until('both are announced', () => world.link.discovered?.length === 2);
  assert.deepEqual(idsOf(world.link.discovered), [IDENTITY, `${IDENTITY}:2`]);
  await station.disconnect();
  await world.restart();
  await station.connect({ boots: false });
  await command(world, 'stop_charge');
  assert.deepEqual(
    [world.link.starts[0]?.deviceId, world.link.ends[0]?.transactionId],
    [IDENTITY, world.link.starts[0]?.transactionId],
  );
});

test('a device keeps the id that an older version gave it', async (t) => {
  const world = await worldOf(t);
  await world.host.documents(KEY).put('station', {
    name: 'Old',
    smart_charging: true,
    connectors: [1, 2],
    default_limits: {},
    whole_limited: false,
  });
  world.link.starts.push(
    ...['1', '2'].map((transactionId) => ({
      transactionId,
      deviceId: transactionId === '1' ? IDENTITY : `${IDENTITY}:2`,
      startedAt: Date.now(),
      meterStartWh: null,
      idTag: null,
    })),
  );
  const station = world.station({ connectors: 3 });
  await station.connect();
  await until('all are announced', () => world.link.discovered?.length === 3);
  const ids = [`${IDENTITY}:1`, `${IDENTITY}:2`, `${IDENTITY}:3`];
  assert.deepEqual(idsOf(world.link.discovered), ids);
  assert.equal((await world.read(1)).in_transaction, true);
  assert.equal((await world.read(2)).in_transaction, true);
  await station.disconnect();
  await world.restart();
  await station.connect();
  await until('it is connected again', () => world.server.count() === 1);
  assert.deepEqual(idsOf(world.link.discovered), ids);
});

test('2.0.1: all EVSEs are announced after one request, whether or not they have reported their status', async (t) => {
  const { world, station } = await bare(t, 'ocpp2.0.1');
  const states = new Map([
    [1, 'Available'],
    [2, 'Unavailable'],
    [3, 'Occupied'],
    [4, ''],
  ]);
  station.answers.GetVariables = ({
    getVariableData,
  }: {
    getVariableData: { component: { evse?: { id: number } }; variable: object }[];
  }) => {
    const getVariableResult = getVariableData.map((asked) => {
      const attributeValue = states.get(asked.component.evse?.id ?? 0);
      return attributeValue === undefined
        ? { ...asked, attributeStatus: 'UnknownComponent' }
        : { ...asked, attributeStatus: 'Accepted', attributeValue };
    });
    return { getVariableResult };
  };
  await station.connect();
  await station.call('BootNotification', {
    reason: 'PowerUp',
    chargingStation: { vendorName: 'Maker', model: 'Box' },
  });
  await until('they are announced', () => world.link.discovered?.length === 3);
  assert.deepEqual(idsOf(world.link.discovered), [IDENTITY, `${IDENTITY}:2`, `${IDENTITY}:3`]);
});

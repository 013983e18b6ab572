import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Cards, keepCards } from '../../adapter/charging.ts';
import { turnedClock } from '../../core/clock.ts';
import { bare, type Protocol } from './test-bare-station.ts';
import { frames16, frames201 } from './test-frames.ts';
import { KEY, until } from './test-world.ts';

const LIST: Cards = { accept: 'list', cards: [{ id: 'KNOWN' }] };

async function listed(t: TestContext, protocol: Protocol) {
  const clock = turnedClock();
  const { world, station } = await bare(t, protocol, { clock });
  await keepCards(world.host.documents(KEY), LIST);
  await station.connect();
  return { world, station, clock };
}

test('1.6: a charge with a refused card is stopped where the station goes on with it', async (t) => {
  const { world, station, clock } = await listed(t, 'ocpp1.6');
  const transactionId = await frames16(world, station).start(0, { idTag: 'STRANGER' });
  clock.turn(world.options.refusedMs - 1);
  assert.deepEqual(station.calls('RemoteStopTransaction'), [], 'it has some time to stop by itself');
  clock.turn(1);
  await until('it is stopped', () => station.calls('RemoteStopTransaction').length === 1);
  assert.deepEqual(station.calls('RemoteStopTransaction'), [{ transactionId }]);
});

test('1.6: a charge with a refused card that the station ended is not stopped, and one with a known card never', async (t) => {
  const { world, station, clock } = await listed(t, 'ocpp1.6');
  const frames = frames16(world, station);
  await frames.stop(await frames.start(0, { idTag: 'STRANGER' }), 0);
  await frames.start(0, { idTag: 'KNOWN' });
  clock.turn(world.options.refusedMs);
  await frames.status('Charging');
  assert.deepEqual(station.received, []);
});

test('2.0.1: a charge with a refused card is stopped, also when the card comes after the cable', async (t) => {
  const { world, station, clock } = await listed(t, 'ocpp2.0.1');
  const frames = frames201(world, station);
  await frames.started('tx', { trigger: 'CablePluggedIn', info: { chargingState: 'EVConnected' } });
  await frames.updated('tx', { trigger: 'Authorized', card: 'STRANGER' });
  clock.turn(world.options.refusedMs);
  await until('it is stopped', () => station.calls('RequestStopTransaction').length === 1);
  assert.deepEqual(station.calls('RequestStopTransaction'), [{ transactionId: 'tx' }]);
});

test('2.0.1: a stranger who holds a card to a charge of another does not stop it', async (t) => {
  const { world, station, clock } = await listed(t, 'ocpp2.0.1');
  const frames = frames201(world, station);
  await frames.started('tx', { card: 'KNOWN' });
  await frames.updated('tx', { trigger: 'StopAuthorized', card: 'STRANGER' });
  clock.turn(world.options.refusedMs);
  await frames.updated('tx', { power: 7_000 });
  assert.deepEqual(station.received, []);
});

for (const accept of ['list', 'all'] as const) {
  test(`a station is ${accept === 'all' ? 'not ' : ''}told to end charges of refused cards where the cards are ${accept}`, async (t) => {
    const { world, station } = await bare(t, 'ocpp1.6');
    await keepCards(world.host.documents(KEY), { ...LIST, accept });
    station.answers.GetConfiguration = {
      configurationKey: [{ key: 'StopTransactionOnInvalidId', readonly: false, value: 'false' }],
    };
    station.answers.ChangeConfiguration = { status: 'Accepted' };
    station.answers.TriggerMessage = { status: 'Accepted' };
    await station.connect();
    await frames16(world, station).boot();
    await until('it was asked for its measurements', () => station.calls('TriggerMessage').length === 2);
    const told = station.calls('ChangeConfiguration');
    assert.deepEqual(told, accept === 'all' ? [] : [{ key: 'StopTransactionOnInvalidId', value: 'true' }]);

    const newer = await bare(t, 'ocpp2.0.1');
    await keepCards(newer.world.host.documents(KEY), { ...LIST, accept });
    const variable = { component: { name: 'TxCtrlr' }, variable: { name: 'StopTxOnInvalidId' } };
    newer.station.answers.GetVariables = {
      getVariableResult: [{ ...variable, attributeStatus: 'Accepted', attributeValue: 'false' }],
    };
    newer.station.answers.TriggerMessage = { status: 'Accepted' };
    await newer.station.connect();
    await frames201(newer.world, newer.station).boot();
    await until('it was asked for its measurements', () =>
      newer.station
        .calls('TriggerMessage')
        .some(({ requestedMessage }) => requestedMessage === 'MeterValues'),
    );
    const variables = newer.station
      .calls('SetVariables')
      .flatMap(({ setVariableData }) => setVariableData as object[])
      .filter((one) => JSON.stringify(one).includes('StopTxOnInvalidId'));
    assert.deepEqual(variables, accept === 'all' ? [] : [{ ...variable, attributeValue: 'true' }]);
  });
}

test('a card is judged whole, also where it is longer than the protocol permits', async (t) => {
  const LONG = { 'ocpp1.6': '1'.repeat(20), 'ocpp2.0.1': '1'.repeat(36) } as const;
  for (const protocol of ['ocpp1.6', 'ocpp2.0.1'] as const) {
    const { world, station } = await listed(t, protocol);
    const cards = [{ id: LONG[protocol] }];
    await keepCards(world.host.documents(KEY), { accept: 'list', cards });
    const ask = async (id: string) => {
      const tag = protocol === 'ocpp1.6' ? { idTag: id } : { idToken: { idToken: id, type: 'Local' } };
      const { idTagInfo, idTokenInfo } = await station.call('Authorize', tag);
      return ((idTagInfo ?? idTokenInfo) as { status: string }).status;
    };
    assert.deepEqual([await ask(LONG[protocol]), await ask(`${LONG[protocol]}1`)], ['Accepted', 'Invalid']);
  }
  const { world, station } = await listed(t, 'ocpp1.6');
  await keepCards(world.host.documents(KEY), { accept: 'list', cards: [{ id: LONG['ocpp1.6'] }] });
  const start = { connectorId: 1, meterStart: 0, timestamp: '2026-11-21T09:00:00Z', idTag: '1'.repeat(21) };
  const { idTagInfo } = await station.call('StartTransaction', start);
  assert.deepEqual(idTagInfo, { status: 'Invalid' });
  assert.equal(world.link.starts[0]?.idTag, LONG['ocpp1.6'], 'it is stored cut');
});

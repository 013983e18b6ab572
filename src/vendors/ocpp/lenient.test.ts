import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { bare, type Protocol, refusal } from './test-bare-station.ts';
import { until } from './test-world.ts';
import { loadSchemas } from './wire/schemas.ts';

/** A station that does not respond to our calls, and boots only when a test says so. */
async function arrived(t: TestContext, protocol: Protocol = 'ocpp1.6') {
  const { world, station } = await bare(t, protocol);
  station.otherwise = refusal('NotSupported');
  return { world, station: await station.connect() };
}

const now = () => new Date().toISOString();
const boot16 = (more: object) => ({ chargePointVendor: 'Maker', chargePointModel: 'Box', ...more });
const boot201 = (more: object) => ({
  reason: 'PowerUp',
  chargingStation: { vendorName: 'Maker', model: 'Box', ...more },
});

const BOOTS: readonly [Protocol, string, object, string][] = [
  ['ocpp1.6', 'a property of the vendor', boot16({ meterFirmware: '1.2' }), 'Maker Box'],
  [
    'ocpp1.6',
    'serial numbers of 26 and 34',
    boot16({ chargeBoxSerialNumber: 'S'.repeat(26), meterSerialNumber: 'S'.repeat(34) }),
    'Maker Box',
  ],
  ['ocpp1.6', 'iccid null', boot16({ iccid: null, imsi: null }), 'Maker Box'],
  ['ocpp1.6', 'a model of 23', boot16({ chargePointModel: 'M'.repeat(23) }), `Maker ${'M'.repeat(20)}`],
  ['ocpp1.6', 'a number for text', boot16({ chargePointModel: 7 }), 'Maker 7'],
  ['ocpp1.6', 'no model', { chargePointVendor: 'Maker' }, 'Maker'],
  ['ocpp1.6', 'NUL and half a character', boot16({ chargePointModel: 'B\u0000o\ud800x' }), 'Maker Bo\ufffdx'],
  ['ocpp2.0.1', 'a property of the vendor', { ...boot201({ meter: 1 }), uptime: 3 }, 'Maker Box'],
  ['ocpp2.0.1', 'a serial number of 34', boot201({ serialNumber: 'S'.repeat(34) }), 'Maker Box'],
  ['ocpp2.0.1', 'modem null', boot201({ modem: null, serialNumber: null }), 'Maker Box'],
  ['ocpp2.0.1', 'a reason of the vendor', { ...boot201({}), reason: 'Coffee' }, 'Maker Box'],
  ['ocpp2.0.1', 'a model of 23', boot201({ model: 'M'.repeat(23) }), `Maker ${'M'.repeat(20)}`],
];

for (const [protocol, oddity, params, name] of BOOTS) {
  test(`${protocol}: the server accepts a BootNotification with ${oddity}`, async (t) => {
    const { world, station } = await arrived(t, protocol);
    const [type, , answer] = await station.exchange('BootNotification', params);
    assert.deepEqual([type, (answer as { status: string }).status], [3, 'Accepted']);
    await until('it is named', () => world.link.discovered?.[0]?.name === name);
  });
}

const status16 = (more: object) => ({ connectorId: 1, errorCode: 'NoError', status: 'Charging', ...more });
const status201 = (more: object) => ({
  timestamp: now(),
  evseId: 1,
  connectorId: 1,
  connectorStatus: 'Occupied',
  ...more,
});

const STATES: readonly [Protocol, string, object, string][] = [
  ['ocpp1.6', 'info of 51', status16({ info: 'i'.repeat(51) }), 'Charging'],
  ['ocpp1.6', 'an error code of the vendor', status16({ errorCode: 'E42' }), 'Charging'],
  ['ocpp1.6', 'no error code', { connectorId: 1, status: 'Charging' }, 'Charging'],
  ['ocpp1.6', 'a number in text', status16({ connectorId: '1' }), 'Charging'],
  ['ocpp1.6', 'a status in capitals', status16({ status: 'SUSPENDED_EV' }), 'SuspendedEV'],
  ['ocpp1.6', 'vendorErrorCode null', status16({ vendorErrorCode: null, vendorId: 9 }), 'Charging'],
  ['ocpp2.0.1', 'a property of the vendor', status201({ info: 'x' }), 'Occupied'],
  ['ocpp2.0.1', 'no timestamp', { ...status201({}), timestamp: null }, 'Occupied'],
];

for (const [protocol, oddity, params, word] of STATES) {
  test(`${protocol}: the server accepts a StatusNotification with ${oddity}`, async (t) => {
    const { world, station } = await arrived(t, protocol);
    assert.equal((await station.exchange('StatusNotification', params))[0], 3);
    assert.equal((await world.read()).word, word);
  });
}

test('the server accepts an unknown status, which leaves the state unchanged', async (t) => {
  const { world, station } = await arrived(t);
  await station.exchange('StatusNotification', status16({}));
  assert.equal((await station.exchange('StatusNotification', status16({ status: 'Dancing' })))[0], 3);
  assert.equal((await world.read()).word, 'Charging');
});

const WATTS = { value: '7200', measurand: 'Power.Active.Import', unit: 'W' };
const watts = (more: object) => [{ ...WATTS, ...more }];

/** What is sent, and how many samples of it are stored; 7200 W is among them unless there are none. */
const SAMPLES: readonly [string, unknown[], number][] = [
  [
    'a measurand of the vendor among good ones',
    [...watts({}), { value: '5', measurand: 'Vendor.Temp', unit: 'K' }],
    1,
  ],
  ['only a measurand of the vendor', [{ value: '5', measurand: 'Vendor.Temp' }], 0],
  ['a context of the vendor', watts({ context: 'Periodic.Sample' }), 1],
  ['a number for text', watts({ value: 7200 }), 1],
  ['KW', watts({ value: '7.2', unit: 'KW' }), 1],
  ['kwh beside it', [...watts({}), { value: '1.5', unit: 'kwh' }], 2],
  [
    'an unknown unit',
    [...watts({}), { value: '1', measurand: 'Energy.Active.Import.Register', unit: 'MWh' }],
    1,
  ],
  ['an unknown location', [...watts({}), { ...WATTS, value: '9', location: 'Upstream' }], 1],
  ['blank words', watts({ context: '', phase: '', location: ' ', format: null }), 1],
  ['a value null', [...watts({}), { value: null }], 1],
  ['an item that is not an object', [...watts({}), 'power', null, []], 1],
  ['a property of the vendor', watts({ quality: 'good' }), 1],
];

for (const [oddity, sampledValue, stored] of SAMPLES) {
  test(`1.6: the server accepts MeterValues with ${oddity}`, async (t) => {
    const { world, station } = await arrived(t);
    await station.exchange('StatusNotification', status16({}));
    const params = { connectorId: 1, transactionId: null, meterValue: [{ timestamp: now(), sampledValue }] };
    assert.deepEqual((await station.exchange('MeterValues', params)).slice(0, 1), [3]);
    const samples = world.link.readings.flatMap((reading) => reading.samples);
    assert.equal(samples.length, stored);
    const power = samples.filter((sample) => sample.measurand === 'Power.Active.Import');
    assert.deepEqual(
      power.map(({ value }) => value),
      stored === 0 ? [] : [7200],
    );
  });
}

test("2.0.1: only the vendor's own sampled value is dropped, and its register is kept separate", async (t) => {
  const { world, station } = await arrived(t, 'ocpp2.0.1');
  const sampledValue = [
    { value: '7200', measurand: 'Power.Active.Import', unitOfMeasure: { unit: 'W', multiplier: '0' } },
    { value: 5, measurand: 'Vendor.Temperature' },
    { value: 9, unitOfMeasure: { unit: 'Wh', multiplier: 'many' } },
    { value: 'NaN', measurand: 'Energy.Active.Import.Register' },
  ];
  const meterValue = [
    { timestamp: now(), sampledValue },
    { timestamp: now(), sampledValue: [{ value: 'x' }] },
  ];
  assert.equal((await station.exchange('MeterValues', { evseId: 1, meterValue }))[0], 3);
  const samples = world.link.readings.flatMap((reading) => reading.samples);
  assert.deepEqual(
    samples.map(({ measurand, value }) => [measurand, value]),
    [['Power.Active.Import', 7200]],
  );
});

test('of thousands of values in one message the last hundreds are stored', async (t) => {
  const { world, station } = await arrived(t);
  await station.exchange('StatusNotification', status16({}));
  const moments = Array.from({ length: 600 }, (_, index) => ({
    timestamp: new Date(Date.now() - 600_000 + index * 1_000).toISOString(),
    sampledValue: [
      { value: String(index), measurand: 'Power.Active.Import', unit: 'W' },
      { value: String(index), unit: 'Wh' },
    ],
  }));
  assert.equal((await station.exchange('MeterValues', { connectorId: 1, meterValue: moments }))[0], 3);
  const samples = world.link.readings.flatMap((reading) => reading.samples);
  assert.deepEqual([samples.length, samples.at(-1)?.value], [200, 599]);
  const one = Array.from({ length: 3_400 }, () => ({ value: '1', unit: 'Wh' }));
  const crowded = { connectorId: 1, meterValue: [{ timestamp: now(), sampledValue: one }] };
  assert.equal((await station.exchange('MeterValues', crowded))[0], 3);
  assert.equal(world.link.readings.at(-1)?.samples.length, 200);
});

test('1.6: a transaction ends with a reason of the vendor, half a watt-hour or odd data', async (t) => {
  const { world, station } = await arrived(t);
  const odd: object[] = [
    { meterStop: 3600.5, reason: 'CarIsFull' },
    { meterStop: '3601', reason: null },
    {
      meterStop: 3601,
      reason: 'evdisconnected',
      idTag: 'T'.repeat(30),
      transactionData: [{ sampledValue: 3 }],
    },
  ];
  for (const [index, more] of odd.entries()) {
    const start = { connectorId: 1, idTag: 'A', meterStart: index, timestamp: now() };
    const [, , { transactionId }] = (await station.exchange('StartTransaction', start)) as [
      3,
      string,
      { transactionId: number },
    ];
    const answer = await station.exchange('StopTransaction', { transactionId, timestamp: now(), ...more });
    assert.deepEqual([answer[0], answer[2]], [3, {}]);
  }
  const ends = world.link.ends.map(({ meterStopWh, reason }) => [meterStopWh, reason]);
  assert.deepEqual(ends, [
    [3601, 'Other'],
    [3601, 'Local'],
    [3601, 'EVDisconnected'],
  ]);
});

test('1.6: a start with a card of 30 characters, or a number as the card, is stored with the text cut', async (t) => {
  const { world, station } = await arrived(t);
  const start = { connectorId: 1, meterStart: '12.4', timestamp: now(), reservationId: null };
  assert.equal((await station.exchange('StartTransaction', { ...start, idTag: 'T'.repeat(30) }))[0], 3);
  assert.equal((await station.exchange('StartTransaction', { ...start, meterStart: 20, idTag: 4711 }))[0], 3);
  assert.deepEqual(
    world.link.starts.map(({ idTag, meterStartWh }) => [idTag, meterStartWh]),
    [
      ['T'.repeat(20), 12],
      ['4711', 20],
    ],
  );
});

test('2.0.1: the server accepts a transaction event with values of the vendor', async (t) => {
  const { world, station } = await arrived(t, 'ocpp2.0.1');
  const event = (eventType: string, more: object) => ({
    eventType,
    timestamp: now(),
    triggerReason: 'CoffeeReady',
    evse: { id: '1', connectorId: null },
    transactionInfo: { transactionId: 77, chargingState: 'CHARGING', ...more },
    idToken: { idToken: 123, type: 'Badge' },
  });
  assert.equal((await station.exchange('TransactionEvent', event('Started', {})))[0], 3);
  assert.deepEqual([world.link.starts[0]?.idTag, (await world.read()).word], ['123', 'Charging']);
  assert.equal((await station.exchange('TransactionEvent', event('Ended', { stoppedReason: 'Full' })))[0], 3);
  assert.deepEqual([world.link.ends[0]?.transactionId, world.link.ends[0]?.reason], ['77', 'Other']);
});

test('notifications that are not used are acknowledged, whatever they contain', async (t) => {
  const { station } = await arrived(t);
  const firmware = await station.exchange('FirmwareStatusNotification', { status: 'HalfDone', progress: 3 });
  assert.deepEqual([firmware[0], firmware[2]], [3, {}]);
  assert.equal((await station.exchange('Heartbeat', null))[0], 3);
  assert.equal((await station.exchange('Heartbeat', { uptime: 7 }))[0], 3);
});

const REFUSED: readonly [string, unknown, string, string][] = [
  [
    'StopTransaction',
    { transactionId: 1, timestamp: now() },
    'OccurrenceConstraintViolation',
    'meterStop is needed',
  ],
  [
    'StopTransaction',
    { transactionId: null, timestamp: now(), meterStop: 1 },
    'OccurrenceConstraintViolation',
    'transactionId is needed',
  ],
  [
    'StopTransaction',
    { transactionId: 1, timestamp: '', meterStop: 1 },
    'PropertyConstraintViolation',
    'timestamp must be a time',
  ],
  [
    'StartTransaction',
    { connectorId: 1, idTag: 'A', meterStart: 'x', timestamp: now() },
    'TypeConstraintViolation',
    'meterStart must be a number',
  ],
  [
    'StatusNotification',
    { errorCode: 'NoError', status: 'Charging' },
    'OccurrenceConstraintViolation',
    'connectorId is needed',
  ],
  [
    'MeterValues',
    { connectorId: 1, meterValue: 'none' },
    'TypeConstraintViolation',
    'meterValue must be a list',
  ],
  ['MeterValues', [], 'TypeConstraintViolation', 'the message must be an object'],
];

for (const [action, params, code, words] of REFUSED) {
  test(`the server refuses a message without what it needs: ${action}, ${words}`, async (t) => {
    const { station } = await arrived(t);
    const [type, , ...error] = await station.exchange(action, params);
    assert.deepEqual([type, ...error], [4, code, words, {}]);
  });
}

test('deviations are counted for each station, and logged once for each kind', async (t) => {
  const { world, station } = await arrived(t);
  const lines: unknown[][] = [];
  t.mock.method(world.host.log, 'info', (...line: unknown[]) => lines.push(line));
  const odd = status16({ info: 'i'.repeat(51), vendorField: 1 });
  await station.exchange('StatusNotification', odd);
  await station.exchange('StatusNotification', odd);
  const kinds = lines.map(([bindings]) => (bindings as { kind: string }).kind);
  assert.deepEqual(kinds.toSorted(), [
    'StatusNotification: info: text that is too long',
    'StatusNotification: the message: a property that the protocol does not have',
  ]);
});

test('responses of a station are repaired in the same way', async (t) => {
  const { world, station } = await bare(t, 'ocpp1.6');
  const settings = [
    { key: 'NumberOfConnectors', value: 2, readonly: 'true', unit: 'pieces' },
    { key: 'SupportedFeatureProfiles', value: 'Core', readonly: null },
    'nonsense',
  ];
  station.answers.GetConfiguration = { configurationKey: settings, unknownKey: null, more: 1 };
  station.otherwise = { status: 'ACCEPTED', info: 'x' };
  await station.connect();
  await station.call('BootNotification', boot16({}));
  await until('both connectors are announced', () => world.link.discovered?.length === 2);
  assert.equal(world.link.discovered?.[0]?.details?.smart_charging, false);
});

test('our own messages match the protocol exactly', async (t) => {
  const { world, station } = await arrived(t);
  const served = world.server.station({ account: 1, link: 'one' }) as {
    command(action: string, params: object): Promise<unknown>;
  };
  await assert.rejects(served.command('RemoteStopTransaction', { transactionId: 'x', note: 1 }), {
    code: 'vendor.refused',
    message: /^RemoteStopTransaction was not sent, because it does not match the protocol: /,
  });
  assert.equal(station.received.length, 0);
});

test('of a call with more than 200 values the newest readings are kept', async () => {
  const schemas = await loadSchemas();
  const reading = (hour: number, values: number) => ({
    timestamp: new Date(Date.UTC(2026, 10, 1) + hour * 3_600_000).toISOString(),
    sampledValue: Array.from({ length: values }, (_, index) => ({ value: String(index) })),
  });
  type Looked = { meterValue: { timestamp: string; sampledValue: unknown[] }[] };
  const readingsOf = (given: unknown) =>
    (schemas['ocpp1.6'].fromStation('MeterValues', given).value as Looked).meterValue;
  const many = Array.from({ length: 800 }, (_, hour) => reading(hour, 1));
  const looked = readingsOf({ connectorId: 1, meterValue: many });
  assert.deepEqual(
    [looked.length, looked[0]?.timestamp, looked.at(-1)?.timestamp],
    [200, many[600]?.timestamp, many[799]?.timestamp],
  );
  const wide = readingsOf({ connectorId: 1, meterValue: [reading(0, 150), reading(1, 150)] });
  assert.deepEqual(
    wide.map(({ sampledValue }) => sampledValue.length),
    [50, 150],
  );
  assert.equal(readingsOf({ connectorId: 1, meterValue: [reading(0, 3)] }).length, 1);
});

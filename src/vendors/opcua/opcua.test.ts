import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { StatusCodes } from 'node-opcua-client';
import { type LocalVendor, openLocalVendor } from '../../../test/kit/local-vendor.ts';
import { refOf } from '../../../test/kit/vendor-world.ts';
import { send } from '../../adapter/adapters.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import type { StreamSession } from '../../adapter/stream.ts';
import { AppError } from '../../core/errors.ts';
import { opcua } from './index.ts';
import type { SimulatedPlant } from './simulator.ts';
import type { PlantReading } from './translate.ts';

const { industrial } = opcua.kinds;
const NODE = 'nsu=urn:example:plant;s=Press1';

/** What is wrong with a map, and the sentence about it. */
const MAPS: readonly (readonly [map: object, sentence: RegExp])[] = [
  [
    { read_power: { node: `${NODE}.None`, unit: 'kW' } },
    /^credentials\.devices\[0\]\.read_power\.node nsu=urn:example:plant;s=Press1\.None: the server has no such node; its namespaces are .*urn:example:plant/,
  ],
  [{ read_power: { node: 'nsu=urn:other;s=Power', unit: 'kW' } }, /no such node/],
  [
    { measures: 'grid', state: { node: `${NODE}.State` } },
    /^credentials\.devices\[0\]\.measures is for a meter, which has read_power/,
  ],
  [{ read_power: { node: NODE, unit: 'kW' } }, /read_power\.node .*: it is no variable/],
  [{ read_power: { node: `${NODE}.State`, unit: 'kW' } }, /it is of type String, and must be a number/],
  [{ on_off: { node: `${NODE}.Mode`, on: true, off: false } }, /it is of type UInt16, and must be Boolean/],
  [
    { on_off: { node: `${NODE}.Power`, on: 1, off: 0 } },
    /on_off\.node .*: this user may not write it; let the server permit it, or leave out on_off/,
  ],
  [{ on_off: { node: `${NODE}.Mode`, on: 1, off: 1 } }, /devices\[0\]\.on_off has one value for on and off/],
  [
    { set_temperature: { node: `${NODE}.OilTarget`, unit: 'C', least: 60, most: 15 } },
    /set_temperature\.least is 60, and must be less than most, 15/,
  ],
  [{}, /devices\[0\] has no node/],
];

describe('a plant behind an OPC UA server', { timeout: 600_000 }, () => {
  let vendor: LocalVendor;
  let press: DeviceRef;
  const plant = () => vendor.served.device as SimulatedPlant;
  const session = (credentials: object = {}): Session => {
    const one = vendor.simulator.session();
    return { ...one, credentials: { ...one.credentials, ...credentials } };
  };
  const linkWith = (credentials: object) => opcua.link(session(credentials));
  const read = async (credentials: object = {}) =>
    (await industrial.read(session(credentials), press)) as PlantReading;
  const failsWith = (code: string, sentence: RegExp) => (error: unknown) => {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, sentence);
    return true;
  };

  beforeEach(async () => {
    vendor = await openLocalVendor(opcua);
    const [found] = (await linkWith({})).devices;
    assert.ok(found !== undefined);
    press = refOf(found);
  });
  afterEach(() => vendor.close());

  it('a plant behind an OPC UA server says what is wrong with a map, where, and what would be right', async () => {
    for (const [map, sentence] of MAPS)
      await assert.rejects(
        linkWith({ devices: [{ id: 'press-1', ...map }] }),
        failsWith('link.credentials_invalid', sentence),
      );
  });

  it('a plant behind an OPC UA server names the server and what it has to somebody without a map', async () => {
    await assert.rejects(
      linkWith({ devices: [], security: 'sign_and_encrypt' }),
      failsWith(
        'link.credentials_invalid',
        /map nodes of urn:example:plant:server \(certificate with SHA-256 [0-9a-f]{64}\), which has \/Press1\/Power \(nsu=urn:example:plant;s=Press1\.Power, Double\);.* \/Press1\/Limit \(nsu=urn:example:plant;s=Press1\.Limit, UInt16, writable\)$/,
      ),
    );
  });

  it('a plant behind an OPC UA server keeps the certificate that the server had, and refuses another', async () => {
    const { credentials = {}, vendorAccount } = await linkWith({ security: 'sign_and_encrypt' });
    assert.equal(vendorAccount, 'urn:example:plant:server');
    assert.match(String(credentials.server_fingerprint), /^[0-9a-f]{64}$/);
    await plant().server.changeCertificate('valid');
    await assert.rejects(
      read(credentials),
      failsWith('vendor.refused', /has another certificate than when it was linked/),
    );
    await plant().server.changeCertificate('expired');
    await assert.rejects(
      linkWith({ security: 'sign' }),
      failsWith('vendor.refused', /has a certificate that expired on/),
    );
  });

  it('a plant behind an OPC UA server sends no password that others can read', async () => {
    const user = { username: 'anna', password: 'correct horse' };
    await assert.rejects(
      linkWith({ security: 'none', ...user }),
      failsWith('link.credentials_invalid', /^credentials\.security is none, with which others may read/),
    );
    await assert.rejects(
      linkWith({ security: 'sign_and_encrypt', ...user }),
      failsWith('link.credentials_refused', /refuses the user name or the password$/),
    );
  });

  it('a plant behind an OPC UA server translates units and scales both ways, within the bounds of the map', async () => {
    const raw = await read();
    assert.equal(industrial.reads.read_power?.(raw), 40_000);
    assert.equal(industrial.reads.read_battery_soc?.(raw), 50);
    assert.deepEqual(industrial.limits?.(raw), { min_a: null, max_a: null, min_w: 5_000, max_w: 60_000 });
    await send(industrial, session(), press, { type: 'set_limit', max_w: 12_340 });
    await send(industrial, session(), press, { type: 'set_temperature', target_milli_c: 21_500 });
    assert.deepEqual(plant().commands(), ['write Limit = 123', 'write OilTarget = 21.5']);
    for (const [command, sentence] of [
      [{ type: 'set_limit', max_w: 4_999 }, /^max_w must be from 5000 to 60000, not 4999$/],
      [{ type: 'set_limit', max_a: 10 }, /press-1 is limited in watt: give max_w/],
      [{ type: 'set_temperature', target_milli_c: 60_001 }, /must be from 15000 to 60000/],
    ] as const)
      await assert.rejects(
        send(industrial, session(), press, command),
        failsWith('command.out_of_range', sentence),
      );
    assert.equal(plant().commands().length, 2);
  });

  it('a plant behind an OPC UA server takes what is Uncertain for unknown, what is Bad everywhere for offline, and times with care', async () => {
    const raw = await read();
    const node = `${NODE}.Power`;
    const good = { value: 40, quality: 'good', status: 'Good', measuredAt: raw.at - 5_000 } as const;
    const only = (reading: object): PlantReading => ({
      ...raw,
      map: { id: 'press-1', read_power: { node, unit: 'kW' } },
      values: new Map([[node, { ...good, ...reading }]]),
    });
    const seen = (reading: object) => {
      const one = only(reading);
      return [
        industrial.status(one).online,
        industrial.reads.read_power?.(one),
        industrial.observedAt?.(one),
      ];
    };
    assert.deepEqual(seen({}), [true, 40_000, raw.at - 5_000]);
    assert.deepEqual(seen({ quality: 'uncertain' }), [true, null, null]);
    assert.deepEqual(seen({ quality: 'bad', value: null }), [false, null, null]);
    assert.deepEqual(seen({ measuredAt: raw.at + 1 }), [true, 40_000, null]);
    assert.deepEqual(seen({ measuredAt: raw.at - 3_600_001 }), [true, 40_000, null]);
    assert.deepEqual(seen({ value: 'forty' }), [true, null, raw.at - 5_000]);
  });

  it('a plant behind an OPC UA server passes on what the server reports, and says that it has no subscription to give', async () => {
    const seen: PlantReading[] = [];
    const changed = Promise.withResolvers<void>();
    const ending = new AbortController();
    const one = session();
    const stream: StreamSession = {
      ...one,
      observed(_id, raw) {
        seen.push(raw as PlantReading);
        if (industrial.status(raw).power_on === false) changed.resolve();
      },
      reported: () => {},
      listChanged: () => {},
      tell: () => {},
      events: () => Promise.reject(new Error('it has none')),
    };
    const opened = Promise.withResolvers<void>();
    const running = opcua.stream.run(stream, [press], opened.resolve);
    await opened.promise;
    await send(industrial, session(), press, { type: 'turn_off' });
    await changed.promise;
    assert.ok(
      seen.every(({ values }) => values.size === 9),
      'a device is passed on whole',
    );
    plant().server.cut();
    await assert.rejects(running, failsWith('vendor.unreachable', /was lost/));
    ending.abort();
    plant().server.faults.subscriptions = StatusCodes.BadServiceUnsupported;
    const refusedStream = opcua.stream.run(stream, [press], () => assert.fail('it was opened'));
    await assert.rejects(refusedStream, failsWith('vendor.refused', /BadServiceUnsupported/));
    assert.equal(industrial.reads.read_power?.(await read()), 0, 'it can be read all the same');
  });
});

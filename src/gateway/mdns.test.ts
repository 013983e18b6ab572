import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import multicastDns from 'multicast-dns';
import { systemClock } from '../core/clock.ts';
import { browse, createInstances, type Resource } from './mdns.ts';

import { MOST_INSTANCES, MOST_INSTANCES_BYTES } from './wire/discovery.ts';

const SHELLY = '_shelly._tcp';

/** What a device announces, in full. */
const recordsOf = (name: string, address: string, { service = SHELLY, port = 80 } = {}): Resource[] => [
  { type: 'PTR', name: `${service}.local`, data: `${name}.${service}.local` },
  { type: 'SRV', name: `${name}.${service}.local`, data: { target: `${name}.local`, port } },
  { type: 'TXT', name: `${name}.${service}.local`, data: ['gen=2', 'app=Plus1PM', 'gen=9', 'flag'] },
  { type: 'A', name: `${name}.local`, data: address },
];

const taken = (records: readonly Resource[], services = [SHELLY]) => {
  const instances = createInstances(services);
  for (const record of records) instances.take(record);
  return instances;
};

describe('what announces itself', () => {
  const everything = () => true;

  it('what announces itself is put together from records in any order and case', () => {
    const shelly = recordsOf('ShellyPlus1PM-A8032AB12345', '192.168.1.20');
    const expected = [
      {
        service: SHELLY,
        name: 'ShellyPlus1PM-A8032AB12345',
        host: 'ShellyPlus1PM-A8032AB12345.local',
        addresses: ['192.168.1.20'],
        port: 80,
        txt: { gen: '2', app: 'Plus1PM', flag: '' },
      },
    ];
    assert.deepEqual(taken(shelly).list(everything), { instances: expected, areAll: true });
    assert.deepEqual(taken(shelly.toReversed()).list(everything).instances, expected);
    const shouted = shelly.map((record) => ({ ...record, name: record.name.toUpperCase() })) as Resource[];
    assert.deepEqual(taken(shouted).list(everything).instances, expected);
  });

  it('what announces itself is asked for what it left out', () => {
    const [pointer, place] = recordsOf('plug', '192.168.1.20');
    assert.ok(pointer !== undefined && place !== undefined);
    assert.deepEqual(taken([pointer]).missing, { instances: ['plug._shelly._tcp.local'], hosts: [] });
    assert.deepEqual(taken([pointer, place]).missing, { instances: [], hosts: ['plug.local'] });
    assert.deepEqual(taken([pointer, place]).list(everything).instances, []);
  });

  it('what announces itself is only what was asked for, at addresses that are permitted', () => {
    const records = [
      ...recordsOf('plug', '192.168.1.20'),
      ...recordsOf('elsewhere', '127.0.0.1'),
      ...recordsOf('printer', '192.168.1.30', { service: '_ipp._tcp' }),
    ];
    const { instances } = taken(records).list((address) => address.startsWith('192.168.'));
    assert.deepEqual(
      instances.map(({ name }) => name),
      ['plug'],
    );
  });

  it('what announces itself is bounded, however many there are', () => {
    const instances = createInstances([SHELLY]);
    const text = Array.from({ length: 200 }, (_, index) => `key${index}=${'å'.repeat(250)}`);
    for (let index = 0; index < 5_000; index += 1)
      for (const record of recordsOf(`plug-${index}`, `10.0.${index % 250}.7`))
        instances.take(record.type === 'TXT' ? { ...record, data: text } : record);
    const listed = instances.list(everything);
    assert.equal(listed.areAll, false);
    assert.ok(listed.instances.length > 20 && listed.instances.length <= MOST_INSTANCES);
    assert.ok(Buffer.byteLength(JSON.stringify(listed.instances)) <= MOST_INSTANCES_BYTES);
  });
});

describe('multicast DNS', () => {
  /** A port of its own: this machine may have a responder. */
  async function freePort(): Promise<number> {
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const { port } = socket.address();
    await new Promise<void>((resolve) => socket.close(resolve));
    return port;
  }
  const browsing = (port: number, isPermitted = (address: string): boolean => address === '127.0.0.1') =>
    browse({
      services: [SHELLY, '_hue._tcp'],
      interfaces: ['127.0.0.1'],
      isPermitted,
      clock: systemClock,
      signal: new AbortController().signal,
      port,
    });

  it('multicast DNS finds what answers, also where it says only a part at a time', async () => {
    const port = await freePort();
    const responder = multicastDns({ interface: '127.0.0.1', bind: '0.0.0.0', port });
    const [pointer, ...rest] = recordsOf('plug', '127.0.0.1');
    responder.on('query', ({ questions = [] }) => {
      const names = questions.map(({ name }) => name);
      if (pointer !== undefined && names.includes(pointer.name)) responder.respond([pointer]);
      const asked = rest.filter(({ name }) => names.includes(name));
      if (asked.length > 0) responder.respond(asked);
    });
    await once(responder, 'ready');
    const { instances, areAll } = await browsing(port);
    await new Promise<void>((resolve) => responder.destroy(resolve));
    assert.deepEqual(
      instances.map(({ name, addresses, txt }) => [name, addresses, txt.gen]),
      [['plug', ['127.0.0.1'], '2']],
    );
    assert.equal(areAll, true);
  });

  it('multicast DNS reads over what is no DNS, and believes nobody who is not permitted', async () => {
    const port = await freePort();
    const responder = multicastDns({ interface: '127.0.0.1', bind: '0.0.0.0', port });
    const noise = createSocket({ type: 'udp4', reuseAddr: true });
    noise.bind(0, '127.0.0.1', () => noise.setMulticastInterface('127.0.0.1'));
    await Promise.all([once(responder, 'ready'), once(noise, 'listening')]);
    responder.on('query', () => {
      for (const garbage of [Buffer.alloc(9_000, 0xc0), Buffer.from('GET / HTTP/1.1\r\n'), Buffer.alloc(0)])
        noise.send(garbage, port, '224.0.0.251');
      responder.respond(recordsOf('plug', '127.0.0.1'));
    });
    const heard = await browsing(port);
    assert.equal(heard.instances.length, 1);
    const strict = await browsing(port, () => false);
    assert.deepEqual(strict.instances, []);
    await new Promise<void>((resolve) => responder.destroy(resolve));
    noise.close();
  });
});

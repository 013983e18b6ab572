import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { ModbusTCPClient, ModbusTCPServer } from 'jsmodbus';
import modbusSerial from 'modbus-serial';
import { openLocalVendor } from '../../../test/kit/local-vendor.ts';
import type { DeviceRef } from '../../adapter/session.ts';
import { turnedClock } from '../../core/clock.ts';
import { sunspec } from './index.ts';
import { devices } from './simulated-devices.ts';
import { createSunSpec } from './simulator.ts';
import { offsetOf } from './test-device.ts';

/* Two Modbus stacks of others, on either side: they know neither the adapter nor its simulator. */

const REGISTERS = 0x1_0000;
const HYBRID_LENGTH = 547;

/** All registers of the hybrid inverter, where they belong. */
function dump(): Buffer {
  const device = createSunSpec(
    { clock: turnedClock(), address: { host: '127.0.0.1', port: 502 } },
    devices.hybrid,
  );
  const all = Buffer.alloc(REGISTERS * 2);
  const registers = device.registers(40_000, HYBRID_LENGTH);
  assert.ok(registers !== undefined);
  assert.equal(device.registers(40_000, HYBRID_LENGTH + 1), undefined);
  registers.copy(all, 80_000);
  return all;
}

/** A server of another project with these registers. */
const SERVERS = {
  async jsmodbus(test: TestContext, holding: Buffer): Promise<number> {
    const sockets: Socket[] = [];
    const server = createServer((socket) => sockets.push(socket));
    new ModbusTCPServer(server, { holding });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    test.after(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return (server.address() as AddressInfo).port;
  },
  async 'modbus-serial'(test: TestContext, holding: Buffer): Promise<number> {
    const server = new modbusSerial.ServerTCP(
      {
        getHoldingRegister: (address: number) => holding.readUInt16BE(address * 2),
        setRegister: (address: number, value: number) => void holding.writeUInt16BE(value, address * 2),
      },
      { host: '127.0.0.1', port: 0, unitID: 1 },
    );
    test.after(() => server.close(() => {}));
    await once(server, 'initialized');
    return (server as unknown as { _server: { address(): AddressInfo } })._server.address().port;
  },
};

/** A client of another project. */
const CLIENTS = {
  async jsmodbus(test: TestContext, port: number) {
    const socket = new Socket();
    const client = new ModbusTCPClient(socket, 1, 5_000);
    test.after(() => socket.destroy());
    await once(socket.connect(port, '127.0.0.1'), 'connect');
    return {
      read: async (address: number, count: number) =>
        (await client.readHoldingRegisters(address, count)).response.body.valuesAsBuffer,
      write: async (address: number, values: number[]) =>
        void (await client.writeMultipleRegisters(address, values)),
    };
  },
  async 'modbus-serial'(test: TestContext, port: number) {
    const client = new modbusSerial.default();
    test.after(() => client.close(() => {}));
    await client.connectTCP('127.0.0.1', { port });
    client.setID(1);
    return {
      read: async (address: number, count: number) =>
        (await client.readHoldingRegisters(address, count)).buffer,
      write: async (address: number, values: number[]) => void (await client.writeRegisters(address, values)),
    };
  },
};

for (const [stack, serve] of Object.entries(SERVERS)) {
  describe(`sunspec before a server of ${stack}`, { timeout: 600_000 }, () => {
    it(`sunspec before a server of ${stack} finds, reads and commands what is in its registers`, async (test) => {
      const holding = dump();
      const port = await serve(test, holding);
      const vendor = await openLocalVendor(sunspec);
      test.after(() => vendor.close());
      const session = () => ({ ...vendor.simulator.session(), credentials: { host: '127.0.0.1', port } });
      const { devices: found } = await sunspec.link(session());
      assert.deepEqual(
        found.map(({ type }) => type),
        ['solar_inverter', 'battery', 'industrial'],
      );
      const [inverter] = found;
      assert.ok(inverter !== undefined);
      const ref: DeviceRef = { account: 1, link: 'link-1', ...inverter, details: inverter.details ?? {} };
      const { solar_inverter: kind } = sunspec.kinds;
      const raw = await kind.read(session(), ref);
      assert.equal(kind.reads.read_production?.(raw), 4_000);
      assert.deepEqual(kind.limits?.(raw), { min_a: null, max_a: null, min_w: 0, max_w: 8_000 });
      await kind.controls.load_balancing?.set_limit(session(), ref, { type: 'set_limit', max_w: 2_000 });
      // Model 123 is at 40228: after the marker, 68, 52, 28, 32 and 46 registers.
      const at = 40_002 + 68 + 52 + 28 + 32 + 46 + offsetOf(123, 'WMaxLimPct');
      assert.equal(holding.toString('hex', at * 2, at * 2 + 10), '09c40000012c00000001');
    });
  });
}

for (const [stack, connect] of Object.entries(CLIENTS)) {
  describe(`the simulated SunSpec device and a client of ${stack}`, { timeout: 600_000 }, () => {
    it(`the simulated SunSpec device and a client of ${stack} agree on where power and limit are`, async (test) => {
      const vendor = await openLocalVendor(sunspec);
      test.after(() => vendor.close());
      const client = await connect(test, vendor.served.address.port);
      assert.equal((await client.read(40_000, 2)).toString('latin1'), 'SunS');
      assert.deepEqual([...(await client.read(40_070, 2)).swap16()], [103, 0, 50, 0]);
      const watts = async () => (await client.read(40_070 + offsetOf(103, 'W'), 1)).readInt16BE();
      assert.equal(await watts(), 4_000);
      const control = 40_228;
      assert.equal((await client.read(control, 1)).readUInt16BE(), 123);
      await client.write(control + offsetOf(123, 'WMaxLimPct'), [1_000]);
      await client.write(control + offsetOf(123, 'WMaxLim_Ena'), [1]);
      assert.equal(await watts(), 800);
      await assert.rejects(client.write(40_070 + offsetOf(103, 'W'), [1]));
      await assert.rejects(client.read(100, 2));
    });
  });
}

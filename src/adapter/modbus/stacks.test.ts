import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { ModbusTCPServer } from 'jsmodbus';
import modbusSerial from 'modbus-serial';
import { linkConnections } from '../../../test/kit/link-connections.ts';
import { modbus } from './index.ts';

/** What a device has in its tables, wherever it is asked: bits by their address, registers with the address in them. */
const isOn = (address: number) => address % 3 === 0;
const heldAt = (address: number) => (address * 7 + 1) & 0xffff;
const inputAt = (address: number) => (address * 13 + 5) & 0xffff;
const LAST = 0x1_0000;

/** Another project's server, and what was written into it. */
interface Stack {
  readonly port: number;
  register(address: number): number;
  coil(address: number): boolean;
}

async function byJsmodbus(test: TestContext): Promise<Stack> {
  const bits = () => Buffer.alloc(LAST / 8);
  const registers = (at: (address: number) => number) =>
    Buffer.from(Uint16Array.from({ length: LAST }, (_, address) => at(address)).buffer).swap16();
  const tables = { coils: bits(), discrete: bits(), holding: registers(heldAt), input: registers(inputAt) };
  for (let address = 0; address < LAST; address += 3)
    for (const table of [tables.coils, tables.discrete])
      table[address >> 3] = (table[address >> 3] ?? 0) | (1 << (address & 7));
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket));
  const { holding, coils } = new ModbusTCPServer(server, tables);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  test.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    register: (address) => holding.readUInt16BE(address * 2),
    coil: (address) => (((coils[address >> 3] ?? 0) >> (address & 7)) & 1) === 1,
  };
}

async function byModbusSerial(test: TestContext): Promise<Stack> {
  const written = new Map<number, number>();
  const switched = new Map<number, boolean>();
  const server = new modbusSerial.ServerTCP(
    {
      getCoil: (address: number) => switched.get(address) ?? isOn(address),
      getDiscreteInput: isOn,
      getInputRegister: inputAt,
      getHoldingRegister: (address: number) => written.get(address) ?? heldAt(address),
      setCoil: (address: number, value: boolean) => void switched.set(address, value),
      setRegister: (address: number, value: number) => void written.set(address, value),
    },
    { host: '127.0.0.1', port: 0, unitID: 1 },
  );
  const address = new Promise<AddressInfo>((resolve) => {
    server.on('initialized', () =>
      resolve((server as unknown as { _server: { address(): AddressInfo } })._server.address()),
    );
  });
  test.after(() => server.close(() => {}));
  return {
    port: (await address).port,
    register: (at) => written.get(at) ?? heldAt(at),
    coil: (at) => switched.get(at) ?? isOn(at),
  };
}

const STACKS = { jsmodbus: byJsmodbus, 'modbus-serial': byModbusSerial };
const registersAt = (at: (address: number) => number, first: number, count: number) =>
  Array.from({ length: count }, (_, index) => at(first + index));
const bitsAt = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => isOn(first + index));
const inWords = (bytes: Buffer) =>
  Array.from({ length: bytes.length / 2 }, (_, index) => bytes.readUInt16BE(index * 2));

for (const [stack, serve] of Object.entries(STACKS)) {
  describe(`Modbus with the server of ${stack}`, { timeout: 600_000 }, () => {
    async function met(test: TestContext) {
      const server = await serve(test);
      const { connections } = linkConnections(test, 'Meter');
      const target = { name: 'Meter', host: '127.0.0.1', port: server.port, unit: 1 };
      return { server, device: modbus({ connections }, target) };
    }

    it(`Modbus with the server of ${stack} reads all four tables, from the first address to the last and in the largest blocks`, async (test) => {
      const { device } = await met(test);
      for (const [first, count] of [
        [0, 1],
        [40_000, 125],
        [LAST - 125, 125],
      ] as const) {
        assert.deepEqual(inWords(await device.readHolding(first, count)), registersAt(heldAt, first, count));
        assert.deepEqual(inWords(await device.readInput(first, count)), registersAt(inputAt, first, count));
      }
      for (const [first, count] of [
        [0, 1],
        [9, 17],
        [16, 2_000],
      ] as const) {
        assert.deepEqual(await device.readCoils(first, count), bitsAt(first, count));
        assert.deepEqual(await device.readDiscrete(first, count), bitsAt(first, count));
      }
    });

    it(`Modbus with the server of ${stack} writes registers and coils where they belong, one and as many as the protocol permits`, async (test) => {
      const { device, server } = await met(test);
      await device.writeRegister(40_100, 0xfffe);
      assert.deepEqual(registersAt(server.register, 40_099, 3), [heldAt(40_099), 0xfffe, heldAt(40_101)]);
      const values = Array.from({ length: 123 }, (_, index) => 0x8000 + index);
      await device.writeRegisters(500, Buffer.from(Uint16Array.from(values).buffer).swap16());
      assert.deepEqual(registersAt(server.register, 499, 125), [heldAt(499), ...values, heldAt(623)]);
      await device.writeCoil(3, false);
      await device.writeCoil(4, true);
      assert.deepEqual([2, 3, 4, 5].map(server.coil), [false, false, true, false]);
      const pattern = Array.from({ length: 19 }, (_, index) => index % 2 === 0);
      await device.writeCoils(100, pattern);
      assert.deepEqual(
        Array.from({ length: 21 }, (_, index) => server.coil(99 + index)),
        [isOn(99), ...pattern, isOn(119)],
      );
    });
  });
}

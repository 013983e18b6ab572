import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import Type, { type Static } from 'typebox';
import { type Adapter, kind } from '../../src/adapter/adapter.ts';
import type { Command } from '../../src/adapter/commands.ts';
import type { Situation } from '../../src/adapter/conformance/witnesses.ts';
import type { Purpose } from '../../src/adapter/connections.ts';
import { limit } from '../../src/adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../src/adapter/session.ts';
import { AppError } from '../../src/core/errors.ts';

/** Registers, as Modbus has them: 0 is whether the lamp is on, 1 its watts. */
const ON = 0;
const READ = 3;
const WRITE = 6;
const COUNT = 2;

const Credentials = Type.Object(
  { host: Type.String({ maxLength: 200 }), port: Type.Integer({ minimum: 1, maximum: 65_535 }) },
  { additionalProperties: false },
);

/** MBAP header and PDU; the transaction id is not needed where one request is under way at a time. */
function frameOf(pdu: readonly number[]): Buffer {
  return Buffer.from([0, 1, 0, 0, 0, pdu.length + 1, 1, ...pdu]);
}

function frameLength(received: Uint8Array): number | undefined {
  if (received.length < 6) return undefined;
  if (received[2] !== 0 || received[3] !== 0) throw new Error('it is no Modbus');
  return 6 + ((received[4] ?? 0) << 8) + (received[5] ?? 0);
}

async function ask(session: Session, pdu: readonly number[], purpose: Purpose): Promise<Buffer> {
  const { host, port } = session.credentials as Static<typeof Credentials>;
  const request = frameOf(pdu);
  const exchange = { request, responseLength: frameLength, ...purpose };
  const response = Buffer.from(await session.connections.tcp({ host, port }).exchange(exchange)).subarray(7);
  if (response[0] !== pdu[0])
    throw new AppError('vendor.refused', `Meters refused the request (${response[1]})`);
  return response;
}

interface Registers {
  readonly on: boolean;
  readonly watt: number;
}

async function read(session: Session, { id }: DeviceRef): Promise<Registers> {
  const response = await ask(session, [READ, 0, ON, 0, COUNT], { device: id });
  return { on: response.readUInt16BE(2) === 1, watt: response.readUInt16BE(4) };
}

async function order(session: Session, { id }: DeviceRef, { type }: Command): Promise<void> {
  await ask(session, [WRITE, 0, ON, 0, type === 'turn_on' ? 1 : 0], { use: 'command', device: id });
}

/** A vendor that was made up for tests: a lamp on the wall of each user, that speaks Modbus over TCP. */
export function meters(port: number) {
  return {
    slug: 'meters',
    name: 'Meters',
    credentials: Credentials,
    words: {
      en: { host: { label: 'Address' }, port: { label: 'Port' } },
      sv: { host: { label: 'Adress' }, port: { label: 'Port' } },
    },
    ports: [port],
    budgets: [limit('requests', { calls: 1_000, seconds: 60, source: 'made up' })],
    pushes: false,
    pollSeconds: 0,
    async link(session) {
      await ask(session, [READ, 0, ON, 0, COUNT], { use: 'list' });
      const { host } = session.credentials as Static<typeof Credentials>;
      return { vendorAccount: host, devices: [{ id: 'lamp-1', type: 'light' }] };
    },
    kinds: {
      light: kind<Registers>({
        read,
        status: ({ on }) => ({ online: true, power_on: on }),
        reads: { read_power: ({ watt }) => watt },
        controls: { on_off: { turn_on: order, turn_off: order } },
      }),
    },
  } satisfies Adapter;
}

export interface ServedMeter {
  readonly port: number;
  /** Connections that were opened. */
  readonly sockets: Socket[];
  /** Requests that were under way at a time, at most. */
  readonly mostAtOnce: () => number;
  /** Takes requests and answers none, until told otherwise. */
  isDeaf: boolean;
  isOn: () => boolean;
  arrange(situation: Situation): void;
  close(): Promise<void>;
}

/** The lamp on the wall: a real server that takes its time for each request. */
export async function serveMeter(): Promise<ServedMeter> {
  const registers = [0, 0];
  const sockets: Socket[] = [];
  let atOnce = 0;
  let most = 0;
  const set = (on: number) => {
    registers[0] = on;
    registers[1] = on === 1 ? 9 : 0;
  };
  const answer = (request: Buffer): readonly number[] => {
    const [, , , , , , , code] = request;
    const value = request.readUInt16BE(10);
    if (code === WRITE) {
      set(value);
      return [WRITE, ...request.subarray(8, 12)];
    }
    return [READ, COUNT * 2, ...registers.flatMap((one) => [one >> 8, one & 0xff])];
  };
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', (request: Buffer) => {
      if (meter.isDeaf) return;
      atOnce += 1;
      most = Math.max(most, atOnce);
      setTimeout(() => {
        atOnce -= 1;
        socket.write(frameOf(answer(request)));
      }, 2);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const meter: ServedMeter = {
    port: (server.address() as AddressInfo).port,
    sockets,
    mostAtOnce: () => most,
    isDeaf: false,
    isOn: () => registers[0] === 1,
    arrange: (situation) => set(situation === 'off' ? 0 : 1),
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return meter;
}

import Type, { type Static } from 'typebox';
import { type Adapter, kind } from '../../src/adapter/adapter.ts';
import type { Command } from '../../src/adapter/commands.ts';
import type { Purpose } from '../../src/adapter/connections.ts';
import { limit } from '../../src/adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../src/adapter/session.ts';
import {
  DEVICE_FAULTS,
  type DeviceFault,
  type LocalSimulator,
  type LocalSimulatorOptions,
} from '../../src/adapter/simulator.ts';
import { AppError } from '../../src/core/errors.ts';

/** Registers, as Modbus has them: 0 is whether the lamp is on, 1 its watts. */
const ON = 0;
const READ = 3;
const WRITE = 6;
/** Which device it is. */
const NAME = 17;
const COUNT = 2;
/** Of the function code of a refusal, which a code of the exception follows. */
const EXCEPTION = 0x80;
const DEVICE_FAILURE = 4;
/** What a register holds that is not implemented. */
const UNKNOWN = 0xffff;

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
  readonly on: number;
  readonly watt: number;
}

const isKnown = (register: number) => register !== UNKNOWN;

async function read(session: Session, { id }: DeviceRef): Promise<Registers> {
  const response = await ask(session, [READ, 0, ON, 0, COUNT], { device: id });
  return { on: response.readUInt16BE(2), watt: response.readUInt16BE(4) };
}

async function order(session: Session, { id }: DeviceRef, { type }: Command): Promise<void> {
  await ask(session, [WRITE, 0, ON, 0, type === 'turn_on' ? 1 : 0], { use: 'command', device: id });
}

/** A vendor that was made up for tests: a lamp on the wall of each user, that speaks Modbus over TCP. */
export function meters(port = 502) {
  return {
    slug: 'meters',
    name: 'Meters',
    credentials: Credentials,
    words: {
      en: { host: { label: 'Address' }, port: { label: 'Port' } },
      sv: { host: { label: 'Adress' }, port: { label: 'Port' } },
    },
    isLocal: true as const,
    ports: [port],
    localSimulator: async () => ({ createLocalSimulator: createMeter }),
    budgets: [limit('requests', { calls: 1_000, seconds: 60, source: 'made up' })],
    pushes: false,
    pollSeconds: 0,
    async link(session) {
      const name = (await ask(session, [NAME], { use: 'list' })).toString('latin1', 1);
      if (name !== 'LAMP') throw new AppError('vendor.refused', `Meters found no lamp but ${name}`);
      const { host } = session.credentials as Static<typeof Credentials>;
      return { vendorAccount: host, devices: [{ id: 'lamp-1', type: 'light' }] };
    },
    kinds: {
      light: kind<Registers>({
        read,
        status: ({ on }) => ({ online: true, power_on: isKnown(on) ? on === 1 : null }),
        unrecognized: ({ on }) => (on > 1 ? [`register 0 = ${on}`] : []),
        reads: { read_power: ({ watt }) => (isKnown(watt) ? watt : null) },
        controls: { on_off: { turn_on: order, turn_off: order } },
      }),
    },
  } satisfies Adapter;
}

/** Devices as the tests of connections see them. */
export interface SimulatedMeter extends LocalSimulator {
  isOn(): boolean;
  /** Requests that were under way at a time, at most. */
  mostAtOnce(): number;
}

/** The lamp on the wall, which takes its time for each request. */
export function createMeter({ address }: LocalSimulatorOptions): SimulatedMeter {
  const registers = [0, 0];
  const written: string[] = [];
  let fault: DeviceFault | null = null;
  let atOnce = 0;
  let most = 0;
  const set = (on: number) => {
    registers[0] = on;
    registers[1] = on === 1 ? 9 : 0;
  };
  const answer = (request: Buffer): readonly number[] => {
    const [, , , , , , , code = 0] = request;
    if (code === WRITE) written.push(`write ${request.readUInt16BE(8)} = ${request.readUInt16BE(10)}`);
    if (fault === 'exception') return [code + EXCEPTION, DEVICE_FAILURE];
    if (code === NAME) return [NAME, ...Buffer.from(fault === 'wrong_device' ? 'OVEN' : 'LAMP')];
    if (code === WRITE) {
      set(request.readUInt16BE(10));
      return [WRITE, ...request.subarray(8, 12)];
    }
    const seen = fault === 'unknown_values' ? registers.map(() => UNKNOWN) : registers;
    return [READ, COUNT * 2, ...seen.flatMap((one) => [one >> 8, one & 0xff])];
  };
  return {
    credentials: { ...address },
    faults: DEVICE_FAULTS,
    fault(next) {
      fault = next;
    },
    arrange: (_device, situation) => set(situation === 'off' ? 0 : 1),
    commands: () => written,
    isOn: () => registers[0] === 1,
    mostAtOnce: () => most,
    accept(socket) {
      socket.on('data', (request: Buffer) => {
        atOnce += 1;
        most = Math.max(most, atOnce);
        setImmediate(() => {
          atOnce -= 1;
          socket.write(frameOf(answer(request)));
        });
      });
    },
  };
}

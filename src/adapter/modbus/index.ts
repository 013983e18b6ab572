import { isIP } from 'node:net';
import { AppError } from '../../core/errors.ts';
import type { Purpose, Target } from '../connections.ts';
import { outcomeUnknown } from '../failures.ts';
import type { Session } from '../session.ts';
import { errorOf } from './exceptions.ts';
import {
  bitsIn,
  frameOf,
  outcomeIn,
  READ,
  type Request,
  readRequest,
  responseLengthOf,
  writeCoilRequest,
  writeCoilsRequest,
  writeRegisterRequest,
  writeRegistersRequest,
} from './frames.ts';

/** A unit behind an address. */
export interface ModbusTarget extends Target {
  /** The vendor's name, for sentences. */
  readonly name: string;
  /** 0–255; one device may answer for several units. */
  readonly unit: number;
}

/** What a request is for, and how long its response may take. */
export interface ModbusPurpose extends Omit<Purpose, 'use'> {
  readonly use?: 'list' | 'read';
  /** ms; 5,000 unless it is said. */
  readonly timeoutMs?: number;
}

/** The four tables of a Modbus device. Addresses are those on the wire, from 0; registers are bytes, two for each, the high one first. */
export interface Modbus {
  /** At most 125. */
  readHolding(address: number, count: number, purpose?: ModbusPurpose): Promise<Buffer>;
  /** At most 125. */
  readInput(address: number, count: number, purpose?: ModbusPurpose): Promise<Buffer>;
  /** At most 2,000. */
  readCoils(address: number, count: number, purpose?: ModbusPurpose): Promise<boolean[]>;
  /** At most 2,000. */
  readDiscrete(address: number, count: number, purpose?: ModbusPurpose): Promise<boolean[]>;
  writeRegister(address: number, value: number, purpose?: Omit<ModbusPurpose, 'use'>): Promise<void>;
  /** At most 123; written together. */
  writeRegisters(address: number, registers: Uint8Array, purpose?: Omit<ModbusPurpose, 'use'>): Promise<void>;
  writeCoil(address: number, isOn: boolean, purpose?: Omit<ModbusPurpose, 'use'>): Promise<void>;
  /** At most 1,968; written together. */
  writeCoils(
    address: number,
    values: readonly boolean[],
    purpose?: Omit<ModbusPurpose, 'use'>,
  ): Promise<void>;
  /** A request that was made with `frames.ts`. */
  write(request: Request, purpose?: Omit<ModbusPurpose, 'use'>): Promise<void>;
}

/** Ids of a process go round: what follows one another never has the same. */
let transaction = 0;

/**
 * Modbus TCP with a unit. Failures are `vendor.unreachable`, `vendor.timeout`, `vendor.refused` (the device does not have or accept it) and
 * `vendor.answer_invalid`; of a write that was sent and not confirmed `command.outcome_unknown`.
 */
export function modbus({ connections }: Pick<Session, 'connections'>, target: ModbusTarget): Modbus {
  const { name, unit, ...tcp } = target;
  const host = isIP(tcp.host) === 6 ? `[${tcp.host}]` : tcp.host;
  const named = { name, address: `${host}:${tcp.port}`, unit };

  async function ask(request: Request, purpose: Purpose & { readonly timeoutMs?: number }): Promise<Buffer> {
    transaction = (transaction + 1) % 0x1_0000;
    const frame = frameOf(transaction, unit, request);
    const responseLength = responseLengthOf(frame, request);
    const response = await connections.tcp(tcp).exchange({ ...purpose, request: frame, responseLength });
    const outcome = outcomeIn(response, request);
    if (outcome === undefined)
      throw purpose.use === 'command'
        ? outcomeUnknown(name)
        : new AppError(
            'vendor.answer_invalid',
            `the response of ${name} at ${named.address} does not fit the request`,
          );
    if ('exception' in outcome) throw errorOf(outcome.exception, request, named);
    return outcome.data;
  }

  const registersOf =
    (code: number): Modbus['readHolding'] =>
    (address, count, purpose = {}) =>
      ask(readRequest(code, address, count), purpose);
  const bitsOf =
    (code: number): Modbus['readCoils'] =>
    async (address, count, purpose = {}) =>
      bitsIn(await ask(readRequest(code, address, count), purpose), count);
  const write = async (request: Request, purpose: Omit<ModbusPurpose, 'use'> = {}): Promise<void> => {
    await ask(request, { ...purpose, use: 'command' });
  };

  return {
    readHolding: registersOf(READ.holding),
    readInput: registersOf(READ.input),
    readCoils: bitsOf(READ.coils),
    readDiscrete: bitsOf(READ.discrete),
    write,
    writeRegister: async (address, value, purpose) => write(writeRegisterRequest(address, value), purpose),
    writeRegisters: async (address, registers, purpose) =>
      write(writeRegistersRequest(address, registers), purpose),
    writeCoil: async (address, isOn, purpose) => write(writeCoilRequest(address, isOn), purpose),
    writeCoils: async (address, values, purpose) => write(writeCoilsRequest(address, values), purpose),
  };
}

import type { ByteScript } from '../../core/byte-script.ts';
import { frameOf, type Request } from '../modbus/frames.ts';
import type { ModbusTarget } from '../modbus/index.ts';

const TRANSACTION = 1;
const HEADER_AND_FUNCTION = 8;

/** One write over Modbus TCP, which the device confirms by repeating where it wrote, and what or how much. */
export function writeScript({ host, port, unit }: Omit<ModbusTarget, 'name'>, request: Request): ByteScript {
  const send = frameOf(TRANSACTION, unit, request);
  const reply = Buffer.concat([send.subarray(0, HEADER_AND_FUNCTION), request.expected]);
  // Of what follows the length: the unit, the function, and what is repeated.
  reply.writeUInt16BE(2 + request.expected.length, 4);
  return { host, port, exchanges: [{ send, reply }] };
}

import { coerceNodeId, DataType, type DataValue, type NodeId, VariantArrayType } from 'node-opcua-client';
import {
  OPCUA_NUMBERS,
  type OpcuaReading,
  type OpcuaScalar,
  type OpcuaType,
} from '../../adapter/connections.ts';

const BY_URI = /^nsu=([^;]+);(.+)$/;

/** The id of a node in the namespaces that the server has now; undefined where it has not the one that is named, or it is no id. */
export function nodeIdOf(node: string, namespaces: readonly string[]): NodeId | undefined {
  const [, uri, identifier] = BY_URI.exec(node) ?? [];
  const index = uri === undefined ? undefined : namespaces.indexOf(uri);
  if (index === -1) return undefined;
  try {
    return coerceNodeId(index === undefined ? node : `ns=${index};${identifier}`);
  } catch {
    return undefined;
  }
}

/** The id with the URI of its namespace; those of OPC UA's own are short. */
export function textOf(id: NodeId, namespaces: readonly string[]): string {
  const text = id.toString();
  const uri = namespaces[id.namespace];
  const identifier = text.slice(text.indexOf(';') + 1);
  if (id.namespace === 0) return identifier;
  return uri === undefined || uri === '' ? text : `nsu=${uri};${identifier}`;
}

const TYPES: ReadonlySet<string> = new Set([...OPCUA_NUMBERS, 'Boolean', 'String']);
const isType = (name: string | undefined): name is OpcuaType => name !== undefined && TYPES.has(name);

/** The built-in type of a number that OPC UA gives it; null for those that are no scalars. */
export function typeOf(type: DataType): OpcuaType | null {
  const name: string | undefined = DataType[type];
  return isType(name) ? name : null;
}

/** Severity is in the two highest bits (OPC UA Part 4, 7.39). */
const QUALITIES = ['good', 'uncertain', 'bad', 'bad'] as const;

export const UNKNOWN_NODE: OpcuaReading = {
  value: null,
  quality: 'bad',
  status: 'BadNodeIdUnknown',
  measuredAt: null,
};

export function readingOf({ statusCode, value, sourceTimestamp }: DataValue): OpcuaReading {
  const quality = QUALITIES[statusCode.value >>> 30] ?? 'bad';
  const isScalar = value?.arrayType === VariantArrayType.Scalar;
  return {
    value: quality === 'bad' || !isScalar ? null : scalarOf(value.dataType, value.value),
    quality,
    status: statusCode.name,
    measuredAt: sourceTimestamp?.getTime() ?? null,
  };
}

function scalarOf(type: DataType, value: unknown): OpcuaScalar | null {
  // The library has 64 bits as two words of 32.
  if (type === DataType.Int64 || type === DataType.UInt64) {
    const [high = 0, low = 0] = Array.isArray(value) ? value : [];
    const words = Buffer.alloc(8);
    words.writeUInt32BE(Number(high) >>> 0, 0);
    words.writeUInt32BE(Number(low) >>> 0, 4);
    return Number(type === DataType.Int64 ? words.readBigInt64BE() : words.readBigUInt64BE());
  }
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  return typeof value === 'boolean' || typeof value === 'string' ? value : null;
}

/** A value as the library encodes it under a type. */
export function encodable(type: OpcuaType, value: OpcuaScalar): unknown {
  if (type !== 'Int64' && type !== 'UInt64') return value;
  const words = Buffer.alloc(8);
  const whole = BigInt(Math.trunc(Number(value)));
  if (type === 'Int64') words.writeBigInt64BE(whole);
  else words.writeBigUInt64BE(whole);
  return [words.readUInt32BE(0), words.readUInt32BE(4)];
}

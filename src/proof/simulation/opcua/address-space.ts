import {
  AttributeIds,
  type BrowseDescription,
  BrowseDirection,
  coerceExpandedNodeId,
  coerceLocalizedText,
  DataType,
  DataValue,
  NodeClass,
  type NodeId,
  QualifiedName,
  type ReadValueId,
  ReferenceDescription,
  resolveNodeId,
  type StatusCode,
  StatusCodes,
  VariantArrayType,
  type WriteValue,
} from 'node-opcua-client';
import type { Clock } from '../../../core/clock.ts';

type Scalar = number | boolean | string;

/** A variable of a simulated server; the identifier is in the server's own namespace, `s=Press1.Power`. */
export interface SimulatedVariable {
  readonly id: string;
  readonly name: string;
  /** The object that it is a component of, which there is once for each name. */
  readonly parent: string;
  readonly type: 'Boolean' | 'Byte' | 'Int16' | 'UInt16' | 'Int32' | 'UInt32' | 'Float' | 'Double' | 'String';
  read(): Scalar;
  /** Absent where the variable cannot be written; answers what a value is refused with. */
  write?(value: Scalar): StatusCode | undefined;
  /** What it is reported with instead of Good. */
  status?(): StatusCode;
  /** When it was measured, ms since 1970; now where it is absent. */
  measuredAt?(): number;
}

const OBJECTS = 'ns=0;i=85';
const READ = 1;
const WRITE = 2;

/** The nodes of a simulated server: objects with variables below `Objects`, and what clients ask each server for. */
export function createAddressSpace({
  variables,
  namespaces,
  clock,
}: {
  readonly variables: readonly SimulatedVariable[];
  /** Of the whole server; ours is the last. */
  readonly namespaces: readonly string[];
  readonly clock: Clock;
}) {
  const index = namespaces.length - 1;
  const keyOf = (id: string) => `ns=${index};${id}`;
  const byKey = new Map(variables.map((variable) => [keyOf(variable.id), variable]));
  const parents = new Map(variables.map(({ parent }) => [keyOf(`s=${parent}`), parent]));

  const wellKnown: Readonly<Record<string, { readonly type: DataType; readonly value: unknown }>> = {
    'ns=0;i=2254': { type: DataType.String, value: [namespaces[1]] },
    'ns=0;i=2255': { type: DataType.String, value: namespaces },
    // ServerState: running.
    'ns=0;i=2259': { type: DataType.Int32, value: 0 },
  };

  const good = (dataType: DataType, value: unknown): DataValue =>
    new DataValue({
      statusCode: StatusCodes.Good,
      value: {
        dataType,
        value,
        arrayType: Array.isArray(value) ? VariantArrayType.Array : VariantArrayType.Scalar,
      },
    });
  const bad = (statusCode: StatusCode): DataValue => new DataValue({ statusCode });

  function readingOf(variable: SimulatedVariable): DataValue {
    const statusCode = variable.status?.() ?? StatusCodes.Good;
    const times = {
      sourceTimestamp: new Date(variable.measuredAt?.() ?? clock.now()),
      serverTimestamp: new Date(clock.now()),
    };
    if (statusCode.isBad()) return new DataValue({ statusCode, ...times });
    return new DataValue({
      statusCode,
      ...times,
      value: { dataType: DataType[variable.type], value: variable.read() },
    });
  }

  function attributeOf(variable: SimulatedVariable, attribute: AttributeIds): DataValue {
    const level = variable.write === undefined ? READ : READ | WRITE;
    switch (attribute) {
      case AttributeIds.NodeClass:
        return good(DataType.Int32, NodeClass.Variable);
      case AttributeIds.BrowseName:
        return good(
          DataType.QualifiedName,
          new QualifiedName({ namespaceIndex: index, name: variable.name }),
        );
      case AttributeIds.DisplayName:
        return good(DataType.LocalizedText, coerceLocalizedText(variable.name));
      case AttributeIds.Value:
        return readingOf(variable);
      case AttributeIds.DataType:
        return good(DataType.NodeId, resolveNodeId(`ns=0;i=${DataType[variable.type]}`));
      case AttributeIds.ValueRank:
        return good(DataType.Int32, -1);
      case AttributeIds.AccessLevel:
      case AttributeIds.UserAccessLevel:
        return good(DataType.Byte, level);
      default:
        return bad(StatusCodes.BadAttributeIdInvalid);
    }
  }

  function objectAttribute(name: string, attribute: AttributeIds): DataValue {
    if (attribute === AttributeIds.NodeClass) return good(DataType.Int32, NodeClass.Object);
    if (attribute === AttributeIds.DisplayName)
      return good(DataType.LocalizedText, coerceLocalizedText(name));
    return bad(StatusCodes.BadAttributeIdInvalid);
  }

  const reference = (key: string, name: string, nodeClass: NodeClass): ReferenceDescription =>
    new ReferenceDescription({
      referenceTypeId: resolveNodeId(nodeClass === NodeClass.Object ? 'i=35' : 'i=47'),
      isForward: true,
      nodeId: coerceExpandedNodeId(key),
      browseName: { namespaceIndex: index, name },
      displayName: coerceLocalizedText(name),
      nodeClass,
      typeDefinition: coerceExpandedNodeId(nodeClass === NodeClass.Object ? 'i=58' : 'i=63'),
    });

  return {
    /** Whether the server has the node. */
    has: (node: NodeId) => byKey.has(stringOf(node)) || wellKnown[stringOf(node)] !== undefined,

    read({ nodeId, attributeId }: Pick<ReadValueId, 'nodeId' | 'attributeId'>): DataValue {
      const key = stringOf(nodeId);
      const variable = byKey.get(key);
      if (variable !== undefined) return attributeOf(variable, attributeId);
      const fixed = wellKnown[key];
      if (fixed !== undefined && attributeId === AttributeIds.Value) return good(fixed.type, fixed.value);
      const parent = key === OBJECTS ? 'Objects' : parents.get(key);
      return parent === undefined ? bad(StatusCodes.BadNodeIdUnknown) : objectAttribute(parent, attributeId);
    },

    /** A value of another type is refused: OPC UA converts none. */
    write({ nodeId, attributeId, value }: WriteValue): StatusCode {
      const variable = byKey.get(stringOf(nodeId));
      if (variable === undefined) return StatusCodes.BadNodeIdUnknown;
      if (attributeId !== AttributeIds.Value || variable.write === undefined)
        return StatusCodes.BadNotWritable;
      if (value.value.dataType !== DataType[variable.type]) return StatusCodes.BadTypeMismatch;
      return variable.write(value.value.value as Scalar) ?? StatusCodes.Good;
    },

    /** What is below a node; undefined where the server does not have it. */
    browse({ nodeId, browseDirection }: BrowseDescription): ReferenceDescription[] | undefined {
      const key = stringOf(nodeId);
      const parent = parents.get(key);
      const isKnown = key === OBJECTS || parent !== undefined || byKey.has(key);
      if (!isKnown) return undefined;
      if (browseDirection === BrowseDirection.Inverse) return [];
      if (key === OBJECTS)
        return [...parents].map(([object, name]) => reference(object, name, NodeClass.Object));
      return variables
        .filter((variable) => variable.parent === parent)
        .map(({ id, name }) => reference(keyOf(id), name, NodeClass.Variable));
    },
  };
}

export type AddressSpace = ReturnType<typeof createAddressSpace>;

const stringOf = (node: NodeId): string => node.toString();

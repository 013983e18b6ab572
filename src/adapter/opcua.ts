import type { MessagesWatch, Purpose, Target } from './connections.ts';

/** Security policies that are not deprecated (OPC UA Part 7). */
export const OPCUA_POLICIES = ['Basic256Sha256', 'Aes128_Sha256_RsaOaep', 'Aes256_Sha256_RsaPss'] as const;
export type OpcuaPolicy = (typeof OPCUA_POLICIES)[number];

/** Whether messages are signed, and read by nobody else. */
export type OpcuaMode = 'none' | 'sign' | 'sign_and_encrypt';

/** An OPC UA server, and who we are there. */
export interface OpcuaServer extends Omit<Target, 'isSecure'> {
  /** Of its endpoint, with a slash; none unless it is said. */
  readonly path?: string;
  readonly mode: OpcuaMode;
  /** The strongest that the server has unless it is said. */
  readonly policy?: OpcuaPolicy;
  readonly username?: string;
  readonly password?: string;
  /** They are what the user linked with: where the server refuses them, the link has to be made again. */
  readonly isUsersSignIn?: boolean;
  /** SHA-256 of the server's certificate, 64 hexadecimal digits: another is refused. Any valid one is taken where it is absent. */
  readonly fingerprint?: string;
}

/** Who the server is, as it says over the connection. */
export interface OpcuaIdentity {
  readonly applicationUri: string;
  /** The last one is never empty: index 0 is OPC UA's own. */
  readonly namespaces: readonly string[];
  /** SHA-256 of its certificate, 64 hexadecimal digits; null without security. */
  readonly fingerprint: string | null;
}

export type OpcuaScalar = number | boolean | string;

/** A value as the server reports it. */
export interface OpcuaReading {
  /** null for what is no number, flag or text, and where the quality is bad. */
  readonly value: OpcuaScalar | null;
  readonly quality: 'good' | 'uncertain' | 'bad';
  /** The name of the status code, such as `BadNodeIdUnknown`. */
  readonly status: string;
  /** When the device measured it, ms since 1970; null where the server does not say. */
  readonly measuredAt: number | null;
}

/** Built-in types of scalars, as OPC UA names them. */
export const OPCUA_NUMBERS = [
  'SByte',
  'Byte',
  'Int16',
  'UInt16',
  'Int32',
  'UInt32',
  'Int64',
  'UInt64',
  'Float',
  'Double',
] as const;
export type OpcuaType = (typeof OPCUA_NUMBERS)[number] | 'Boolean' | 'String';

/** What a node is; its value as a reading. */
export interface OpcuaVariable {
  readonly reading: OpcuaReading;
  /** Whether it has a value at all: objects and methods have none. */
  readonly isVariable: boolean;
  readonly name: string | null;
  /** The built-in type of its value; null for any other than ours, and for arrays. */
  readonly type: OpcuaType | null;
  /** Whether this user may read it. */
  readonly isReadable: boolean;
  readonly isWritable: boolean;
}

/** A node below another. */
export interface OpcuaReference {
  /** Its id with the URI of its namespace: `nsu=urn:plant;s=Press1.Power`. */
  readonly node: string;
  readonly name: string;
  readonly isVariable: boolean;
}

export interface OpcuaWrite {
  readonly node: string;
  readonly type: OpcuaType;
  readonly value: OpcuaScalar;
}

export interface OpcuaChange {
  readonly node: string;
  readonly reading: OpcuaReading;
}

export interface OpcuaSubscription {
  readonly nodes: readonly string[];
  /** How often the server looks for changes, ms; it may make it slower. */
  readonly everyMs: number;
}

/**
 * OPC UA over TCP (UA-TCP, binary), with one session for the link. Nodes are named by their ids: `i=85`, `ns=2;s=Press1.Power`, or with the URI of
 * the namespace in place of its index, which may change when the server restarts: `nsu=urn:plant;s=Press1.Power`.
 */
export interface OpcuaConnection {
  identity(purpose?: Purpose): Promise<OpcuaIdentity>;
  /** The values of nodes, in their order. */
  read(nodes: readonly string[], purpose?: Purpose): Promise<readonly OpcuaReading[]>;
  /** What nodes are, in their order; what the server does not have is told by the reading. */
  describe(nodes: readonly string[], purpose?: Purpose): Promise<readonly OpcuaVariable[]>;
  /** Objects and variables below each of the nodes, at most so many of each. */
  browse(
    nodes: readonly string[],
    options: Purpose & { readonly most: number },
  ): Promise<readonly (readonly OpcuaReference[])[]>;
  /** Writes values, all or none of which the server may refuse: the names of its status codes, in their order. */
  write(writes: readonly OpcuaWrite[], purpose?: Purpose): Promise<readonly string[]>;
  /**
   * Subscribes to values. The changes begin with what each is now, end with the session, and throw when the connection is lost or more comes than is
   * taken. Throws `vendor.refused` where the server has no subscription for us.
   */
  changes(subscription: OpcuaSubscription, watch?: MessagesWatch): Promise<AsyncIterable<OpcuaChange>>;
}

import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { JsonObject } from '../core/json.ts';
import type { CallUse } from './budget.ts';

/** Where a device or a broker is reached. */
export interface Target {
  /** A host name or an IP address. */
  readonly host: string;
  /** One of the adapter's `ports`. */
  readonly port: number;
  /** With TLS, and a certificate of this host. */
  readonly isSecure?: boolean;
  /** The connection is closed when nobody has used it for so long; 60 unless it is said. */
  readonly idleSeconds?: number;
}

/** What something sent over a connection is for, and so what it costs. */
export interface Purpose {
  /** `read` unless it is said. What is a `command` is never sent twice, and without an answer its outcome is unknown. */
  readonly use?: CallUse;
  /** The site that it is about, for limits of sites. */
  readonly site?: string;
  /** The device that it is about, for limits of devices. */
  readonly device?: string;
  readonly costs?: Readonly<Record<string, number>>;
}

/** A request, and where its response ends. */
export interface Exchange extends Purpose {
  readonly request: Uint8Array;
  /**
   * How long the response is that begins with what was received; undefined while that cannot be told. What cannot be a response
   * throws: the connection is closed then, as nobody knows where the next response would begin.
   */
  responseLength(received: Uint8Array): number | undefined;
  /** What the device may take for it, ms; 5,000 unless it is said. */
  readonly timeoutMs?: number;
}

/** A byte stream that the platform keeps: opened when it is needed, shared by all work of the link, closed when nobody needs it. */
interface TcpConnection {
  /** Sends a request and answers its response; one at a time, in the order in which they were asked for. */
  exchange(exchange: Exchange): Promise<Uint8Array>;
}

/** A broker, and who we are there. */
export interface Broker extends Target {
  readonly username?: string;
  readonly password?: string;
  /** They are what the user linked with: where the broker refuses them, the link has to be made again. */
  readonly isUsersSignIn?: boolean;
}

/** For how long messages are wanted, and what is noted of them. */
export interface MessagesWatch {
  /** Something came, were it only a sign of life. */
  heard?(): void;
  /** Ends the messages before the session ends. */
  readonly signal?: AbortSignal;
}

export interface MqttMessage {
  readonly topic: string;
  readonly payload: Uint8Array;
  /** It was published before we subscribed. */
  readonly isRetained: boolean;
  /** How large it is, where that is more than is taken: then its payload is left out. */
  readonly skippedBytes?: number;
  text(): string;
}

export interface Publication extends Purpose {
  readonly topic: string;
  readonly payload: string | Uint8Array;
  readonly isRetained?: boolean;
}

export interface MqttRequest extends Publication {
  /** Where the reply comes; it may hold what else comes there. */
  readonly replyTopic: string;
  /** Tells the reply to this request from others, by an id in both. */
  isReply(message: MqttMessage): boolean;
  /** What the device may take for it, ms; 10,000 unless it is said. */
  readonly timeoutMs?: number;
}

/** MQTT 3.1.1, with a clean session and at least once (QoS 1). */
export interface MqttConnection {
  /** Subscribes. The messages end with the session, and throw when the connection is lost or more comes than is taken. */
  messages(topics: readonly string[], watch?: MessagesWatch): Promise<AsyncIterable<MqttMessage>>;
  /** Resolves when the broker has taken it, which says nothing of the device. */
  publish(publication: Publication): Promise<void>;
  /** Publishes, and answers the reply. */
  request(request: MqttRequest): Promise<MqttMessage>;
}

export interface AmqpMessage {
  readonly id: string | undefined;
  /** The body: text and bytes as they are, anything else as JSON. */
  text(): string;
}

/** AMQP 1.0, for receiving. */
interface AmqpConnection {
  /**
   * Attaches to a queue or a subscription. A message is accepted once the next one is asked for; what is not goes back to the broker.
   * The messages end with the session, and throw when the connection is lost.
   */
  messages(address: string, watch?: MessagesWatch): Promise<AsyncIterable<AmqpMessage>>;
}

/** Connections that outlive a call. Failures are `AppError`s of the `vendor.*` codes, and name the address. */
export interface Connections {
  tcp(target: Target): TcpConnection;
  mqtt(broker: Broker): MqttConnection;
  amqp(broker: Broker): AmqpConnection;
  opcua(server: OpcuaServer): OpcuaConnection;
}

/** Security policies that are not deprecated (OPC UA Part 7). */
export const OPCUA_POLICIES = ['Basic256Sha256', 'Aes128_Sha256_RsaOaep', 'Aes256_Sha256_RsaPss'] as const;
export type OpcuaPolicy = (typeof OPCUA_POLICIES)[number];

/** Whether messages are signed and encrypted. */
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
  /** null if the value is not a number, flag or text, or its quality is bad. */
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
  /** The kinds of nodes, in the order of the request; reading reports a node that the server does not have. */
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

/*
 * Certificates of devices in local networks. No public authority signs them, so the certificate that a device shows while it is linked is
 * kept with its link, and no other is accepted afterwards.
 */

/**
 * For a vendor whose `chosenAddress` is an https address of a device, or that names where its connections with TLS lead; the platform keeps
 * the certificate of each link.
 */
export interface DeviceCertificates {
  /** For a vendor with `ports`: where the certificate is asked for; undefined for a link that does without TLS, or with a public certificate. */
  at?(credentials: JsonObject): Pick<Target, 'host' | 'port'> | undefined;
  /**
   * Root certificates of the vendor, PEM. What they have signed for the same name (CN) is accepted too: it was renewed. Absent where
   * devices sign for themselves.
   */
  readonly roots?: readonly string[];
}

/** The certificate that a device showed while it was linked. */
const PinnedCertificate = Type.Object({
  /** SHA-256 of the certificate (DER), in lower-case hex. */
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  /** The name (CN) for which a root of the vendor has signed it; null where none has. */
  name: Type.Union([Type.String({ minLength: 1, maxLength: 256 }), Type.Null()]),
});
export type PinnedCertificate = Static<typeof PinnedCertificate>;

/** Where the platform keeps it in the credentials of a link; no schema of credentials has a field of this name. */
export const PINNED = 'pinned_certificate';

const check = Compile(PinnedCertificate);

/** The certificate that the credentials of a link hold; undefined where they hold none. */
export function pinnedIn({ [PINNED]: pinned }: JsonObject): PinnedCertificate | undefined {
  return check.Check(pinned) ? pinned : undefined;
}

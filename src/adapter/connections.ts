import type { CallUse } from './budget.ts';
import type { OpcuaConnection, OpcuaServer } from './opcua.ts';

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
export interface TcpConnection {
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
export interface AmqpConnection {
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

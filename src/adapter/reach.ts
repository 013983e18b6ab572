import type { Adapter } from './adapter.ts';
import type {
  AmqpMessage,
  Broker,
  Exchange,
  MqttMessage,
  MqttRequest,
  Publication,
  Target,
} from './connections.ts';
import type { Http } from './http.ts';
import type { Partner } from './login.ts';
import type { LinkKey } from './session.ts';
import type { VendorSocket } from './socket.ts';
import type { EventsRequest, EventsWatch, VendorEvent } from './stream.ts';

/** Where a stream is to be opened, and until when. */
interface Place {
  /** Which of the adapter's hosts. */
  readonly host: string;
  /** The address that the user chose, which stands for every host. */
  readonly chosenAddress: string | undefined;
  readonly signal: AbortSignal;
}

/** A WebSocket that is to be opened, with the token where the vendor wants it. */
export interface SocketOpening extends Place {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly protocol: string | undefined;
}

/** A stream of server-sent events that is to be opened, with the token in its headers. */
export interface EventsOpening extends Place {
  readonly request: Pick<EventsRequest, 'path' | 'query' | 'headers' | 'lastEventId'>;
  readonly watch: EventsWatch;
}

/** Whose connection it is, and which ports its vendor's protocol uses. */
export interface ConnectionOwner extends LinkKey {
  /** The vendor's name. */
  readonly name: string;
  readonly ports: readonly number[];
}

/** The work that a connection is needed for. */
export interface ConnectionWork {
  readonly signal: AbortSignal;
  /** Something is about to be sent. */
  readonly sent: () => void;
}

/** For how long messages are wanted, and who is told that something comes. */
export interface Listening {
  readonly signal: AbortSignal;
  readonly heard: () => void;
}

/** Connections of links to devices and brokers, kept over calls. */
export interface KeptConnections {
  exchange(
    owner: ConnectionOwner,
    asked: Omit<Exchange, 'device' | 'costs'> & { readonly target: Target },
    work: ConnectionWork,
  ): Promise<Uint8Array>;
  publish(
    owner: ConnectionOwner,
    publication: Omit<Publication, 'device' | 'costs'> & { readonly broker: Broker },
    work: ConnectionWork,
  ): Promise<void>;
  request(
    owner: ConnectionOwner,
    request: Omit<MqttRequest, 'device' | 'costs'> & { readonly broker: Broker },
    work: ConnectionWork,
  ): Promise<MqttMessage>;
  mqttMessages(
    owner: ConnectionOwner,
    of: { readonly broker: Broker; readonly topics: readonly string[] },
    listening: Listening,
  ): Promise<AsyncIterable<MqttMessage>>;
  amqpMessages(
    owner: ConnectionOwner,
    of: { readonly broker: Broker; readonly address: string },
    listening: Listening,
  ): Promise<AsyncIterable<AmqpMessage>>;
  /** The link is gone, or has another sign-in. */
  closeLink(link: LinkKey): void;
}

/** How vendors are reached: calls to vendors know nothing of addresses, connections and settings. */
export interface Reach {
  /** A host of a vendor, as its adapter or a setting has it. */
  readonly hostOf: (adapter: Adapter, name: string, chosenAddress: string | undefined) => Http;
  /** Opens a WebSocket at a host of a vendor. */
  readonly openSocket?: (adapter: Adapter, opening: SocketOpening) => Promise<VendorSocket>;
  /** Opens a stream of server-sent events at a host of a vendor. */
  readonly openEvents?: (adapter: Adapter, opening: EventsOpening) => Promise<AsyncIterable<VendorEvent>>;
  readonly connections?: KeptConnections;
  readonly partnerOf: (vendor: string) => Partner | undefined;
}

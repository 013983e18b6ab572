import type { Adapter } from './adapter.ts';
import type {
  AmqpMessage,
  Broker,
  Exchange,
  MqttMessage,
  MqttRequest,
  OpcuaChange,
  OpcuaIdentity,
  OpcuaReading,
  OpcuaReference,
  OpcuaServer,
  OpcuaSubscription,
  OpcuaVariable,
  OpcuaWrite,
  PinnedCertificate,
  Publication,
  Target,
} from './connections.ts';
import type { Surroundings, Wanted } from './discovers.ts';
import type { Http, VendorSocket } from './http.ts';
import type { Partner } from './login.ts';
import type { LinkKey } from './session.ts';
import type { EventsRequest, EventsWatch, VendorEvent } from './stream.ts';

/** Where the calls of a link lead, for vendors of which each user has one. */
export interface Chosen {
  /** The address that the user chose, which stands for every host. */
  readonly chosenAddress: string | undefined;
  /** The certificate that the device there had when it was linked. */
  readonly pinned: PinnedCertificate | undefined;
  /** The gateway in whose network the address is; absent: it is called directly. */
  readonly gateway?: string | undefined;
}

/** Where a device is asked for its certificate, and until when. */
export interface CertificatePlace extends Pick<Chosen, 'gateway'> {
  readonly chosenAddress: string;
  readonly signal: AbortSignal;
}

/** Where a stream is to be opened, and until when. */
interface Place extends Chosen {
  /** Which of the adapter's hosts. */
  readonly host: string;
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
  /** The gateway in whose network the targets are; absent: they are connected to directly. */
  readonly gateway?: string | undefined;
  /** The certificate that is kept with the link; absent: an authority has to have signed it for the host. */
  readonly pinned?: PinnedCertificate | undefined;
  /** Root certificates of the vendor, PEM: what they have signed for the same name stands for the kept one. */
  readonly roots?: readonly string[] | undefined;
}

/** What is known of a gateway that is not connected to this process. */
export interface Whereabouts {
  /** It is connected to another process, as far as is known. */
  readonly isElsewhere: boolean;
  /** When it was last heard, ms since 1970, give or take some seconds; null: never. */
  readonly heardAt: number | null;
  /** Why it is not here, as a part of a sentence. */
  readonly why: string;
}

/** Gateways in users' networks. */
export interface ReachableGateways {
  /** Whether a gateway is connected to this process. */
  isHere(gateway: string): boolean;
  whereabouts(gateway: string): Promise<Whereabouts>;
  /** What a gateway sees of its networks; throws an `AppError` that says why it does not tell. */
  lookAround(gateway: string, wanted: Wanted): Promise<Surroundings>;
}

/** The work that a connection is needed for. */
export interface ConnectionWork {
  readonly signal: AbortSignal;
  /** Something is about to be sent. */
  readonly sent: () => void;
}

/** What an account proves itself with to OPC UA servers, which are told once to trust it. */
export interface ApplicationCertificate {
  /** What it names us as; the same is said in each session. */
  readonly applicationUri: string;
  /** DER, in base64. */
  readonly certificate: string;
  /** Its private key, PEM. */
  readonly key: string;
}

/** A session at an OPC UA server, and what it may be asked. */
export interface OpcuaTasks {
  identity(): Promise<OpcuaIdentity>;
  read(nodes: readonly string[]): Promise<readonly OpcuaReading[]>;
  describe(nodes: readonly string[]): Promise<readonly OpcuaVariable[]>;
  browse(nodes: readonly string[], most: number): Promise<readonly (readonly OpcuaReference[])[]>;
  write(writes: readonly OpcuaWrite[]): Promise<readonly string[]>;
}

/** At which OPC UA server, and with what we prove ourselves there. */
export interface OpcuaPlace {
  readonly server: OpcuaServer;
  readonly application: ApplicationCertificate;
}

/** For how long messages are wanted, and who is told that something comes. */
export interface Listening {
  readonly signal: AbortSignal;
  readonly heard: () => void;
}

/** Connections of links to devices and brokers, kept over calls. */
export interface KeptConnections {
  /** The certificate that is shown at a target, before anything is sent to it. */
  certificateAt(
    owner: ConnectionOwner,
    target: Pick<Target, 'host' | 'port'>,
    signal: AbortSignal,
  ): Promise<PinnedCertificate>;
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
  opcua<T>(
    owner: ConnectionOwner,
    of: OpcuaPlace & { readonly isCommand: boolean; readonly task: (tasks: OpcuaTasks) => Promise<T> },
    work: ConnectionWork,
  ): Promise<T>;
  opcuaChanges(
    owner: ConnectionOwner,
    of: OpcuaPlace & { readonly subscription: OpcuaSubscription },
    listening: Listening,
  ): Promise<AsyncIterable<OpcuaChange>>;
  /** Makes what an account proves itself with to OPC UA servers. */
  makeApplicationCertificate(applicationUri: string): Promise<ApplicationCertificate>;
  /** The link is gone, or has another sign-in. */
  closeLink(link: LinkKey): void;
}

/** How vendors are reached: calls to vendors know nothing of addresses, connections and settings. */
export interface Reach {
  /** A host of a vendor, as its adapter or a setting has it. */
  readonly hostOf: (adapter: Adapter, name: string, chosen: Chosen) => Http;
  /**
   * The certificate of the device at an address that a user chose, for vendors with `deviceCertificates`; undefined where calls lead to none.
   * Throws an `HttpFailure`.
   */
  readonly certificateAt?: (adapter: Adapter, of: CertificatePlace) => Promise<PinnedCertificate | undefined>;
  /** Opens a WebSocket at a host of a vendor. */
  readonly openSocket?: (adapter: Adapter, opening: SocketOpening) => Promise<VendorSocket>;
  /** Opens a stream of server-sent events at a host of a vendor. */
  readonly openEvents?: (adapter: Adapter, opening: EventsOpening) => Promise<AsyncIterable<VendorEvent>>;
  readonly connections?: KeptConnections;
  readonly gateways?: ReachableGateways;
  readonly partnerOf: (vendor: string) => Partner | undefined;
}

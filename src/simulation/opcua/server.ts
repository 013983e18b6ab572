import type { Duplex } from 'node:stream';
import {
  ApplicationType,
  EndpointDescription,
  MessageSecurityMode,
  SecurityPolicy,
  ServerSecureChannelLayer,
  type ServerSecureChannelParent,
  type StatusCode,
  StatusCodes,
  toURI,
  UserTokenType,
} from 'node-opcua-client';
import type { ISocketLike } from 'node-opcua-transport';
import type { LocalAddress } from '../../adapter/local-simulator.ts';
import type { Clock } from '../../core/clock.ts';
import { DAY_MS } from '../../core/durations.ts';
import { socketLike } from '../../core/socket-like.ts';
import { type AddressSpace, createAddressSpace, type SimulatedVariable } from './address-space.ts';
import { makeServerCertificate, type ServerCertificate } from './certificates.ts';
import { serveChannel } from './services.ts';

/** What a simulated server does wrong until it is told otherwise. */
export interface ServerFaults {
  /** What a subscription is refused with. */
  subscriptions: StatusCode | undefined;
  /** Clients' certificates are not in its list of trusted ones. */
  refusesCertificates: boolean;
  /** What each request but the first ones of a connection is answered with: a session that was lost, a server that shuts down. */
  requests: StatusCode | undefined;
}

export interface OpcuaServerOptions {
  readonly clock: Clock;
  readonly variables: readonly SimulatedVariable[];
  /** URI of the namespace that the variables are in, and of the server itself. */
  readonly namespace: string;
  /** Passwords by user name; anybody where it is absent. */
  readonly users?: ReadonlyMap<string, string>;
  /** Where clients reach it. */
  readonly address: LocalAddress;
}

const POLICIES = [
  SecurityPolicy.Basic256Sha256,
  SecurityPolicy.Aes128_Sha256_RsaOaep,
  SecurityPolicy.Aes256_Sha256_RsaPss,
];
const PATH = '/simulated';
const YEAR_MS = 365 * DAY_MS;

/** What services need to know of the server. */
export interface Served {
  readonly space: AddressSpace;
  readonly faults: ServerFaults;
  readonly clock: Clock;
  readonly users: ReadonlyMap<string, string> | undefined;
  endpoints(): EndpointDescription[];
}

/** An OPC UA server with the services that clients of variables use, and faults. */
export async function createOpcuaServer(options: OpcuaServerOptions) {
  const { clock, variables, namespace, users, address } = options;
  const faults: ServerFaults = {
    subscriptions: undefined,
    refusesCertificates: false,
    requests: undefined,
  };
  const namespaces = ['http://opcfoundation.org/UA/', `${namespace}:server`, namespace];
  const space = createAddressSpace({ variables, namespaces, clock });
  const certified = (from: number, until: number) =>
    makeServerCertificate(`${namespace}:server`, { from: clock.now() + from, until: clock.now() + until });
  let certificate: ServerCertificate = await certified(-DAY_MS, YEAR_MS);

  const endpointOf = (mode: MessageSecurityMode, policy: SecurityPolicy): EndpointDescription =>
    new EndpointDescription({
      endpointUrl: `opc.tcp://simulated-server:${address.port}${PATH}`,
      securityMode: mode,
      securityPolicyUri: toURI(policy),
      serverCertificate: certificate.der,
      transportProfileUri: 'http://opcfoundation.org/UA-Profile/Transport/uatcp-uasc-uabinary',
      server: {
        applicationUri: `${namespace}:server`,
        applicationName: { text: 'Simulated server' },
        applicationType: ApplicationType.Server,
        productUri: namespace,
      },
      userIdentityTokens: [
        ...(users === undefined ? [{ policyId: 'anonymous', tokenType: UserTokenType.Anonymous }] : []),
        {
          policyId: 'user',
          tokenType: UserTokenType.UserName,
          securityPolicyUri: toURI(policy === SecurityPolicy.None ? SecurityPolicy.Basic256Sha256 : policy),
        },
      ],
    });
  const endpoints = (): EndpointDescription[] => [
    endpointOf(MessageSecurityMode.None, SecurityPolicy.None),
    ...POLICIES.flatMap((policy) => [
      endpointOf(MessageSecurityMode.Sign, policy),
      endpointOf(MessageSecurityMode.SignAndEncrypt, policy),
    ]),
  ];

  const parent: ServerSecureChannelParent = {
    certificateManager: {
      referenceCounter: 0,
      initialize: async () => {},
      dispose: async () => {},
      checkCertificate: async () =>
        faults.refusesCertificates ? StatusCodes.BadCertificateUntrusted : StatusCodes.Good,
      verifyCertificate: async () => 'Good',
      trustCertificate: async () => {},
      rejectCertificate: async () => {},
      getTrustStatus: async () => StatusCodes.Good,
      addIssuer: async () => {},
      addRevocationList: async () => {},
    },
    getCertificate: () => certificate.der,
    getCertificateChain: () => [certificate.der],
    getKeyOperations: () => certificate.keys,
    getEndpointDescription: (mode, policy) =>
      endpoints().find(
        ({ securityMode, securityPolicyUri }) => securityMode === mode && securityPolicyUri === toURI(policy),
      ) ?? null,
  };

  const served: Served = { space, faults, clock, users, endpoints };
  const streams = new Set<Duplex>();

  return {
    faults,
    path: PATH,
    certificate: () => certificate.der,

    /** A client has connected. */
    accept(stream: Duplex): void {
      streams.add(stream);
      stream.on('error', () => {});
      const channel = new ServerSecureChannelLayer({ parent });
      stream.on('close', () => streams.delete(stream));
      // Their type of sockets has overloads that ours fits only in effect.
      channel.init(socketLike(stream) as ISocketLike, () => {});
      serveChannel(channel, served);
    },

    /** Has another certificate from now on; one that is expired was valid until yesterday. */
    async changeCertificate(kind: 'valid' | 'expired'): Promise<void> {
      certificate = await (kind === 'valid' ? certified(-DAY_MS, YEAR_MS) : certified(-YEAR_MS, -DAY_MS));
    },

    /** Cuts every connection. */
    cut(): void {
      for (const stream of streams) stream.destroy();
    },
  };
}

export type OpcuaServer = Awaited<ReturnType<typeof createOpcuaServer>>;
